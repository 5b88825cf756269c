# Library, headers, program, data, and the package for find_package(thud).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/thud")

install(TARGETS thud EXPORT thudTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/thud" TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(EXPORT thudTargets NAMESPACE thud:: DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/thudConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/thudConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/thudConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/thudConfig.cmake"
  "${PROJECT_BINARY_DIR}/thudConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindHDF5Serial.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindmuParser.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindUDUNITS2.cmake"
  DESTINATION "${package_dir}")

if(TARGET thud_cli)
  install(TARGETS thud_cli)
  if(TARGET thud_mpi)
    install(TARGETS thud_mpi LIBRARY DESTINATION "lib/thud")
  endif()
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios" "${PROJECT_SOURCE_DIR}/studies" "${PROJECT_SOURCE_DIR}/reference"
    DESTINATION "${THUD_DATA_DIR}" OPTIONAL)
endif()
