#include "study/crew.hpp"

#include <fmt/format.h>

#include <cstring>

#include "thud/store/file.hpp"

namespace thud {

namespace {

// Every message begins with one of these.
enum Tag : char {
  hello = 'H',      // + Greeting: ready to compute
  complaint = 'E',  // + text: cannot take part
  piece = 'R',      // + RunRange: compute this
  result = 'C',     // + encoded chunk
  nothing = 'N',    // a piece of which nothing was computed
  halt = 'X',       // stop computing
  farewell = 'S',   // go home
  goodbye = 'G',    // the answer to that, and the last message
};

struct Greeting {
  std::uint64_t identity;
  std::int64_t threads;
};

template <class T>
std::string make_message(Tag tag, const T& body) {
  std::string out(1, tag);
  out.append(reinterpret_cast<const char*>(&body), sizeof body);
  return out;
}

template <class T>
T body_of(const std::string& message) {
  T body{};
  std::memcpy(&body, message.data() + 1, std::min(sizeof body, message.size() - 1));
  return body;
}

std::uint64_t fingerprint(const SweepIdentity& identity) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : encode(identity)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

// ---- process 0 ---------------------------------------------------------------------------------------------------

Crew::Crew(Machines* machines, const SweepIdentity& identity)
    : machines_(machines),
      identity_(fingerprint(identity)),
      members_(machines ? machines->size() : 0) {}

int Crew::threads() const {
  int sum = 0;
  for (const Member& m : members_) sum += m.threads;
  return sum;
}

int Crew::outstanding() const {
  int sum = 0;
  for (const Member& m : members_) sum += m.outstanding;
  return sum;
}

void Crew::feed(RunQueue& queue) {
  for (std::size_t i = 1; i < members_.size(); ++i)
    while (members_[i].outstanding < 2 * members_[i].threads && queue.left() > 0) {
      machines_->send(static_cast<int>(i), make_message(piece, queue.next()));
      ++members_[i].outstanding;
    }
}

void Crew::cancel() {
  for (std::size_t i = 1; i < members_.size(); ++i)
    if (members_[i].threads > 0) machines_->send(static_cast<int>(i), std::string(1, halt));
}

std::optional<std::string> Crew::take() {
  int from = 0;
  std::string message;
  while (machines_ && machines_->receive(from, message)) {
    Member& member = members_[static_cast<std::size_t>(from)];
    switch (message.empty() ? '\0' : message[0]) {
      case hello: {
        const auto greeting = body_of<Greeting>(message);
        if (greeting.identity != identity_)
          throw InputError({},
                           fmt::format("process {} has another study, scenario or version of thud", from));
        member.threads = static_cast<int>(greeting.threads);
        break;
      }
      case complaint: throw InputError({}, fmt::format("process {}: {}", from, message.substr(1)));
      case nothing:
        --member.outstanding;
        interrupted_ = true;
        break;
      case result: {
        --member.outstanding;
        std::string bytes = message.substr(1);
        if (encoded_size(bytes) == bytes.size()) return bytes;
        throw OutputError(fmt::format("what process {} sent is damaged", from));
      }
      default: break;
    }
  }
  return std::nullopt;
}

void dismiss(Machines& machines) {
  for (int i = 1; i < machines.size(); ++i) machines.send(i, std::string(1, farewell));
  // Somebody may be sending a chunk, and cannot hear us until it is taken.
  const auto start = std::chrono::steady_clock::now();
  int from = 0, staying = machines.size() - 1;
  std::string message;
  while (staying > 0 && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    if (!machines.receive(from, message))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    else if (!message.empty() && message[0] == goodbye)
      --staying;
  }
  if (staying > 0) machines.leave(true);
}

// ---- the others --------------------------------------------------------------------------------------------------

namespace {

void send_chunk(Machines& machines, const SweepChunk& chunk) {
  if (chunk.count() == 0)
    machines.send(0, std::string(1, nothing));
  else
    machines.send(0, std::string(1, result) + encode(chunk));
}

void wait_for_farewell(Machines& machines) {
  int from = 0;
  std::string message;
  while (true) {
    if (!machines.receive(from, message))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    else if (message[0] == farewell)
      return;
  }
}

void compute_for(Machines& machines, const Study& study, int jobs, const std::atomic<bool>* cancel) {
  std::atomic<bool> stop = false;
  WorkerPool pool(study, jobs, &stop);
  machines.send(0, make_message(hello, Greeting{fingerprint(identity_of(study)), jobs}));
  int from = 0;
  std::string message;
  while (true) {
    if (cancel && *cancel) stop = true;
    while (machines.receive(from, message)) {
      if (message[0] == halt || message[0] == farewell) stop = true;
      if (message[0] == farewell) return;
      if (message[0] == piece) pool.submit(body_of<RunRange>(message));
    }
    if (const auto chunk = pool.take(std::chrono::milliseconds(1))) send_chunk(machines, *chunk);
  }
}

}  // namespace

void serve_sweep(Machines& machines, const std::function<Study()>& load, int jobs,
                 const std::atomic<bool>* cancel) {
  try {
    compute_for(machines, load(), std::max(jobs, 1), cancel);
  } catch (const std::exception& e) {
    machines.send(0, std::string(1, complaint) + e.what());
    wait_for_farewell(machines);
  }
  machines.send(0, std::string(1, goodbye));
}

}  // namespace thud
