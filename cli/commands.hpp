#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// Each adds one subcommand. When it is chosen it runs inside App::parse and leaves the exit status in `exit_code`:
// 0 done, 1 the computation did not reach what was asked. Bad input is thrown as InputError, and becomes status 2.
void add_run_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_laws_command(CLI::App& app, int& exit_code);
void add_modes_command(CLI::App& app, int& exit_code);
void add_devices_command(CLI::App& app, int& exit_code);
void add_reproduce_command(CLI::App& app, int& exit_code);
void add_sensitivity_command(CLI::App& app, int& exit_code);
void add_capture_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_fit_command(CLI::App& app, int& exit_code);
void add_synth_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_serve_command(CLI::App& app, int& exit_code);
void add_new_command(CLI::App& app, int& exit_code);
void add_import_command(CLI::App& app, int& exit_code);
void add_schema_command(CLI::App& app, int& exit_code);
void add_manual_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);

// Options that several commands have.
void add_scenario_option(CLI::App& command, std::string& file);
void add_set_option(CLI::App& command, std::vector<std::string>& set, const std::string& about);
void add_report_option(CLI::App& command, std::string& file);
void add_data_option(CLI::App& command, std::vector<std::string>& files, const std::string& whose);
CLI::Option* add_jobs_option(CLI::App& command, int& jobs,
                             const std::string& about = "number of threads (default: one per processor)");
