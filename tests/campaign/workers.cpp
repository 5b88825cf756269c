#include "campaign/workers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace thud::campaign {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double patience =
    500;  // real time per CPU time, for a run that waits for something on a machine that is busy

struct Child {
  std::size_t task = 0;
  pid_t pid = -1;
  int pipe = -1;
  std::string said;
  Clock::time_point begun = Clock::now();
};

void limit_child(const Limits& limits) {
  const auto seconds = static_cast<rlim_t>(std::ceil(limits.seconds));
  const rlimit cpu{seconds, seconds + static_cast<rlim_t>(std::ceil(limits.grace))};
  setrlimit(RLIMIT_CPU, &cpu);
  const auto bytes = static_cast<rlim_t>(limits.gigabytes * 1e9);
  const rlimit memory{bytes, bytes};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  struct sigaction action {};
  action.sa_handler = [](int) { interrupt_run(); };
  sigaction(SIGXCPU, &action, nullptr);
}

void tell(int pipe, const Judgement& j) {
  const std::string text = fmt::format("{}\n{:.17g}\n{:.17g}\n{}\n{}", static_cast<int>(j.verdict), j.time,
                                       j.residual, j.oracle, j.message);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(pipe, text.data() + at, text.size() - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
}

Child start(std::size_t task, const Limits& limits, const std::function<std::string(std::size_t)>& make) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  Child c;
  c.task = task;
  c.pid = fork();
  if (c.pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (c.pid == 0) {
    close(ends[0]);
    limit_child(limits);
    tell(ends[1], judge(make(task)));
    _exit(0);
  }
  close(ends[1]);
  c.pipe = ends[0];
  return c;
}

Judgement end(const Child& c) {
  close(c.pipe);
  int status = 0;
  while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {
  }
  Judgement j;
  std::istringstream in(c.said);
  int verdict = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && in >> verdict >> j.time >> j.residual) {
    j.verdict = static_cast<Verdict>(verdict);
    in.get();
    std::getline(in, j.oracle);
    std::getline(in, j.message, '\0');
    return j;
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGKILL) return {Verdict::hang, "did not stop when it was told to", 0, 0, {}};
  return {Verdict::crash,
          signal ? fmt::format("ended by a signal: {}", strsignal(signal)) : "ended without an answer",
          0,
          0,
          {}};
}

// True when it has said all.
bool listen(Child& c) {
  char buffer[4096];
  const ssize_t n = read(c.pipe, buffer, sizeof buffer);
  if (n > 0) c.said.append(buffer, static_cast<std::size_t>(n));
  return n == 0 || (n < 0 && errno != EINTR);
}

}  // namespace

void judge_all(std::size_t count, int jobs, const Limits& limits,
               const std::function<std::string(std::size_t)>& make,
               const std::function<void(std::size_t, const Judgement&)>& done) {
  std::vector<Child> running;
  std::size_t next = 0;
  while (next < count || !running.empty()) {
    while (next < count && running.size() < static_cast<std::size_t>(jobs))
      running.push_back(start(next++, limits, make));
    std::vector<pollfd> polls;
    for (const Child& c : running) polls.push_back({c.pipe, POLLIN, 0});
    poll(polls.data(), polls.size(), 1000);
    for (std::size_t k = running.size(); k-- > 0;) {
      Child& c = running[k];
      if (Clock::now() - c.begun > std::chrono::duration<double>(patience * limits.seconds))
        kill(c.pid, SIGKILL);
      if (polls[k].revents == 0 || !listen(c)) continue;
      const Judgement j = end(c);
      const std::size_t task = c.task;
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(k));
      done(task, j);
    }
  }
}

Judgement judge_apart(const std::string& text, const Limits& limits) {
  Judgement out;
  judge_all(
      1, 1, limits, [&](std::size_t) { return text; }, [&](std::size_t, const Judgement& j) { out = j; });
  return out;
}

}  // namespace thud::campaign
