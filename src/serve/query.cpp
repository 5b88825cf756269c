#include "serve/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "serve/refusal.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/html.hpp"
#include "thud/report/scene.hpp"
#include "thud/scenario/request.hpp"

namespace thud::serve {

using Json = nlohmann::json;

std::string Refusal::json() const {
  nlohmann::ordered_json error = {{"message", what()}};
  if (line_ > 0) {
    error["line"] = line_;
    error["column"] = column_;
  }
  return nlohmann::ordered_json{{"error", error}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

// The page has sliders and lists where the command line has options.
std::string in_words_of_page(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {" (thud run FILE --list-observables shows them all)", " (the lists above the plots show them all)"},
      {"parameter \"", "knob \""},
      {"(parameters: ", "(knobs: "},
  };
  for (const auto& [command_line, page] : words)
    if (const auto at = text.find(command_line); at != std::string::npos)
      text.replace(at, command_line.size(), page);
  return text;
}

constexpr std::size_t live_frames = 500;
constexpr int most_state = 4000;
constexpr std::size_t most_contacts = 1000;
constexpr const char* text_name = "scenario.toml";

Json parse_body(const std::string& body) {
  Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) throw Refusal(400, "the body is not JSON");
  if (!json.is_object()) throw Refusal(400, "the body must be a JSON object");
  return json;
}

std::string read_string(const Json& json, const char* key) {
  if (!json.at(key).is_string()) throw Refusal(400, fmt::format("\"{}\" must be a text", key));
  return json.at(key).get<std::string>();
}

double read_number(const Json& json, const char* key) {
  if (!json.contains(key) || !json.at(key).is_number())
    throw Refusal(400, fmt::format("\"{}\" must be a number", key));
  return json.at(key).get<double>();
}

void check_keys(const Json& json, const std::vector<std::string>& known) {
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Refusal(400, fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, known)));
}

KnobSettings read_set(const Json& json) {
  KnobSettings out;
  if (!json.contains("set")) return out;
  if (!json.at("set").is_object()) throw Refusal(400, "\"set\" must be an object");
  for (const auto& [name, value] : json.at("set").items()) {
    if (value.is_string())
      out.emplace_back(name, value.get<std::string>());
    else if (value.is_number())
      out.emplace_back(name, fmt::format("{:.17g}", value.get<double>()));
    else
      throw Refusal(400, fmt::format("the value of knob \"{}\" must be a text or a number", name));
  }
  return out;
}

// What a live report was run with.
void read_solver(const Json& json, RunRequest& request) {
  try {
    if (json.contains("tolerance"))
      request.tolerance = checked_tolerance(read_number(json, "tolerance"), "tolerance");
    if (json.contains("method")) request.method = read_method(read_string(json, "method"), "method");
    if (json.contains("step")) request.step = checked_duration(read_number(json, "step"), "step");
  } catch (const InputError& e) {
    throw Refusal(400, e.what());
  }
}

RunQuery read_base(const Library& library, const Json& json) {
  RunQuery q;
  if (json.contains("scenario") == json.contains("text"))
    throw Refusal(400, "give either \"scenario\", a name of the library, or \"text\"");
  if (json.contains("scenario")) {
    const std::string name = read_string(json, "scenario");
    const ServedScenario* found = library.find(name);
    if (!found) throw Refusal(404, fmt::format("there is no scenario \"{}\" in the library", name));
    q.name = found->name + ".toml";
    q.text = found->text;
  } else {
    q.name = text_name;
    q.text = read_string(json, "text");
  }
  q.set = read_set(json);
  if (json.contains("until")) {
    if (read_string(json, "until") != "rest") throw Refusal(400, "the only choice of \"until\" is \"rest\"");
    q.request.until_rest = true;
  }
  if (json.contains("time")) {
    const double time = read_number(json, "time");
    if (!(time > 0 && time <= 1e6)) throw Refusal(400, "\"time\" must be above 0 and at most 1e6 s");
    q.request.time_limit = time;
  }
  read_solver(json, q.request);
  return q;
}

}  // namespace

RunQuery read_run_query(const Library& library, const std::string& body) {
  const Json json = parse_body(body);
  check_keys(json, {"scenario", "text", "set", "until", "time", "tolerance", "method", "step", "columns"});
  RunQuery q = read_base(library, json);
  if (!json.contains("columns")) return q;
  if (!json.at("columns").is_array() || json.at("columns").size() > 200)
    throw Refusal(400, "\"columns\" must be an array of at most 200 names");
  for (const Json& name : json.at("columns")) {
    if (!name.is_string()) throw Refusal(400, "\"columns\" must hold names");
    q.columns.push_back(name.get<std::string>());
  }
  return q;
}

int SweepQuery::size() const {
  int n = 1;
  for (const SweepAxis& a : axes) n *= a.count;
  return n;
}

