// The requests of the playground, answered in the page: what server.cpp sends over HTTP, these functions leave as text.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "serve/query.hpp"
#include "serve/refusal.hpp"

#define THUD_EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace thud::serve {

namespace {

std::optional<Library> library;
std::optional<SweepJob> sweep;
std::string answer;

Library read_library(const std::string& text) {
  std::vector<ServedScenario> list;
  for (const auto& s : nlohmann::json::parse(text))
    list.push_back({s.at("name"), s.at("title"), s.at("about"), s.at("text")});
  return Library(std::move(list));
}

std::string answer_to(const std::string& path, const std::string& body) {
  constexpr std::string_view one = "api/scenario/";
  if (path == "library") return library.emplace(read_library(body)).json();
  if (path == "api/library") return library->json();
  if (path.starts_with(one)) {
    const ServedScenario* found = library->find(path.substr(one.size()));
    if (!found) throw Refusal(404, "there is no such scenario in the library");
    return found->json();
  }
  if (path == "api/sweep") {
    sweep.emplace(read_sweep_query(*library, body));
    return {};
  }
  if (path == "api/sweep/next") {
    while (!sweep->is_told())
      if (std::string line = sweep->next_line(); !line.empty()) return line;
    return {};
  }
  const RunQuery query = read_run_query(*library, body);
  const std::shared_ptr<const Scenario> scenario = build(query);
  if (path == "api/run") return answer_run(*scenario, query, {});
  if (path == "api/report") return answer_document(*scenario, query, {});
  if (path == "api/csv") return answer_csv(*scenario, query, {});
  throw Refusal(404, "there is nothing here");
}

int refuse(const Refusal& refusal) {
  answer = refusal.json();
  return refusal.status();
}

}  // namespace

/// Answers a request and gives its status; the text is at thud_text().
THUD_EXPORT(thud_answer) int thud_answer(const char* path, const char* body) {
  try {
    answer = answer_to(path, body);
    return 200;
  } catch (const Refusal& r) {
    return refuse(r);
  } catch (const std::bad_alloc&) {
    return refuse(Refusal(413, "not enough memory for this"));
  } catch (const std::exception& e) {
    return refuse(Refusal(500, e.what()));
  }
}
THUD_EXPORT(thud_text) const char* thud_text() { return answer.data(); }
THUD_EXPORT(thud_size) int thud_size() { return static_cast<int>(answer.size()); }

}  // namespace thud::serve
