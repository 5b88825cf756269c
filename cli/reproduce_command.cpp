// thud reproduce: published tables beside our numbers.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "progress.hpp"
#include "thud/report/html.hpp"
#include "thud/study/paper_figures.hpp"
#include "thud/study/reproduce.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::vector<std::string> ids;
  bool list = false, json = false;
  std::string markdown, figures, report;
  int jobs = 0;
};

Reproduction reproduce_with_progress(const std::vector<ReferenceTable>& tables, int jobs) {
  const Interrupt interrupt;
  StatusLine line;
  ReproduceOptions options;
  options.jobs = jobs;
  options.request.cancel = Interrupt::flag();
  options.progress = [&](int done, int total) { line.show(fmt::format("{} of {} runs", done, total)); };
  return reproduce(tables, options);
}

void write_page(const std::string& file, const std::string& page) {
  try {
    write_file(file, page);
  } catch (const OutputError& e) {
    throw InputError({"--markdown " + file}, e.what());
  }
}

std::string what_failed(const Reproduction& result) {
  if (result.cancelled) return "interrupted";
  std::string out;
  const auto add = [&](int missing, int total, const char* what) {
    if (missing > 0) out += fmt::format("{}{} of {} {}", out.empty() ? "" : ", ", missing, total, what);
  };
  add(result.total - result.ok - result.not_reproduced, result.total,
      "published numbers are not reproduced, and should be");
  add(result.derived_total - result.derived_ok, result.derived_total, "derived numbers are not reproduced");
  add(result.failed, result.runs, "runs of our own failed");
  return out;
}

// ---- figures ---------------------------------------------------------------------------------------------------

int draw_with_progress(const Arguments& a) {
  const std::vector<ReferenceTable> tables = load_reference();
  const std::vector<PaperFigure> all = load_figures(tables);
  const std::vector<PaperFigure> wanted = select_figures(all, a.ids);
  DrawnFigures result;
  {
    const Interrupt interrupt;
    StatusLine line;
    DrawOptions options;
    options.jobs = a.jobs;
    options.request.cancel = Interrupt::flag();
    options.progress = [&](int done, int total) { line.show(fmt::format("{} of {} figures", done, total)); };
    try {
      result = draw_figures(wanted, all, tables, a.figures, options);
    } catch (const InputError& e) {
      if (e.place().file != a.figures) throw;
      throw InputError({"--figures " + a.figures}, e.message());
    }
  }
  if (result.drawn > 0)
    print(fmt::format("Wrote {} figure{} and index.html to {}\n", result.drawn, result.drawn == 1 ? "" : "s",
                      a.figures));
  for (const std::string& why : result.failed) complain(why);
  if (result.cancelled) complain("interrupted");
  return result.cancelled || !result.failed.empty() ? 1 : 0;
}

template <class Item>
bool has_match(const std::vector<Item>& all, const std::string& id) {
  return std::any_of(all.begin(), all.end(), [&](const Item& item) { return begins_id(id, item.id); });
}

// Ids may be of tables, of figures, or begin both.
int list_all(const Arguments& a) {
  refuse_drawings(a.ids);
  const std::vector<ReferenceTable> all_tables = load_reference();
  const std::vector<PaperFigure> all_figures = load_figures(all_tables);
  std::vector<std::string> table_ids, figure_ids;
  for (const std::string& id : a.ids) {
    if (has_match(all_figures, id)) figure_ids.push_back(id);
    if (has_match(all_tables, id) || !has_match(all_figures, id)) table_ids.push_back(id);
  }
  std::vector<ReferenceTable> tables;
  std::vector<PaperFigure> figures;
  if (a.ids.empty() || !table_ids.empty()) tables = select_tables(all_tables, table_ids);
  if (a.ids.empty() || !figure_ids.empty()) figures = select_figures(all_figures, figure_ids);
  if (a.json) {
    auto document = nlohmann::ordered_json::parse(list_json(tables));
    document.update(nlohmann::ordered_json::parse(list_json(figures)));
    return print(document.dump(2) + "\n"), 0;
  }
  std::string text = list_text(tables);
  if (!figures.empty()) text += (text.empty() ? "" : "\n") + list_text(figures);
  return print(text), 0;
}

// A figure where a table is wanted.
void point_to_figures(const std::vector<std::string>& ids, const std::vector<ReferenceTable>& tables) {
  refuse_drawings(ids);
  for (const std::string& id : ids)
    if (!has_match(tables, id) && has_match(load_figures(tables), id))
      throw InputError({}, fmt::format("\"{}\" is a figure: --figures DIR draws it", id));
}

int reproduce_tables(const Arguments& a) {
  if (a.list) return list_all(a);
  check_report_file(a.report);
  if (!a.figures.empty()) return draw_with_progress(a);
  const std::vector<ReferenceTable> all = load_reference();
  point_to_figures(a.ids, all);
  const std::vector<ReferenceTable> tables = select_tables(all, a.ids);
  const Reproduction result = reproduce_with_progress(tables, a.jobs);
  // A page with rows that were never run would be taken for the whole.
  if (!a.markdown.empty() && !result.cancelled) write_page(a.markdown, to_markdown(result));
  if (!a.report.empty() && !result.cancelled) write_file(a.report, make_reproduce_report(result));
  print(a.json ? to_json(result) : to_text(result));
  if (!result.all_ok()) complain(what_failed(result));
  return result.all_ok() ? 0 : 1;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_reproduce_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("reproduce", "run published tables and compare with their numbers");
  const auto a = std::make_shared<Arguments>();
  c->add_option("ID", a->ids, "tables or figures, or what their ids begin with (default: all)");
  c->add_flag("--list", a->list, "show the tables and figures there are, and stop");
  CLI::Option* json = c->add_flag("--json", a->json, "print one JSON document and nothing else");
  CLI::Option* markdown =
      c->add_option("--markdown", a->markdown, "also write a page for the documentation")->type_name("FILE");
  add_report_option(*c, a->report);
  c->add_option("--figures", a->figures, "redraw figures of the papers into a folder, instead of the tables")
      ->type_name("DIR")
      ->excludes(json)
      ->excludes(markdown)
      ->excludes(c->get_option("--report"))
      ->check([](const std::string& text) { return text.empty() ? "is empty" : std::string(); });
  add_jobs_option(*c, a->jobs);
  c->footer(
      "Examples:\n"
      "  thud reproduce\n"
      "  thud reproduce lee2009/4.1 marghitu2013\n"
      "  thud reproduce lee2009 --json | jq .ok\n"
      "  thud reproduce --figures figures lee2009/figure-4");
  c->callback([a, &exit_code] { exit_code = reproduce_tables(*a); });
}
