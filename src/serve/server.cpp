#include "serve/server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "serve/query.hpp"
#include "serve/refusal.hpp"
#include "thud/base/error.hpp"
#include "thud/report/html.hpp"

// Last: it brings httplib's macro _res that Eigen cannot bear.
#include "serve/connections.hpp"

namespace thud::serve {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using CancelFlag = std::shared_ptr<std::atomic<bool>>;
using httplib::DataSink;
using httplib::Request;
using httplib::Response;

constexpr const char* json_type = "application/json";
constexpr auto time_to_take = 60s;  // an answer, for a client

Clock::duration seconds(double s) { return std::chrono::microseconds(static_cast<long>(1e6 * s)); }

void refuse(Response& res, const Refusal& refusal) {
  res.status = refusal.status();
  res.set_content(refusal.json(), json_type);
}

// One of the places for runs, free again when it goes.
class Seat {
 public:
  Seat(std::atomic<int>& taken, int most) : taken_(taken) {
    // A seat may be just about to be left: its client has its answer already.
    for (int tries = 0; ++taken_ > most; ++tries) {
      --taken_;
      if (tries == 100) throw Refusal(503, "the server is busy with other runs; try again");
      std::this_thread::sleep_for(10ms);
    }
  }
  ~Seat() { --taken_; }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

 private:
  std::atomic<int>& taken_;
};

}  // namespace

struct Server::Impl {
  explicit Impl(const ServerOptions& o)
      : options(o),
        known(std::make_shared<const Library>(o.files)),
        watch(o.files),
        http(seconds(o.time_to_ask)) {
    page = make_page("thud", fmt::format(R"({{"kind":"playground","thud":"{}"}})", THUD_VERSION));
    configure();
    bind();
    add_routes();
  }

  ServerOptions options;
  std::shared_ptr<const Library> known;  // under `lock`: another one when a file has changed
  std::mutex lock;
  FileWatch watch;
  std::string page;
  PatientServer http;
  int port = 0;
  std::vector<std::string> hosts, origins;
  std::atomic<bool> stopping{false};
  std::atomic<int> jobs{0};

  void configure() {
    http.set_payload_max_length(options.most_body);
    http.set_tcp_nodelay(true);
    // Not SO_REUSEPORT, with which two servers could share a port without noticing.
    http.set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"X-Content-Type-Options", "nosniff"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Content-Security-Policy",
          "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}});
  }

  void bind() {
    constexpr int near = 16;  // ports that are tried
    port = options.port == 0 ? 0 : -1;
    for (int k = 0; port < 0 && k < (options.or_next_port ? near : 1) && options.port + k <= 65535; ++k)
      if (http.bind_to_port("127.0.0.1", options.port + k)) port = options.port + k;
    if (port == 0 || (port < 0 && options.or_next_port)) port = http.bind_to_any_port("127.0.0.1");
    if (port < 0)
      throw InputError({fmt::format("--port {}", options.port), 0, 0},
                       "the port is taken or may not be used; without --port a free one is found");
    http.widen_queue();
    for (const char* name : {"127.0.0.1", "localhost"}) {
      hosts.push_back(fmt::format("{}:{}", name, port));
      origins.push_back("http://" + hosts.back());
    }
  }

  std::shared_ptr<const Library> library() {
    const std::lock_guard hold(lock);
    return known;
  }

  void read_changed() {
    for (const std::string& file : watch.changed()) {
      auto fresh = std::make_shared<const Library>(library()->with_new(file));
      const std::lock_guard hold(lock);
      known = std::move(fresh);
    }
  }

