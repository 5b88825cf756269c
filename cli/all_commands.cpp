#include "command_list.hpp"

void add_run_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_laws_command(CLI::App& app, int& exit_code);
void add_modes_command(CLI::App& app, int& exit_code);
void add_devices_command(CLI::App& app, int& exit_code);
void add_reproduce_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_sensitivity_command(CLI::App& app, int& exit_code);
void add_capture_command(CLI::App& app, int& exit_code);
void add_fit_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_synth_command(CLI::App& app, int& exit_code);
void add_serve_command(CLI::App& app, int& exit_code);
void add_new_command(CLI::App& app, int& exit_code);
void add_import_command(CLI::App& app, int& exit_code);
void add_schema_command(CLI::App& app, int& exit_code);
void add_manual_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);

void add_commands(CLI::App& app, int& exit_code) {
  add_run_command(app, exit_code);
  add_check_command(app, exit_code);
  add_list_command(app, exit_code);
  add_laws_command(app, exit_code);
  add_modes_command(app, exit_code);
#ifdef THUD_HAS_REPRODUCE
  add_reproduce_command(app, exit_code);
#endif
  add_sweep_command(app, exit_code);
  add_sensitivity_command(app, exit_code);
  add_devices_command(app, exit_code);
  add_capture_command(app, exit_code);
  add_fit_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_synth_command(app, exit_code);
  add_serve_command(app, exit_code);
  add_new_command(app, exit_code);
  add_import_command(app, exit_code);
  add_schema_command(app, exit_code);
  add_manual_command(app, exit_code);
  add_completion_command(app, exit_code);
}

std::string why_absent(const std::string&) { return {}; }