SweepQuery read_sweep_query(const Library& library, const std::string& body) {
  const Json json = parse_body(body);
  check_keys(json, {"scenario", "text", "set", "until", "time", "tolerance", "method", "step", "columns",
                    "vary", "output"});
  SweepQuery q;
  q.base = read_base(library, json);
  if (!json.contains("output")) throw Refusal(400, "\"output\" is missing");
  q.output = read_string(json, "output");
  if (!json.contains("vary") || !json.at("vary").is_array() || json.at("vary").empty()
      || json.at("vary").size() > 2)
    throw Refusal(400, "\"vary\" must be an array of one or two axes");
  for (const Json& axis : json.at("vary")) {
    if (!axis.is_object() || !axis.contains("knob"))
      throw Refusal(400, "an axis is {\"knob\", \"low\", \"high\", \"count\"}");
    check_keys(axis, {"knob", "low", "high", "count"});
    const double count = read_number(axis, "count");
    if (!(count >= 2 && count <= 1000 && count == std::floor(count)))
      throw Refusal(400, "\"count\" must be a whole number from 2 to 1000");
    q.axes.push_back({read_string(axis, "knob"), read_number(axis, "low"), read_number(axis, "high"),
                      static_cast<int>(count)});
  }
  if (q.size() > most_sweep_runs)
    throw Refusal(
        400,
        fmt::format(
            "{} runs are too many for the page: {} at most (the program's own sweeps have no such limit)",
            q.size(), most_sweep_runs));
  return q;
}

std::shared_ptr<const Scenario> build(const RunQuery& q, const std::atomic<bool>* cancel) {
  try {
    auto s = std::make_shared<Scenario>(parse_scenario(q.text, q.name, q.set, cancel));
    if (s->system->state_size() > most_state)
      throw Refusal(422,
                    fmt::format("the mechanism has {} state variables, too many for the page: {} at most",
                                s->system->state_size(), most_state));
    if (s->system->contacts().size() > most_contacts)
      throw Refusal(422, fmt::format("there are {} contacts, too many for the page: {} at most",
                                     s->system->contacts().size(), most_contacts));
    check_step(q.request, *s, "step", "give a method with a fixed step too");
    return s;
  } catch (const InputError& e) {
    const Place place = e.place();
    // A part that the text includes has lines of its own.
    const bool is_ours =
        place.file.empty() || place.file == q.name || place.file.starts_with("--set ") || place.line > 0;
    throw Refusal(422, in_words_of_page(is_ours ? e.message() : e.what()), place.line, place.column);
  }
}

namespace {

RunResult run_within(const Scenario& s, const RunQuery& q, const RunLimits& limits, StepObserver* observer) {
  RunRequest request = q.request;
  request.cancel = limits.cancel;
  request.observer = observer;
  RunResult result = run(s, request);
  if (result.outcome.reason == StopReason::cancelled && limits.cancel_reason)
    result.reason = *limits.cancel_reason;
  return result;
}

std::vector<NamedObservable> live_columns(const Scenario& s, const std::vector<std::string>& wanted) {
  std::vector<NamedObservable> out;
  for (const NamedObservable& o : s.observables) {
    const bool is_wanted = o.name.starts_with("energy.")
                        || std::find(s.plot.begin(), s.plot.end(), o.name) != s.plot.end()
                        || std::find(wanted.begin(), wanted.end(), o.name) != wanted.end();
    if (is_wanted) out.push_back(o);
  }
  return out;
}

}  // namespace

std::string answer_run(const Scenario& s, const RunQuery& q, const RunLimits& limits) {
  FrameRecorder frames(*s.system, live_frames);
  const RunResult result = run_within(s, q, limits, &frames);
  frames.finish(result.outcome);
  return "{\"scene\":" + make_scene_json(s)
       + ",\"run\":" + make_frames_json(s, result, frames, live_columns(s, q.columns)) + "}\n";
}

std::string answer_report(const Scenario& s, const RunQuery& q, const RunLimits& limits) {
  FrameRecorder frames(*s.system);
  const RunResult result = run_within(s, q, limits, &frames);
  frames.finish(result.outcome);
  return make_run_report(s, result, frames);
}

std::string answer_document(const Scenario& s, const RunQuery& q, const RunLimits& limits) {
  FrameRecorder frames(*s.system);
  const RunResult result = run_within(s, q, limits, &frames);
  frames.finish(result.outcome);
  return make_run_document(s, result, frames);
}

std::string answer_csv(const Scenario& s, const RunQuery& q, const RunLimits& limits) {
  const Sampling sampling = s.sample > 0 ? Sampling{Sampling::Kind::uniform, s.sample} : Sampling{};
  TrajectoryRecorder recorder(*s.system, sampling, std::size_t{64} << 20);
  const RunResult result = run_within(s, q, limits, &recorder);
  recorder.finish(result.outcome);
  std::string out;
  if (recorder.is_truncated())
    out = fmt::format("# cut at t = {:.6g} s: there is no room for more rows; sample less often\n",
                      recorder.recorded_until());
  write_trajectory_csv(recorder, s.observables, [&](std::string_view text) { out += text; });
  return out;
}

}  // namespace thud::serve
