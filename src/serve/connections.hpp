#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <list>
#include <mutex>

#include "thud/base/error.hpp"

// Last: it brings a macro _res that Eigen cannot bear.
#include <httplib.h>

namespace thud::serve {

/// One client. A request has to arrive, and its answer to be taken, within a time for the whole of it: one byte now and
/// then does not keep a connection.
class Connection final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  /// The lines before a body take `most_head` bytes at most.
  Connection(socket_t socket, std::size_t most_head, Clock::duration time);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

  bool is_open() const;  ///< at both ends
  /// The lines before a body have been read.
  void take_body() { bytes_left_ = static_cast<std::size_t>(-1); }
  /// The request is there; for its answer there is so much time.
  void answer_within(Clock::duration time);
  bool is_asking() const { return asking_; }
  /// Ends it, from any thread.
  void hang_up();
  bool was_hung_up() const { return hung_up_; }

 private:
  bool wait_for(short events) const;

  socket_t socket_;
  std::size_t bytes_left_;
  Clock::time_point until_;
  std::atomic<bool> asking_ = true, hung_up_ = false;
  char buffer_[4096];
  std::size_t at_ = 0, end_ = 0;
};

/// An HTTP server on which nobody crowds out others: as many connections as there are threads for, and then the one
/// that has been asking longest has to go for a new one.
class PatientServer : public httplib::Server {
 public:
  /// A request has to arrive within this time.
  explicit PatientServer(Connection::Clock::duration time_to_ask);

  /// The connection of the request that this thread serves.
  static Connection& here();
  /// Lets more than httplib's five wait to be accepted; once bound.
  void widen_queue() { ::listen(svr_sock_, 256); }
  /// Ends all connections whose request is not there yet.
  void hang_up_on_askers();

 private:
  class Threads;
  bool process_and_close_socket(socket_t socket) override;
  void hang_up_on_oldest();

  Connection::Clock::duration time_to_ask_;
  std::atomic<bool> is_crowded_ = false;  // connections wait, and every thread has one
  std::mutex lock_;
  std::list<Connection*> open_;  // in the order in which they came
};

}  // namespace thud::serve
