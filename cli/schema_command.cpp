#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/scenario/schema.hpp"
#include "thud/study/study_schema.hpp"

void add_schema_command(CLI::App& app, int& exit_code) {
  CLI::App* c =
      app.add_subcommand("schema", "print the JSON Schema of scenario and study files, for editors");
  struct Arguments {
    bool json = false, markdown = false, study = false;
  };
  const auto a = std::make_shared<Arguments>();
  CLI::Option* json = c->add_flag("--json", a->json, "as JSON Schema, draft 7 (default)");
  CLI::Option* markdown = c->add_flag("--markdown", a->markdown, "as a page for people")->excludes(json);
  c->add_flag("--study", a->study, "of study files instead")->excludes(markdown);
  c->footer(
      "An editor with a TOML language server completes and checks scenario files by\n"
      "it, with a first line such as\n"
      "  #:schema ./thud-scenario.schema.json\n"
      "\n"
      "Examples:\n"
      "  thud schema > thud-scenario.schema.json\n"
      "  thud schema --study > thud-study.schema.json\n"
      "  thud schema --markdown | less");
  c->callback([a, &exit_code] {
    thud::cli::print(a->study      ? thud::make_study_schema()
                     : a->markdown ? thud::make_scenario_reference()
                                   : thud::make_scenario_schema());
    exit_code = 0;
  });
}