  static bool is_one_of(const std::vector<std::string>& list, const std::string& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  // Before a body is read.
  void check(const Request& req) const {
    if (req.get_header_value_count("Host") != 1 || !is_one_of(hosts, req.get_header_value("Host")))
      throw Refusal(403, "this server answers only to its own address");
    if (req.has_header("Origin") && !is_one_of(origins, req.get_header_value("Origin")))
      throw Refusal(403, "requests of other pages are refused");
    if (req.has_header("Transfer-Encoding")) throw Refusal(411, "a Content-Length is needed");
    if (req.method != "POST") return;
    if (!req.has_header("Content-Length")) throw Refusal(411, "a Content-Length is needed");
    if (req.has_header("Content-Encoding")) throw Refusal(415, "compressed bodies are refused");
    const std::string type = req.get_header_value("Content-Type");
    if (type != json_type && !type.starts_with("application/json;"))
      throw Refusal(415, "the body must be application/json");
  }

  template <class F>
  auto guarded(F&& handler) {
    return [handler = std::forward<F>(handler)](const Request& req, Response& res) {
      PatientServer::here().answer_within(time_to_take);
      try {
        handler(req, res);
      } catch (const Refusal& r) {
        refuse(res, r);
      } catch (const std::bad_alloc&) {
        refuse(res, Refusal(413, "not enough memory for this"));
      } catch (const std::exception& e) {
        refuse(res, Refusal(500, e.what()));
      }
    };
  }

  Clock::duration limit(double times = 1) const { return seconds(times * options.time_limit); }

  std::string why_late() const {
    return fmt::format("the {} s that the server gives to a run are over", options.time_limit);
  }

  // What work(cancel) makes beside the connection, while there is time and the client is there.
  template <class Work>
  auto watched(Clock::time_point until, Work work) {
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    auto result = std::async(std::launch::async, [&] { return work(cancel); });
    std::optional<Refusal> why;
    while (result.wait_for(20ms) != std::future_status::ready) {
      if (why) continue;
      if (stopping) why.emplace(503, "the server is stopping");
      if (Clock::now() > until) why.emplace(422, why_late() + ", and the mechanism is not built yet");
      if (!PatientServer::here().is_open()) why.emplace(400, "the client has gone");
      if (why) *cancel = true;
    }
    try {
      return result.get();
    } catch (const Cancelled&) {
      throw why ? *why : Refusal(503, "the server is stopping");
    }
  }

  // Computes while the client is there: `compute` runs beside the connection and is told when to give up.
  using Compute = std::function<std::string(const RunLimits&)>;
  void stream(Response& res, const char* type, std::shared_ptr<Seat> seat, Clock::time_point until,
              Compute compute) {
    struct State {
      std::atomic<bool> cancel{false};
      std::string reason;
      std::future<std::string> answer;
      Clock::time_point until;
      ~State() {
        cancel = true;
        if (answer.valid()) answer.wait();
      }
    };
    auto state = std::make_shared<State>();
    state->until = until;
    state->answer = std::async(std::launch::async, [compute = std::move(compute), s = state.get()] {
      try {
        return compute({&s->cancel, &s->reason});
      } catch (const std::exception& e) {
        return Refusal(500, e.what()).json();
      }
    });
    res.set_chunked_content_provider(type, [this, state, seat](std::size_t, DataSink& sink) {
      while (state->answer.wait_for(20ms) != std::future_status::ready) {
        if (!sink.is_writable()) return false;
        const bool late = Clock::now() > state->until;
        if ((!late && !stopping) || state->cancel) continue;
        state->reason = late ? why_late() : "the server is stopping";
        state->cancel = true;
      }
      const std::string text = state->answer.get();
      PatientServer::here().answer_within(time_to_take);
      if (!sink.write(text.data(), text.size())) return false;
      sink.done();
      return true;
    });
  }

  template <class Answer>
  auto running(const char* type, Answer answer) {
    return guarded([this, type, answer](const Request& req, Response& res) {
      const RunQuery query = read_run_query(*library(), req.body);
      auto seat = std::make_shared<Seat>(jobs, options.most_jobs);
      const auto until = Clock::now() + limit();
      PatientServer::here().answer_within(limit() + time_to_take);
      const auto scenario =
          watched(until, [&](const CancelFlag& cancel) { return build(query, cancel.get()); });
      stream(res, type, std::move(seat), until,
             [query, scenario, answer](const RunLimits& limits) { return answer(*scenario, query, limits); });
    });
  }

  void start_sweep(const Request& req, Response& res) {
    auto seat = std::make_shared<Seat>(jobs, options.most_jobs);
    const SweepQuery query = read_sweep_query(*library(), req.body);
    const auto until = Clock::now() + limit(10);
    PatientServer::here().answer_within(limit(10) + time_to_take);
    const auto job = watched(Clock::now() + limit(), [&](const CancelFlag& cancel) {
      return std::make_shared<SweepJob>(query, cancel);
    });
    res.set_chunked_content_provider(
        "application/x-ndjson", [this, seat, job, until](std::size_t, DataSink& sink) {
          while (!job->is_told()) {
            if (!sink.is_writable()) return false;
            std::string line = job->next_line();
            const bool late = Clock::now() > until;
            if (late || stopping)
              line = Refusal(503, late ? "the time that the server gives to a sweep is over"
                                       : "the server is stopping")
                         .json()
                   + "\n";
            if (!line.empty() && !sink.write(line.data(), line.size())) return false;
            if (late || stopping) break;
            if (!job->is_told()) std::this_thread::sleep_for(20ms);
          }
          sink.done();
          return true;
        });
  }

  void add_routes() {
    http.set_pre_routing_handler([this](const Request& req, Response& res) {
      // Or else answers are compressed, as hard as brotli can: 250 ms for what takes 1 ms over loopback.
      auto& asked = const_cast<Request&>(req);
      asked.headers.erase("Accept-Encoding");
      // Nothing here is fetched in pieces, and a list of ranges multiplies what is sent.
      asked.ranges.clear();
      PatientServer::here().take_body();
      try {
        check(req);
        return httplib::Server::HandlerResponse::Unhandled;
      } catch (const Refusal& r) {
        refuse(res, r);
        return httplib::Server::HandlerResponse::Handled;
      }
    });
    http.set_error_handler([](const Request&, Response& res) {
      PatientServer::here().answer_within(time_to_take);
      if (!res.body.empty()) return;
      const int status = res.status;
      const char* text = status == 404 ? "there is nothing here"
                       : status == 413 ? "the body is too large"
                                       : "the request cannot be read";
      refuse(res, Refusal(status, text));
    });
    http.Get("/", guarded([this](const Request&, Response& res) {
               res.set_content(page, "text/html; charset=utf-8");
             }));
    http.Get("/api/library", guarded([this](const Request&, Response& res) {
               res.set_content(library()->json(), json_type);
             }));
    http.Get("/api/status", guarded([this](const Request&, Response& res) {
               res.set_content(fmt::format(R"({{"thud":"{}","jobs":{},"own":{}}})", THUD_VERSION, jobs.load(),
                                           library()->versions_json()),
                               json_type);
             }));
    http.Get("/api/scenario/(.*)", guarded([this](const Request& req, Response& res) {
               const std::shared_ptr<const Library> all = library();
               const ServedScenario* s = all->find(req.matches[1]);
               if (!s) throw Refusal(404, "there is no such scenario in the library");
               res.set_content(s->json(), json_type);
             }));
    http.Post("/api/run", running(json_type, answer_run));
    http.Post("/api/report", running("text/html; charset=utf-8", answer_report));
    http.Post("/api/csv", running("text/csv; charset=utf-8", answer_csv));
    http.Post("/api/sweep", guarded([this](const Request& req, Response& res) { start_sweep(req, res); }));
  }
};

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Server::~Server() { stop(); }

int Server::port() const { return impl_->port; }
std::string Server::address() const { return fmt::format("http://127.0.0.1:{}/", impl_->port); }
int Server::job_count() const { return impl_->jobs; }

void Server::run(const std::atomic<bool>* stop_flag) {
  std::thread watch([&] {
    for (int turn = 0; !impl_->stopping && !(stop_flag && *stop_flag); ++turn) {
      std::this_thread::sleep_for(30ms);
      if (turn % 10 == 0) impl_->read_changed();
    }
    stop();
  });
  impl_->http.listen_after_bind();
  impl_->stopping = true;
  watch.join();
}

void Server::stop() {
  impl_->stopping = true;
  if (impl_->http.is_running()) impl_->http.stop();
}

}  // namespace thud::serve
