# How our own targets are compiled. Nothing here reaches those who use the installed library.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# No fused multiply-adds, no -march=native: what is not asked of the C library has the same bits on every x86-64.
add_compile_options(-ffp-contract=off)
# Measured on the benchmark: no errno from sqrt and pow, no traps, and no vectorising of straight-line code save a tenth.
add_compile_options(-fno-math-errno -fno-trapping-math -fno-tree-slp-vectorize)
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(THUD_SANITIZE)
  # What the last ones find, the address sanitizer finds too, or the program dies of; they take half of the time to compile.
  add_compile_options(-fsanitize=${THUD_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=null,alignment,vptr,object-size)
  add_link_options(-fsanitize=${THUD_SANITIZE})
endif()

if(THUD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_compile_definitions(__builtin_sincos=::sincos) # gcc's; clang has none
endif()

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for to cache compilations that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

add_library(thud_warnings INTERFACE)
target_compile_options(thud_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wdouble-promotion
  # gcc 12 raises these falsely inside std::string when optimising
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  $<$<BOOL:${THUD_WERROR}>:-Werror>)
# In a unit names of one source are seen in the next, and what is local to a source is in an included file.
option(THUD_UNITS "Compile several sources at a time" ON)
if(THUD_UNITS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(thud_warnings INTERFACE -Wshadow=local -Wno-subobject-linkage)
else()
  target_compile_options(thud_warnings INTERFACE -Wshadow)
endif()

# thud_units(target name...)
#
# Adds units/NAME.cpp, which includes sources that are compiled together: headers, most of the work, are read once for all
# of them. Without THUD_UNITS the sources are compiled one by one, which is what checkers and editors want to see. A name
# that ends in .cpp is a source that stands by itself.
function(thud_units target)
  foreach(name IN LISTS ARGN)
    set(sources units/${name}.cpp)
    if(name MATCHES "\\.cpp$")
      set(sources ${name})
    elseif(NOT THUD_UNITS)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${sources}")
      file(STRINGS "${sources}" sources REGEX "^#include \".*\\.cpp\"")
      list(TRANSFORM sources REPLACE "^#include \"(.*)\"$" "\\1")
    endif()
    target_sources(${target} PRIVATE ${sources})
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
  endforeach()
endfunction()

# thud_compile_together(target source...)
#
# Compiles those of the sources that lie in one folder as one; small folders go together, and large ones are halved, so
# that a change does not wait for all of them. Paths are relative to src/; the target's property UNITY_BUILD turns it on.
function(thud_compile_together target)
  foreach(source IN LISTS ARGN)
    string(REGEX REPLACE "^([a-z]+)/.*" "\\1" group "${source}")
    # Alone stand one that a test has another of, and one whose local names are found elsewhere too.
    if(source MATCHES "scenario/expression\\.cpp|contact/correlation\\.cpp")
      continue()
    endif()
    # Names local to two sources stand in their own folder too.
    if(group MATCHES "^(math|beam|mechanics)$")
      set(group solve)
    elseif(group STREQUAL "granular")
      set(group elements)
    elseif(source MATCHES "scenario/result_formula")
      set(group event)
    elseif(source MATCHES "step/(implicit|exact)_steppers?|event/(run|run_events|locator|solver)\\.")
      string(APPEND group "_2")
    endif()
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/${source}" PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# Where the program finds scenarios/ and reference/: in THUD_INSTALL_DATA_DIR, taken relative to the parent of the
# folder the binary lies in. The links below make that hold in the build tree too.
set(THUD_DATA_DIR "share/thud")
add_library(thud_build_info INTERFACE)
target_compile_definitions(thud_build_info INTERFACE
  THUD_VERSION="${PROJECT_VERSION}"
  THUD_INSTALL_DATA_DIR="${THUD_DATA_DIR}")
# For what never leaves the build tree, tests and benchmarks. Apart, so that the library's objects do not depend on where
# the checkout lies, and one cache serves several.
add_library(thud_source_data INTERFACE)
target_compile_definitions(thud_source_data INTERFACE THUD_SOURCE_DATA_DIR="${PROJECT_SOURCE_DIR}")

file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/${THUD_DATA_DIR}")
foreach(folder IN ITEMS scenarios studies reference)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${CMAKE_BINARY_DIR}/${THUD_DATA_DIR}/${folder}" SYMBOLIC)
endforeach()
