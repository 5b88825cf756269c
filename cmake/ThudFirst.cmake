# The program of `make demo`: run, check, list, laws and new. It is built of few large units at -O1, without what fits,
# sweeps and the playground need, in a fraction of the time and with fewer packages. Its numbers are those of the whole
# program, to the last digit; it takes somewhat longer to compute them.

find_package(Boost 1.74 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(muParser REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(UDUNITS2 REQUIRED)

# What runs call is listed in src/CMakeLists.txt alone.
file(STRINGS "${PROJECT_SOURCE_DIR}/src/CMakeLists.txt" engine
  REGEX "^  (solve|beam|mechanics|granular|contact|elements|dynamics|step|event|scenario)/[a-z_0-9]+\\.cpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/CMakeLists.txt")
list(TRANSFORM engine REPLACE "[ )]" "")
list(REMOVE_ITEM engine dynamics/sand_probe.cpp)

# thud_first_group(name source...): compiled as one, by CMake's own means.
set(first_sources)
function(thud_first_group name)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
  set(first_sources ${first_sources} ${ARGN} PARENT_SCOPE)
endfunction()

foreach(folder IN ITEMS "solve|beam|mechanics" "granular|contact" "elements|dynamics" "step" "event" "scenario")
  set(group ${engine})
  list(FILTER group INCLUDE REGEX "^(${folder})/")
  list(TRANSFORM group PREPEND "src/")
  string(REPLACE "|" "_" name "${folder}")
  thud_first_group(${name} ${group})
endforeach()
