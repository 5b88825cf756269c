#include "campaign/shrink.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace thud::campaign {

namespace {

constexpr int most_trials = 1500;
constexpr double most_seconds = 240;

class Shrinker {
 public:
  Shrinker(const std::string& text, const Judgement& failure, const Limits& limits, int jobs)
      : best_{text, failure},
        failure_(failure),
        limits_(limits),
        jobs_(static_cast<std::size_t>(jobs)) {
    // A third of the time tells what is slow; in the end the whole does.
    if (failure.verdict == Verdict::slow) limits_.seconds = std::ceil(limits.seconds / 3);
  }

  Shrunk go() {
    std::string before;
    while (before != best_.text && !spent()) {
      before = best_.text;
      for (const auto pass :
           {without_bodies, without_tables, without_lines, without_entries, with_round_numbers})
        improve(pass);
    }
    return best_;
  }

 private:
  bool spent() const {
    return best_.trials > most_trials
        || std::chrono::steady_clock::now() - begun_ > std::chrono::duration<double>(most_seconds);
  }
  bool is_same(const Judgement& j) const {
    if (kind_of(j) != kind_of(failure_)) return false;
    return j.verdict != Verdict::residual || j.residual > 0.3 * failure_.residual;  // as clear as it was
  }

  // Takes the first that fails as before, and goes on behind it.
  void improve(std::vector<std::string> (*pass)(const std::string&)) {
    std::vector<std::string> list = pass(best_.text);
    for (std::size_t at = 0; at < list.size() && !spent();) {
      const std::size_t count = std::min(jobs_, list.size() - at);
      std::vector<Judgement> judged(count);
      judge_all(
          count, static_cast<int>(jobs_), limits_, [&](std::size_t k) { return list[at + k]; },
          [&](std::size_t k, const Judgement& j) { judged[k] = j; });
      best_.trials += static_cast<int>(count);
      const auto hit =
          std::find_if(judged.begin(), judged.end(), [&](const Judgement& j) { return is_same(j); });
      if (hit == judged.end()) {
        at += count;
        continue;
      }
      at += static_cast<std::size_t>(hit - judged.begin());
      best_.text = list[at], best_.judgement = *hit;
      list = pass(best_.text);
    }
  }

  Shrunk best_;
  Judgement failure_;
  Limits limits_;
  std::size_t jobs_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace

Shrunk shrink(const std::string& text, const Judgement& failure, const Limits& limits, int jobs) {
  Shrunk out = Shrinker(text, failure, limits, jobs).go();
  if (failure.verdict != Verdict::slow || out.text == text) return out;
  out.judgement = judge_apart(out.text, limits);
  if (out.judgement.verdict != Verdict::slow) return {text, failure, out.trials};
  return out;
}

}  // namespace thud::campaign
