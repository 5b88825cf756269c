# cpp-httplib: Debian compiles it into a library and says with which options; elsewhere it is a header. Defines
# httplib::httplib.
find_package(PkgConfig)
if(PkgConfig_FOUND)
  pkg_check_modules(HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
endif()
find_path(HTTPLIB_INCLUDE_DIR httplib.h)
mark_as_advanced(HTTPLIB_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(httplib REQUIRED_VARS HTTPLIB_INCLUDE_DIR)

if(httplib_FOUND AND NOT TARGET httplib::httplib)
  add_library(httplib::httplib INTERFACE IMPORTED)
  if(TARGET PkgConfig::HTTPLIB)
    target_link_libraries(httplib::httplib INTERFACE PkgConfig::HTTPLIB)
  else()
    target_include_directories(httplib::httplib SYSTEM INTERFACE "${HTTPLIB_INCLUDE_DIR}")
  endif()
endif()
