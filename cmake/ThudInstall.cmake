# Library, headers, program, data, manual pages, completions, and the packages for find_package(thud) and pkg-config.
# Nothing that is installed holds the prefix: the tree works wherever it is moved. The component `program` is what packages
# of distributions hold.
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
get_target_property(libraries thud LINK_LIBRARIES)
if("sleef" IN_LIST libraries)
  string(APPEND private_libraries " -lsleef")
endif()
list(TRANSFORM CMAKE_DL_LIBS PREPEND " -l" OUTPUT_VARIABLE dl_libraries)
string(APPEND private_libraries ${dl_libraries})
configure_file("${PROJECT_SOURCE_DIR}/cmake/thud.pc.in" "${PROJECT_BINARY_DIR}/thud.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/thud.pc" DESTINATION "${pc_dir}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios" "${PROJECT_SOURCE_DIR}/studies" "${PROJECT_SOURCE_DIR}/reference"
  DESTINATION "${THUD_DATA_DIR}" COMPONENT program OPTIONAL)
install(DIRECTORY "${CMAKE_BINARY_DIR}/${THUD_DATA_DIR}/live" DESTINATION "${THUD_DATA_DIR}" COMPONENT program OPTIONAL)
if(TARGET thud_cli)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH to_library "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(thud_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  endif()
  install(TARGETS thud_cli COMPONENT program)
  if(TARGET thud_mpi)
    install(TARGETS thud_mpi LIBRARY DESTINATION "lib/thud" COMPONENT program)
  endif()
  # The program writes its own manual pages and completions.
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "
      set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
      execute_process(COMMAND \"$<TARGET_FILE:thud_cli>\" manual --out \"\${share}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)
      foreach(script IN ITEMS bash:bash-completion/completions/thud zsh:zsh/vendor-completions/_thud
          fish:fish/vendor_completions.d/thud.fish)
        string(REPLACE \":\" \";\" script \"\${script}\")
        list(GET script 0 shell)
        list(GET script 1 file)
        cmake_path(GET file PARENT_PATH folder)
        file(MAKE_DIRECTORY \"\${share}/\${folder}\")
        execute_process(COMMAND \"$<TARGET_FILE:thud_cli>\" completion \${shell} OUTPUT_FILE \"\${share}/\${file}\"
          COMMAND_ERROR_IS_FATAL ANY)
      endforeach()" COMPONENT program)
  endif()
endif()
