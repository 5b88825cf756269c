# The program of `make first`: run, check, list, laws and new. It is built of a dozen large units at -O1, without what fits,
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

add_executable(thud_first)
set_target_properties(thud_first PROPERTIES OUTPUT_NAME thud UNITY_BUILD ON UNITY_BUILD_MODE GROUP)

# thud_first_group(name source...): compiled as one.
function(thud_first_group name)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  target_sources(thud_first PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
endfunction()

# What runs call is listed in src/CMakeLists.txt alone.
set(list_of_sources "${PROJECT_SOURCE_DIR}/src/CMakeLists.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list_of_sources}")
file(READ "${list_of_sources}" text)
string(REGEX MATCH "set\\(engine\n[^)]*" text "${text}")
string(REGEX MATCHALL "[a-z_0-9]+/[a-z_0-9]+\\.cpp" engine "${text}")
list(REMOVE_ITEM engine dynamics/sand_probe.cpp)
thud_compile_together(thud_first ${engine})
list(TRANSFORM engine PREPEND "${PROJECT_SOURCE_DIR}/src/")
target_sources(thud_first PRIVATE ${engine})

# Units of the whole program that hold nothing else, and of the others what a run needs.
foreach(unit IN ITEMS scenario scenario_contacts scenario_parts scenario_values)
  thud_first_group(unit_${unit} src/units/${unit}.cpp)
endforeach()
thud_first_group(tables src/base/error.cpp src/base/format.cpp src/store/csv.cpp src/store/file.cpp
  src/scenario/schema.cpp src/scenario/schema_tables.cpp)
thud_first_group(report src/elements/stress_field.cpp src/report/csv.cpp src/report/impacts.cpp src/report/summary.cpp src/report/frames.cpp
  src/report/frames_json.cpp src/report/html.cpp src/report/json.cpp src/report/scene.cpp)
thud_first_group(film src/report/film.cpp src/report/live.cpp)
thud_first_group(film_parts src/draw/gif.cpp src/draw/raster.cpp src/report/film_scene.cpp)
thud_first_group(draw src/draw/frame.cpp src/draw/svg.cpp src/draw/trajectory.cpp)
thud_first_group(figures src/draw/pose_strip.cpp src/draw/stills.cpp)
thud_first_group(maps src/draw/contours.cpp src/draw/heat_map.cpp)
foreach(alone IN ITEMS impact_plane plot time_figure) # names local to them stand elsewhere too
  thud_first_group(${alone} src/draw/${alone}.cpp)
endforeach()
thud_first_group(program cli/first_commands.cpp cli/check_command.cpp cli/console.cpp cli/documents.cpp cli/help.cpp
  cli/list_command.cpp cli/main.cpp cli/new_command.cpp cli/options.cpp cli/pictures.cpp cli/progress.cpp cli/run_arguments.cpp
  cli/run_command.cpp cli/run_family.cpp cli/still.cpp)

set(web_bundle "${PROJECT_SOURCE_DIR}/web/dist/thud.html")
set(embed "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake")
add_custom_command(OUTPUT web_bundle.cpp
  COMMAND "${CMAKE_COMMAND}" -D "INPUT=${web_bundle}" -D OUTPUT=web_bundle.cpp -P "${embed}"
  DEPENDS "${web_bundle}" "${embed}"
  VERBATIM)
target_sources(thud_first PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/web_bundle.cpp")

target_include_directories(thud_first PRIVATE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/cli")
target_compile_definitions(thud_first PRIVATE THUD_WITHOUT_DUALS)
# Sources that are compiled as one look like headers to that warning.
target_compile_options(thud_first PRIVATE $<$<CONFIG:Release>:-O1> -Wno-subobject-linkage)
# Reports of studies share files with those of runs; the linker leaves out what is never called, and what that would call.
target_compile_options(thud_first PRIVATE -ffunction-sections -fdata-sections)
target_link_options(thud_first PRIVATE LINKER:--gc-sections)
target_link_libraries(thud_first PRIVATE
  thud_build_info Boost::headers CLI11::CLI11 Eigen3::Eigen fmt::fmt muParser::muParser nlohmann_json::nlohmann_json
  tomlplusplus::tomlplusplus UDUNITS2::udunits2 ${CMAKE_DL_LIBS})
