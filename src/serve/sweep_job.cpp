#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "draw/number_text.hpp"
#include "serve/query.hpp"
#include "serve/refusal.hpp"
#include "thud/scenario/family.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud::serve {

namespace {

// A page has one thread.
#ifdef __EMSCRIPTEN__
constexpr bool has_threads = false;
#else
constexpr bool has_threads = true;
#endif

}  // namespace

struct SweepJob::Impl {
  Impl(SweepQuery q, std::shared_ptr<std::atomic<bool>> cancel)
      : query(std::move(q)),
        values(query.size()),
        is_done(query.size()),
        cancelled(std::move(cancel)) {}

  SweepQuery query;
  std::vector<double> values;
  std::vector<std::atomic<bool>> is_done;
  std::vector<std::vector<double>> lists;  // values of the axes in SI
  std::atomic<int> next{0};
  std::shared_ptr<std::atomic<bool>> cancelled;
  std::vector<std::thread> crew;
  std::optional<ScenarioFamily> alone;  // without a crew
  int told = 0;

  ScenarioFamily make_family() const {
    std::vector<std::string> knobs;
    for (const SweepAxis& a : query.axes) knobs.push_back(a.knob);
    return ScenarioFamily::parse(query.base.text, query.base.name, query.base.set, knobs, {query.output}, {},
                                 cancelled.get());
  }

  void fill_lists(const std::vector<Knob>& knobs) {
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const Knob& knob = knobs[k];
      if (!knob.choices.empty())
        throw Refusal(422, fmt::format("knob \"{}\" is a text and cannot be an axis", knob.name));
      lists.emplace_back();
      for (int i = 0; i < query.axes[k].count; ++i) {
        const std::string text =
            fmt::format("{:.17g}{}{}", query.axes[k].value(i), knob.unit.empty() ? "" : " ", knob.unit);
        double x = read_quantity(text, si_unit_of(knob.unit), knob.name);
        // The ends are those of the range to the last digit, whatever unit they were sent in.
        if (knob.range && std::abs(x - knob.range->first) < 1e-7 * std::abs(knob.range->first))
          x = knob.range->first;
        if (knob.range && std::abs(x - knob.range->second) < 1e-7 * std::abs(knob.range->second))
          x = knob.range->second;
        lists.back().push_back(knob.integer ? std::round(x) : x);
      }
    }
  }

  // One run; false when there is none left.
  bool work(ScenarioFamily& family) {
    const int i = next++;
    if (i >= query.size() || *cancelled) return false;
    std::vector<double> point(lists.size());
    RunRequest request = query.base.request;
    request.cancel = cancelled.get();
    int rest = i;
    for (std::size_t k = 0; k < lists.size(); ++k) {
      point[k] = lists[k][static_cast<std::size_t>(rest % query.axes[k].count)];
      rest /= query.axes[k].count;
    }
    try {
      family.run(point, &values[static_cast<std::size_t>(i)], request);
    } catch (const Cancelled&) {
      return false;
    }
    is_done[static_cast<std::size_t>(i)].store(true, std::memory_order_release);
    return true;
  }

  void work_a_while() {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::milliseconds(50);
    while (work(*alone) && Clock::now() < until) {
    }
  }
};

SweepJob::SweepJob(SweepQuery query, std::shared_ptr<std::atomic<bool>> cancelled)
    : impl_(std::make_unique<Impl>(std::move(query), std::move(cancelled))) {
  try {
    std::vector<ScenarioFamily> families;
    families.push_back(impl_->make_family());
    impl_->fill_lists(families.front().knobs());
    if (!has_threads) {
      impl_->alone = std::move(families.front());
      return;
    }
    const unsigned workers = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
    while (families.size() < workers) families.push_back(impl_->make_family());
    for (ScenarioFamily& f : families)
      impl_->crew.emplace_back([impl = impl_.get(), family = std::move(f)]() mutable {
        while (impl->work(family)) {
        }
      });
  } catch (const InputError& e) {
    throw Refusal(422, e.message(), e.place().line, e.place().column);
  }
}

SweepJob::~SweepJob() {
  cancel();
  for (std::thread& t : impl_->crew) t.join();
}

int SweepJob::size() const { return impl_->query.size(); }
void SweepJob::cancel() { *impl_->cancelled = true; }
bool SweepJob::is_told() const { return impl_->told == size(); }

std::string SweepJob::next_line() {
  if (impl_->alone) impl_->work_a_while();
  const int from = impl_->told;
  int to = from;
  while (to < size() && impl_->is_done[static_cast<std::size_t>(to)].load(std::memory_order_acquire)) ++to;
  if (to == from) return {};
  impl_->told = to;
  std::string out = fmt::format(R"({{"done":{},"total":{},"from":{},"values":)", to, size(), from);
  append_numbers(out, {impl_->values.begin() + from, impl_->values.begin() + to}, 9);
  return out + "}\n";
}

}  // namespace thud::serve
