# Not every muParser comes with a CMake package. Defines muParser::muParser.
find_path(MUPARSER_INCLUDE_DIR muParser.h)
find_library(MUPARSER_LIBRARY muparser)
mark_as_advanced(MUPARSER_INCLUDE_DIR MUPARSER_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(muParser REQUIRED_VARS MUPARSER_LIBRARY MUPARSER_INCLUDE_DIR)

if(muParser_FOUND AND NOT TARGET muParser::muParser)
  add_library(muParser::muParser UNKNOWN IMPORTED)
  set_target_properties(muParser::muParser PROPERTIES
    IMPORTED_LOCATION "${MUPARSER_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${MUPARSER_INCLUDE_DIR}")
endif()
