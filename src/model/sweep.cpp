#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "model/model_impl.hpp"
#include "study/workers.hpp"
#include "thud/scenario/family.hpp"

namespace thud {

namespace {

constexpr std::uint8_t not_computed = 5;
constexpr std::int64_t most_runs = 1'000'000'000;

using Clock = std::chrono::steady_clock;

// As --set would have it: a text for the messages about it.
std::string text_of(const Knob& knob, double value) {
  const auto index = static_cast<std::size_t>(value);
  const bool is_choice = !knob.choices.empty() && value >= 0 && index < knob.choices.size();
  return is_choice ? knob.choices[index] : fmt::format("{:.17g}", value);
}

bool is_plain(const Knob& knob, double x) {
  if (!knob.choices.empty())
    return x >= 0 && x < static_cast<double>(knob.choices.size()) && x == std::floor(x);
  return std::isfinite(x) && (!knob.integer || x == std::round(x))
      && (!knob.range || (x >= knob.range->first && x <= knob.range->second));
}

}  // namespace

struct Sweep::Impl {
  std::vector<Axis> axes;
  std::vector<Knob> knobs;
  std::vector<ColumnInfo> outputs;
  std::vector<std::vector<double>> values;  // per output
  std::vector<std::uint8_t> status;
  std::map<std::size_t, std::string> messages;
  bool cancelled = false;
  double seconds = 0;
  int workers = 0;

  // Checks what is asked for, completes the study with the knobs, and makes room.
  void prepare(const Model& model, const std::vector<Axis>& grid, Study& study) {
    const ScenarioFamily family = ScenarioFamily::parse(study.scenario_text, study.file, study.set,
                                                        study.varied_names(), study.outputs, study.own);
    axes = grid;
    knobs = family.knobs();
    std::size_t size = 1;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      study.vary[k].knob = knobs[k];
      for (const double x : axes[k].values)
        if (!is_plain(knobs[k], x)) Model(model).set(knobs[k].name, text_of(knobs[k], x));
      size *= axes[k].values.size();
    }
    for (const FamilyOutput& o : family.outputs()) outputs.push_back({o.name, o.unit, o.about});
    values.assign(outputs.size(), std::vector<double>(size, std::numeric_limits<double>::quiet_NaN()));
    status.assign(size, not_computed);
  }

  void keep(const SweepChunk& chunk) {
    const auto first = static_cast<std::size_t>(chunk.first);
    for (std::size_t i = 0; i < chunk.status.size(); ++i) {
      status[first + i] = static_cast<std::uint8_t>(chunk.status[i]);
      for (std::size_t k = 0; k < chunk.width; ++k) values[k][first + i] = chunk.outputs[i * chunk.width + k];
    }
    for (const auto& [run, text] : chunk.messages) messages[first + run] = text;
  }

  void compute(const Study& study, const GridOptions& options) {
    const auto size = static_cast<std::int64_t>(status.size());
    const int most = options.jobs > 0 ? options.jobs : tbb::info::default_concurrency();
    workers = static_cast<int>(std::min<std::int64_t>(most, size));
    WorkerPool pool(study, workers, options.run.cancel);
    RunQueue queue({{0, size}}, workers);
    const auto is_cancelled = [&] { return options.run.cancel && *options.run.cancel; };
    std::int64_t done = 0;
    while (true) {
      while (!is_cancelled() && pool.outstanding() < 2 * workers && queue.left() > 0)
        pool.submit(queue.next());
      if (pool.outstanding() == 0) break;
      const auto chunk = pool.take(std::chrono::milliseconds(100));
      if (!chunk) continue;
      keep(*chunk);
      done += chunk->count();
      queue.learn(chunk->count(), chunk->seconds);
      if (options.progress) options.progress(done, size);
    }
    cancelled = done < size;
  }
};

Axis Model::axis(const std::string& knob, const std::vector<std::string>& values) const {
  Axis out{knob, {}};
  for (const std::string& value : values) {
    Model at = *this;
    at.set(knob, value);
    for (const Knob& k : at.knobs()) {
      if (k.name != knob) continue;
      const auto choice = std::find(k.choices.begin(), k.choices.end(), k.text);
      out.values.push_back(k.choices.empty() ? k.value : static_cast<double>(choice - k.choices.begin()));
    }
  }
  return out;
}

namespace {

// The axes as a study that `thud sweep` could run.
Study make_study(const Model& model, const std::vector<Axis>& axes, std::vector<std::string> outputs) {
  if (axes.empty()) throw InputError({}, "a sweep needs at least one axis");
  Study study;
  study.name = model.name();
  study.file = model.file();
  study.scenario_text = model.text();
  study.title = model.title();
  study.outputs = std::move(outputs);
  if (study.outputs.empty())
    for (const ColumnInfo& r : model.results()) study.outputs.push_back(r.name);
  if (study.outputs.empty())
    throw InputError(
        {}, fmt::format("scenario \"{}\" has no results of its own: name some outputs", model.name()));
  study.set = model.settings();
  std::int64_t runs = 1;
  for (const Axis& axis : axes) {
    const Place place{axis.knob};
    if (study.find_varied(axis.knob)) throw InputError(place, "is an axis twice");
    if (axis.values.empty()) throw InputError(place, "an axis needs at least one value");
    const auto n = static_cast<std::int64_t>(axis.values.size());
    if (runs > most_runs / n) throw InputError(place, "the grid has more than 1e9 points");
    runs *= n;
    std::erase_if(study.set, [&](const auto& setting) { return setting.first == axis.knob; });
    VariedKnob varied;
    varied.knob.name = axis.knob;
    varied.distribution.kind = Distribution::Kind::list;
    varied.distribution.list = axis.values;
    varied.place = place;
    study.vary.push_back(std::move(varied));
  }
  return study;
}

}  // namespace

Sweep Model::sweep(const std::vector<Axis>& axes, std::vector<std::string> outputs,
                   const GridOptions& options) const {
  const auto start = Clock::now();
  auto impl = std::make_shared<Sweep::Impl>();
  {
    Study study = make_study(*this, axes, std::move(outputs));
    study.own = impl_->own;
    study.request = make_request(options.run, *impl_->scenario());
    impl->prepare(*this, axes, study);
    impl->compute(study, options);
  }
  impl->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return Sweep(impl);
}

Sweep::Sweep(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::vector<Axis>& Sweep::axes() const { return impl_->axes; }
const std::vector<Knob>& Sweep::knobs() const { return impl_->knobs; }
const std::vector<ColumnInfo>& Sweep::outputs() const { return impl_->outputs; }
std::size_t Sweep::size() const { return impl_->status.size(); }
std::span<const std::uint8_t> Sweep::status() const { return impl_->status; }
bool Sweep::cancelled() const { return impl_->cancelled; }
double Sweep::seconds() const { return impl_->seconds; }
int Sweep::workers() const { return impl_->workers; }

std::span<const double> Sweep::column(std::string_view output) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < impl_->outputs.size(); ++k) {
    if (impl_->outputs[k].name == output) return impl_->values[k];
    known.push_back(impl_->outputs[k].name);
  }
  throw InputError({}, fmt::format("the sweep has no output \"{}\"{} (outputs: {})", output,
                                   did_you_mean(output, known), one_of(known)));
}

std::string Sweep::message(std::size_t run) const {
  const auto found = impl_->messages.find(run);
  return found == impl_->messages.end() ? "" : found->second;
}

}  // namespace thud
