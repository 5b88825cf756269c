// Figures as data: reading and checking the files in reference/figures/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "json_node.hpp"
#include "knobs.hpp"
#include "study/reference_files.hpp"
#include "thud/study/paper_figures.hpp"

namespace thud {

namespace fs = std::filesystem;

namespace {

// "paper/figure-4.2": it becomes a path.
bool is_figure_id(const std::string& id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == id.size()) return false;
  return std::count(id.begin(), id.end(), '/') == 1 && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_'
               || c == '/';
         });
}

KnobSettings read_set(const JsonNode& node) {
  KnobSettings set;
  for (const auto& [knob, value] : node.object().items()) set.emplace_back(knob, node.at(knob).text());
  return set;
}

// { "rate1": ["-1 rad/s", "-3 rad/s"], "rate2": [...] }: lists of the same length, which go along with each other.
void read_vary(const JsonNode& node, const KnobSettings& common, PaperFigure& figure) {
  for (const auto& [knob, unused] : node.object().items()) {
    const JsonNode list = node.at(knob);
    const std::size_t n = list.array().size();
    if (figure.runs.empty()) figure.runs.assign(n, common);
    if (figure.runs.size() != n)
      throw list.error(fmt::format("{} values where another knob has {}", n, figure.runs.size()));
    for (std::size_t k = 0; k < n; ++k)
      figure.runs[k] =
          merge_settings(figure.runs[k], {{knob, list.element(k, fmt::format("value {}", k + 1)).text()}});
    figure.varied.push_back(knob);
  }
  if (figure.runs.empty()) throw node.error("is empty");
}

PaperPanel read_panel(const JsonNode& node, bool has_table) {
  node.only({"observable", "label", "published", "measured"});
  PaperPanel panel{node.at("observable").text(), node.text_or_nothing("label"),
                   node.text_or_nothing("published"), node.text_or_nothing("measured")};
  for (const char* key : {"published", "measured"})
    if (node.has(key) && !has_table) throw node.at(key).error("needs a \"table\" in the figure");
  return panel;
}

// Of curves against a knob.
PaperPanel read_result_panel(const JsonNode& node) {
  node.only({"result", "label"});
  PaperPanel panel;
  panel.result = node.at("result").text();
  panel.label = node.text_or_nothing("label");
  return panel;
}

PaperAbscissa read_abscissa(const JsonNode& node) {
  node.only({"knob", "from", "to", "count", "label"});
  PaperAbscissa x{node.at("knob").text(), node.at("from").text(), node.at("to").text(), 0,
                  node.text_or_nothing("label")};
  const double count = node.at("count").number();
  if (!(count >= 2 && count <= 1000 && count == std::floor(count)))
    throw node.at("count").error(fmt::format("{} is not a whole number from 2 to 1000", count));
  x.count = static_cast<int>(count);
  return x;
}

PaperImpact read_impact(const JsonNode& node) {
  node.only({"set", "impact", "case", "label"});
  PaperImpact impact{read_set(node.at("set")), 1, node.at("case").text(), node.at("label").text()};
  const double number = node.at("impact").number();
  if (!(number >= 1 && number <= 1000 && number == std::floor(number)))
    throw node.at("impact").error(fmt::format("{} is not a whole number from 1 to 1000", number));
  impact.number = static_cast<int>(number);
  return impact;
}

const ReferenceTable* read_table_of(const JsonNode& node, const std::vector<ReferenceTable>& tables) {
  if (!node.has("table")) return nullptr;
  const std::string id = node.at("table").text();
  std::vector<std::string> known;
  for (const ReferenceTable& t : tables) {
    if (t.id == id) return &t;
    known.push_back(t.id);
  }
  throw node.at("table").error(fmt::format("there is no table \"{}\"{}", id, did_you_mean(id, known)));
}

PaperFigure::Kind read_kind(const JsonNode& node) {
  const std::vector<std::string> known{"time", "curves", "planes"};
  const std::string kind = node.has("kind") ? node.at("kind").text() : known[0];
  const auto found = std::find(known.begin(), known.end(), kind);
  if (found == known.end())
    throw node.at("kind").error(
        fmt::format("\"{}\" is not {}{}", kind, one_of(known), did_you_mean(kind, known)));
  return static_cast<PaperFigure::Kind>(found - known.begin());
}

