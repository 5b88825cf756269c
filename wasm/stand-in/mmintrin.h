// Eigen asks for it, and uses nothing of it.
