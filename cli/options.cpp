#include "commands.hpp"

void add_scenario_option(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "a scenario file, or the name of one in the library (thud list)")
      ->required();
}

void add_set_option(CLI::App& command, std::vector<std::string>& set, const std::string& about) {
  command.add_option("--set", set, about)
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

void add_report_option(CLI::App& command, std::string& file) {
  command.add_option("--report", file, "write a report as one HTML file that works offline")
      ->type_name("FILE.html");
}

void add_data_option(CLI::App& command, std::vector<std::string>& files, const std::string& whose) {
  command.add_option("--data", files, "measured trajectories (default: all files of " + whose + " [data])")
      ->type_name("FILE.csv...")
      ->expected(1, 100000)
      ->take_all();
}

CLI::Option* add_jobs_option(CLI::App& command, int& jobs, const std::string& about) {
  return command.add_option("--jobs", jobs, about)
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
}
