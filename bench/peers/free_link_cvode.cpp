#include "free_link_cvode.hpp"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_version.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "free_link_equations.hpp"

namespace thud::peers {

namespace {

using Link = FreeLink<double>;
using State = Link::State;

constexpr double longest_fall = 1.0;  // [s]; a fall takes hundredths
constexpr long most_steps = 1'000'000;

// The corner of |u × v_E| and the power law at the surface give the orders above
// six nothing to live on: they cost more time for the same stopping-time error.
constexpr int highest_order = 6;

// A serial vector holds six contiguous doubles, as a State does; six moves either
// way cost nothing beside a sine.
State load(N_Vector v) {
  State y;
  std::copy_n(N_VGetArrayPointer(v), y.size(), y.begin());
  return y;
}

void store(const State& y, N_Vector v) { std::copy(y.begin(), y.end(), N_VGetArrayPointer(v)); }

int calc_rates(realtype, N_Vector v, N_Vector dvdt, void* link) {
  State dydt;
  (*static_cast<Link*>(link))(load(v), dydt);
  store(dydt, dvdt);
  return 0;
}

int calc_root(realtype, N_Vector v, realtype* root, void*) {
  *root = Link::calc_tip_velocity(load(v));
  return 0;
}

void require(int flag, const char* call) {
  if (flag < 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(flag));
}

}  // namespace

struct CvodeFreeLink::Solver {
  Link link;
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  SUNNonlinearSolver iteration = nullptr;
  void* cvode = nullptr;

  Solver() {
    require(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    y = N_VNew_Serial(static_cast<sunindextype>(State{}.size()), context);
    store(Link::calc_initial_state(0.5, 1.0), y);  // replaced by every run
    cvode = CVodeCreate(CV_ADAMS, context);
    require(CVodeInit(cvode, calc_rates, 0.0, y), "CVodeInit");
    require(CVodeSetUserData(cvode, &link), "CVodeSetUserData");
    require(CVodeSetMaxOrd(cvode, highest_order), "CVodeSetMaxOrd");
    iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    require(CVodeSetNonlinearSolver(cvode, iteration), "CVodeSetNonlinearSolver");
    require(CVodeSetMaxNumSteps(cvode, most_steps), "CVodeSetMaxNumSteps");
    require(CVodeRootInit(cvode, 1, calc_root), "CVodeRootInit");
    int falling = -1;
    require(CVodeSetRootDirection(cvode, &falling), "CVodeSetRootDirection");
  }

  ~Solver() {
    CVodeFree(&cvode);
    SUNNonlinSolFree(iteration);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }

  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
};

CvodeFreeLink::CvodeFreeLink() : solver_(std::make_unique<Solver>()) {}
CvodeFreeLink::~CvodeFreeLink() = default;
CvodeFreeLink::CvodeFreeLink(CvodeFreeLink&&) noexcept = default;
CvodeFreeLink& CvodeFreeLink::operator=(CvodeFreeLink&&) noexcept = default;

PeerResult CvodeFreeLink::solve(double angle, double speed, double tolerance) {
  Solver& s = *solver_;
  s.link.reset_evaluations();
  store(Link::calc_initial_state(angle, speed), s.y);
  require(CVodeReInit(s.cvode, 0.0, s.y), "CVodeReInit");
  require(CVodeSStolerances(s.cvode, tolerance, tolerance), "CVodeSStolerances");

  realtype t = 0.0;
  const int flag = CVode(s.cvode, longest_fall, s.y, &t, CV_NORMAL);

  PeerResult result;
  result.stop_time = flag == CV_ROOT_RETURN ? t : std::numeric_limits<double>::quiet_NaN();
  result.evaluations = s.link.evaluations();
  require(CVodeGetNumSteps(s.cvode, &result.steps), "CVodeGetNumSteps");
  return result;
}

PeerResult solve_free_link_cvode(double angle, double speed, double tolerance) {
  thread_local CvodeFreeLink solver;
  return solver.solve(angle, speed, tolerance);
}

const char* get_sundials_version() {
  static const std::string version = [] {
    std::array<char, 32> text{};
    SUNDIALSGetVersion(text.data(), static_cast<int>(text.size()));
    return std::string(text.data());
  }();
  return version.c_str();
}

}  // namespace thud::peers
