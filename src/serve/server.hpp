#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace thud::serve {

struct ServerOptions {
  int port = 0;                      ///< 0: any that is free
  bool or_next_port = false;         ///< where the port is taken: one of those after it, or any
  std::vector<std::string> files;    ///< scenarios beside those of the library; read again when they change
  double time_limit = 20;            ///< of one run, wall clock [s]; a sweep has ten times that
  std::size_t most_body = 2u << 20;  ///< of a request [bytes]
  int most_jobs = 8;                 ///< runs and sweeps at once
  double time_to_ask = 10;           ///< within which a request has to arrive, all of it [s]
};

/// The playground: a page and the JSON API it uses (docs/guide/web-api.md), on the loopback interface only.
///
/// Requests are served when they name this server as their Host and, where a browser sends one, as their Origin. No
/// request opens a file: those given are watched. A run ends when its time is over, when its client goes away, or with the server.
class Server {
 public:
  /// Throws InputError when the port is taken or a scenario cannot be read.
  explicit Server(const ServerOptions& options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  std::string address() const;  ///< "http://127.0.0.1:8123/"

  /// Serves until stop() is called or the flag is set.
  void run(const std::atomic<bool>* stop = nullptr);
  void stop();
  /// Runs and sweeps under way.
  int job_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thud::serve
