# Library, headers, program, data, and the packages for find_package(thud) and pkg-config.
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

# pkg-config: the place of the prefix is told from that of the file, so that a copy of the tree works too. What a static
# library needs is listed by file where CMake found one: not all of it has a package of its own.
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH up_to_prefix "/${pc_dir}" "/")
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
set(private_libraries "-lceres -lglog -lfmt ${HDF5SERIAL_LIBRARY} -lmuparser -lpugixml -ltbb -ltomlplusplus ${UDUNITS2_LIBRARY} -lpthread")
list(TRANSFORM CMAKE_DL_LIBS PREPEND " -l" OUTPUT_VARIABLE dl_libraries)
string(APPEND private_libraries ${dl_libraries})
configure_file("${PROJECT_SOURCE_DIR}/cmake/thud.pc.in" "${PROJECT_BINARY_DIR}/thud.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/thud.pc" DESTINATION "${pc_dir}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios" "${PROJECT_SOURCE_DIR}/studies" "${PROJECT_SOURCE_DIR}/reference"
  DESTINATION "${THUD_DATA_DIR}" OPTIONAL)
install(DIRECTORY "${CMAKE_BINARY_DIR}/${THUD_DATA_DIR}/live" DESTINATION "${THUD_DATA_DIR}" OPTIONAL)
if(TARGET thud_cli)
  file(RELATIVE_PATH to_library "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(thud_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  install(TARGETS thud_cli)
  if(TARGET thud_mpi)
    install(TARGETS thud_mpi LIBRARY DESTINATION "lib/thud")
  endif()
endif()
