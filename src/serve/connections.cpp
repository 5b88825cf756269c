#include "serve/connections.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

namespace thud::serve {

namespace {

constexpr std::size_t most_threads = 128;
constexpr std::size_t largest_head = 64 << 10;  // [bytes]

thread_local Connection* served = nullptr;

void take_address(const sockaddr_in& from, std::string& ip, int& port) {
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &from.sin_addr, text, sizeof text);
  ip = text;
  port = ntohs(from.sin_port);
}

}  // namespace

// ---- one connection ----------------------------------------------------------------------------------------------

Connection::Connection(socket_t socket, std::size_t most_head, Clock::duration time)
    : socket_(socket),
      bytes_left_(most_head),
      until_(Clock::now() + time) {}

bool Connection::wait_for(short events) const {
  pollfd wanted{socket_, events, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
    const int n = ::poll(&wanted, 1, static_cast<int>(std::clamp<long>(left.count(), 0, 1'000'000)));
    if (n < 0 && errno == EINTR) continue;
    return n > 0 && !hung_up_;
  }
}

bool Connection::is_open() const {
  char next = 0;
  const ssize_t n = ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

bool Connection::is_readable() const { return at_ < end_ || wait_for(POLLIN); }
bool Connection::is_writable() const { return wait_for(POLLOUT) && is_open(); }

ssize_t Connection::read(char* to, std::size_t size) {
  if (at_ == end_) {
    if (bytes_left_ == 0 || !wait_for(POLLIN)) return -1;
    const ssize_t n = ::recv(socket_, buffer_, std::min(sizeof buffer_, bytes_left_), 0);
    if (n <= 0) return n;
    at_ = 0;
    end_ = static_cast<std::size_t>(n);
    bytes_left_ -= end_;
  }
  const std::size_t n = std::min(size, end_ - at_);
  std::memcpy(to, buffer_ + at_, n);
  at_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t Connection::write(const char* from, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    if (!wait_for(POLLOUT)) return -1;
    const ssize_t n = ::send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return -1;
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(size);
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    take_address(address, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    take_address(address, ip, port);
}

void Connection::answer_within(Clock::duration time) {
  until_ = Clock::now() + time;
  asking_ = false;
}

void Connection::hang_up() {
  hung_up_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

// ---- all of them -------------------------------------------------------------------------------------------------

// A thread for each connection, made when it is needed and kept.
class PatientServer::Threads : public httplib::TaskQueue {
 public:
  explicit Threads(PatientServer& server) : server_(server) {}

  void enqueue(std::function<void()> task) override {
    bool is_full = false;
    {
      const std::lock_guard hold(lock_);
      tasks_.push_back(std::move(task));
      if (tasks_.size() > idle_) {
        is_full = threads_.size() >= most_threads;
        if (!is_full) threads_.emplace_back([this] { work(); });
      }
      server_.is_crowded_ = is_full;
    }
    wake_.notify_one();
    if (is_full) server_.hang_up_on_oldest();
  }

  void shutdown() override {
    server_.hang_up_on_askers();
    {
      const std::lock_guard hold(lock_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

 private:
  void work() {
    std::unique_lock hold(lock_);
    while (true) {
      ++idle_;
      wake_.wait(hold, [&] { return ended_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      server_.is_crowded_ = !tasks_.empty() && idle_ == 0 && threads_.size() >= most_threads;
      hold.unlock();
      task();
      hold.lock();
    }
  }

  PatientServer& server_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ended_ = false;
};

PatientServer::PatientServer(Connection::Clock::duration time_to_ask) : time_to_ask_(time_to_ask) {
  new_task_queue = [this] { return new Threads(*this); };
}

Connection& PatientServer::here() { return *served; }

bool PatientServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, largest_head, time_to_ask_);
  std::list<Connection*>::iterator place;
  {
    const std::lock_guard hold(lock_);
    place = open_.insert(open_.end(), &connection);
  }
  // Others still wait for a thread: those that came before may not have been here yet to be hung up on.
  if (is_crowded_) hang_up_on_oldest();
  served = &connection;
  // One request per connection: idle ones would each hold a thread.
  bool is_closed = false;
  const bool done = process_request(connection, true, is_closed, nullptr);
  served = nullptr;
  {
    const std::lock_guard hold(lock_);
    open_.erase(place);
  }
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return done;
}

void PatientServer::hang_up_on_oldest() {
  const std::lock_guard hold(lock_);
  const auto oldest = std::find_if(open_.begin(), open_.end(),
                                   [](Connection* c) { return c->is_asking() && !c->was_hung_up(); });
  if (oldest != open_.end()) (*oldest)->hang_up();
}

void PatientServer::hang_up_on_askers() {
  const std::lock_guard hold(lock_);
  for (Connection* c : open_)
    if (c->is_asking()) c->hang_up();
}

}  // namespace thud::serve
