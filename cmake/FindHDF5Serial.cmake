# The C library of HDF5 without MPI. Debian keeps it beside the parallel ones, under names of its own; elsewhere it is
# simply "hdf5". Defines HDF5Serial::hdf5.
find_path(HDF5SERIAL_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5SERIAL_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5SERIAL_INCLUDE_DIR HDF5SERIAL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5SERIAL_LIBRARY HDF5SERIAL_INCLUDE_DIR)

if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::hdf5)
  add_library(HDF5Serial::hdf5 UNKNOWN IMPORTED)
  set_target_properties(HDF5Serial::hdf5 PROPERTIES
    IMPORTED_LOCATION "${HDF5SERIAL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5SERIAL_INCLUDE_DIR}")
endif()