std::vector<std::string> keys_of(PaperFigure::Kind kind) {
  std::vector<std::string> keys{"id", "kind", "title", "source", "scenario", "table", "set", "note"};
  const auto add = [&](std::initializer_list<const char*> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  switch (kind) {
    case PaperFigure::Kind::time: add({"vary", "by", "until", "panels"}); break;
    case PaperFigure::Kind::curves: add({"vary", "by", "x", "y", "panels"}); break;
    case PaperFigure::Kind::planes: add({"impacts"}); break;
  }
  return keys;
}

PaperFigure read_figure(JsonNode node, const std::string& file, const std::vector<ReferenceTable>& tables) {
  PaperFigure figure;
  figure.file = file;
  figure.id = node.at("id").text();
  if (!is_figure_id(figure.id))
    throw node.at("id").error(
        fmt::format("\"{}\" is not of the form paper/figure, in a-z, 0-9, '.', '-', '_'", figure.id));
  node.name(fmt::format("figure \"{}\"", figure.id));
  figure.kind = read_kind(node);
  node.only(keys_of(figure.kind));
  figure.title = node.at("title").text();
  figure.source = node.at("source").text();
  figure.note = node.text_or_nothing("note");
  figure.by = node.text_or_nothing("by");
  const ReferenceTable* table = read_table_of(node, tables);
  if (table) figure.table = table->id, figure.rules = table->rules;
  figure.scenario = table && !node.has("scenario") ? table->scenario : node.at("scenario").text();
  KnobSettings common = table ? table->set : KnobSettings{};
  if (node.has("set")) common = merge_settings(common, read_set(node.at("set")));
  if (figure.kind == PaperFigure::Kind::planes) {
    const JsonNode impacts = node.at("impacts");
    for (std::size_t i = 0; i < impacts.array().size(); ++i) {
      figure.impacts.push_back(read_impact(impacts.element(i, fmt::format("impact {}", i + 1))));
      figure.impacts.back().set = merge_settings(common, figure.impacts.back().set);
    }
    return figure;
  }
  if (figure.kind == PaperFigure::Kind::curves) {
    figure.x = read_abscissa(node.at("x"));
    figure.y = node.at("y").text();
  }
  if (node.has("vary") || figure.kind == PaperFigure::Kind::time)
    read_vary(node.at("vary"), common, figure);
  else
    figure.runs = {common};
  if (node.has("until")) {
    if (node.at("until").text() != "rest") throw node.at("until").error("the only choice is \"rest\"");
    figure.until_rest = true;
  }
  const JsonNode panels = node.at("panels");
  for (std::size_t i = 0; i < panels.array().size(); ++i) {
    const JsonNode panel = panels.element(i, fmt::format("panel {}", i + 1));
    figure.panels.push_back(figure.kind == PaperFigure::Kind::curves ? read_result_panel(panel)
                                                                     : read_panel(panel, table != nullptr));
  }
  return figure;
}

// Figures of the papers in which nothing is computed, as in docs/guide/papers.md.
bool is_drawing(const std::string& id) {
  static const std::set<std::string> drawings = {
      "chapnik1991/figure-1",  "chapnik1991/figure-2",    "gharib2010/figure-1",     "gharib2010/figure-2",
      "gharib2010/figure-3",   "gharib2010/figure-4",     "lee2009/figure-2.1",      "lee2009/figure-2.2",
      "lee2009/figure-2.3",    "lee2009/figure-2.4",      "lee2009/figure-2.5",      "lee2009/figure-2.6",
      "lee2009/figure-2.7",    "lee2009/figure-3.1",      "lee2009/figure-3.2",      "lee2009/figure-4.1",
      "lee2009/figure-4.5",    "lee2009/figure-4.9",      "lee2009/figure-4.15",     "lee2009/figure-4.16",
      "lee2009/figure-4.21",   "lee2009/figure-4.26",     "lee2009/figure-4.27",     "lee2009/figure-5.1",
      "lee2009/figure-5.2",    "lee2009/figure-5.7",      "lee2009/figure-5.8",      "lee2009/figure-6.1",
      "lee2009/figure-6.2",    "lee2009/figure-6.3",      "marghitu2013/figure-1",   "marghitu2013/figure-2",
      "marghitu2013/figure-3", "sypniewska2015/figure-1", "sypniewska2015/figure-2",
  };
  return drawings.contains(id);
}

void refuse_repeated_ids(const std::vector<PaperFigure>& figures) {
  refuse_repeated(
      figures, [](const PaperFigure& f) { return f.file_name(); }, "figure");
}

}  // namespace

int PaperFigure::curve_count() const {
  return static_cast<int>(kind == Kind::planes ? impacts.size() : runs.size() * panels.size());
}

std::string PaperFigure::file_name() const {
  std::string out = id;
  for (char& c : out)
    if (c == '.' || c == '-') c = '_';
  return out + ".svg";
}

std::vector<PaperFigure> parse_figures(const std::string& text, const std::string& file,
                                       const std::vector<ReferenceTable>& tables) {
  const Json json = parse_json(text, file);
  const JsonNode root(json, file, "");
  root.only({"about", "figures"});
  const JsonNode list = root.at("figures");
  std::vector<PaperFigure> figures;
  for (std::size_t i = 0; i < list.array().size(); ++i)
    figures.push_back(read_figure(list.element(i, fmt::format("figure {}", i + 1)), file, tables));
  refuse_repeated_ids(figures);
  return figures;
}

std::vector<PaperFigure> load_figures(const std::vector<ReferenceTable>& tables) {
  const fs::path folder = fs::path(data_folder()) / "reference" / "figures";
  const std::vector<fs::path> files = list_json_files(folder);
  std::vector<PaperFigure> figures;
  for (const fs::path& path : files)
    for (PaperFigure& f : parse_figures(read_reference_file(path), path.string(), tables))
      figures.push_back(std::move(f));
  refuse_repeated_ids(figures);
  return figures;
}

void refuse_drawings(const std::vector<std::string>& ids) {
  for (const std::string& id : ids)
    if (is_drawing(id))
      throw InputError(
          {}, fmt::format("\"{}\" is a drawing or a photograph in the paper, with nothing to compute; see "
                          "docs/guide/papers.md",
                          id));
}

std::vector<PaperFigure> select_figures(const std::vector<PaperFigure>& all,
                                        const std::vector<std::string>& ids) {
  refuse_drawings(ids);
  return select_by_ids(all, ids, "figure");
}

std::string list_text(const std::vector<PaperFigure>& figures) {
  std::size_t width = 0;
  for (const PaperFigure& f : figures) width = std::max(width, f.id.size());
  std::string out;
  for (const PaperFigure& f : figures)
    out += fmt::format("{:<{}}  {:>2} {}  {}\n", f.id, width, f.curve_count(),
                       f.kind == PaperFigure::Kind::planes ? "planes" : "curves", f.title);
  return out;
}

}  // namespace thud
