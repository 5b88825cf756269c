#include "thud/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/bundle.hpp"
#include "report/json_parts.hpp"
#include "thud/base/format.hpp"
#include "thud/report/scene.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

using namespace json_parts;

namespace {

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

// Nothing in the data may end the element that holds it.
std::string escape_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

void put(std::string& page, std::string_view mark, const std::string& text) {
  const auto at = page.find(mark);
  if (at == std::string::npos)
    throw std::logic_error("the bundle of the web page has no " + std::string(mark));
  page.replace(at, mark.size(), text);
}

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json document(const char* kind) { return {{"kind", kind}, {"thud", THUD_VERSION}}; }

}  // namespace

std::string make_page(std::string_view title, std::string_view data) {
  std::string page(web_bundle());
  put(page, "<title>thud</title>", "<title>" + escape_html(title) + "</title>");
  put(page, R"(<script type="application/json" id="thud-data">null</script>)",
      R"(<script type="application/json" id="thud-data">)" + escape_script(data) + "</script>");
  return page;
}

std::string make_live_page(std::string_view title, std::string_view data, std::string_view engine) {
  std::string page = make_page(title, data);
  put(page, "script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:");
  constexpr std::string_view mark = R"(<script type="application/json" id="thud-data">)";
  put(page, mark,
      fmt::format("<script type=\"text/plain\" id=\"thud-engine\">{}</script>\n{}", engine, mark));
  return page;
}

std::string make_run_document(const Scenario& s, const RunResult& run, const FrameRecorder& frames) {
  std::string data = compact(document("run"));
  data.pop_back();
  data += ",\"scene\":" + make_scene_json(s) + ",\"run\":";
  return data + make_frames_json(s, run, frames, choose_columns(s, frames.frame_count())) + "}";
}

std::string make_run_report(const Scenario& s, const RunResult& run, const FrameRecorder& frames) {
  return make_page(s.title, make_run_document(s, run, frames));
}

std::string make_runs_report(std::span<const ReportRun> runs) {
  std::string list;
  for (const ReportRun& r : runs) {
    // Together they are to take as much room as one.
    const std::vector<NamedObservable> columns =
        choose_columns(r.scenario, runs.size() * r.frames.frame_count());
    list += fmt::format(R"({}{{"label":{},"scene":{},"run":{}}})", list.empty() ? "" : ",",
                        compact(Json(r.label)), make_scene_json(r.scenario),
                        make_frames_json(r.scenario, r.result, r.frames, columns));
  }
  std::string data = compact(document("runs"));
  data.pop_back();
  return make_page(runs.front().scenario.title, data + ",\"runs\":[" + list + "]}");
}

std::string make_reproduce_report(const Reproduction& result) {
  Json data = document("reproduce");
  data["reproduction"] = Json::parse(to_json(result));
  return make_page("Published tables, reproduced", compact(data));
}

namespace {

constexpr std::int64_t most_runs_shown = 40'000;

Json column_json(const SweepFile& results, std::size_t c, std::int64_t stride) {
  const SweepColumn& column = results.columns()[c];
  std::vector<double> values(static_cast<std::size_t>(results.runs()));
  results.read(c, 0, values);
  const std::string unit = column.is_knob ? column.shown_in : column.unit;
  Json list = Json::array();
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(stride)) {
    const bool converts = column.is_knob && !unit.empty() && column.choices.empty();
    list.push_back(
        number(leading_number(fmt::format("{:.8g}", converts ? in_unit(values[i], unit) : values[i]))));
  }
  Json out = {{"name", column.name}, {"unit", unit}, {"about", column.about}, {"knob", column.is_knob}};
  if (!column.choices.empty()) out["choices"] = column.choices;
  out["values"] = list;
  return out;
}

Json plots_json(const Study& study) {
  Json out = Json::array();
  for (const StudyPlot& p : study.plots)
    out.push_back({{"kind", p.kind == StudyPlot::Kind::map ? "map" : "curves"},
                   {"title", p.title},
                   {"x", p.x},
                   {"y", p.y},
                   {"z", p.z},
                   {"by", p.by}});
  return out;
}

}  // namespace

std::string make_sweep_report(const Study& study, const SweepReport& report, const SweepFile& results) {
  Json data = document("sweep");
  data["title"] = study.title;
  data["about"] = study.about;
  data["text"] = study.text;
  data["scenario"] = {{"name", study.scenario}, {"text", study.scenario_text}};
  Json summary = Json::parse(to_json(study, report));
  for (const char* key : {"seconds", "threads", "file", "journal", "computed"}) summary.erase(key);
  data["summary"] = summary;
  const std::int64_t stride =
      std::max<std::int64_t>(1, (results.runs() + most_runs_shown - 1) / most_runs_shown);
  data["stride"] = stride;
  data["grid"] = study.design.kind == Design::Kind::grid && stride == 1;
  data["columns"] = Json::array();
  for (std::size_t c = 0; c < results.columns().size(); ++c)
    data["columns"].push_back(column_json(results, c, stride));
  data["plots"] = plots_json(study);
  return make_page(study.title, compact(data));
}

std::string make_fit_report(const FitStudy& study, const FitResult& result) {
  Json data = document("fit");
  data["text"] = study.study.text;
  data["scenario_title"] = study.scenario_title;
  Json fit = Json::parse(to_json(result));
  for (std::size_t k = 0; k < result.estimates.size(); ++k) {
    const FitEstimate& e = result.estimates[k];
    const auto shown = [&](double x) { return number(e.knob.unit.empty() ? x : in_unit(x, e.knob.unit)); };
    Json& j = fit["estimates"][k];
    j["about"] = e.knob.about;
    j["shown"] = shown(e.value);
    j["shown_start"] = shown(e.start);
    if (e.interval) j["shown_interval"] = {shown(e.interval->first), shown(e.interval->second)};
  }
  for (std::size_t k = 0; k < result.residuals.size(); ++k) {
    fit["residuals"][k]["curve_time"] = result.residuals[k].curve_time;
    fit["residuals"][k]["curve"] = result.residuals[k].curve;
  }
  data["fit"] = fit;
  return make_page(result.title, compact(data));
}

}  // namespace thud
