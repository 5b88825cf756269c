// The playground's server as clients meet it, the friendly and the others.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/server.hpp"
#include "thud/base/error.hpp"

// Last: it brings a macro _res that Eigen cannot bear.
#include <httplib.h>

namespace thud::serve {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A pendulum in steps of 1 µs: hours.
const char* const endless = R"(
[[body]]
name  = "rod"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, density = 7700 }
joint = "pin"
[initial]
"rod.angle" = "1 deg"
[stop]
time = 1e6
[solver]
max_step = 1e-6
)";

class Serving : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    server = std::make_unique<Server>(options);
    thread = std::thread([this] { server->run(); });
    while (client().Get("/api/status") == nullptr) std::this_thread::sleep_for(5ms);
  }
  void TearDown() override {
    if (server) server->stop();
    if (thread.joinable()) thread.join();
  }
  httplib::Client client() const {
    httplib::Client c("127.0.0.1", server->port());
    c.set_read_timeout(60s);
    c.set_connection_timeout(60s);
    return c;
  }
  httplib::Result post(const std::string& path, const json& body) const {
    return client().Post(path, body.dump(), "application/json");
  }
  int jobs() const { return json::parse(client().Get("/api/status")->body)["jobs"]; }
  static std::string message(const httplib::Result& r) { return json::parse(r->body)["error"]["message"]; }

  std::unique_ptr<Server> server;
  std::thread thread;
};

TEST_F(Serving, gives_page_library_and_scenarios) {
  start();
  EXPECT_THAT(client().Get("/")->body, HasSubstr("\"kind\":\"playground\""));
  const json library = json::parse(client().Get("/api/library")->body);
  EXPECT_GT(library["scenarios"].size(), 10U);
  EXPECT_THAT(client().Get("/api/scenario/free_link")->body, HasSubstr("[parameters]"));
  EXPECT_EQ(client().Get("/nothing")->status, 404);
}

TEST_F(Serving, runs_a_scenario_with_its_knobs) {
  start();
  const auto r =
      post("/api/run",
           {{"scenario", "free_link"}, {"set", {{"speed", "2 m/s"}}}, {"columns", {"link.vx", "no.such"}}});
  ASSERT_EQ(r->status, 200);
  const json j = json::parse(r->body);
  // Lee 2009, Table 4.3, has no such row; the value is that of thud run free_link --set speed=2.
  EXPECT_NEAR(j["run"]["stop"]["time"].get<double>(), 0.0222620, 1e-6);
  EXPECT_TRUE(j["run"]["columns"].contains("link.vx"));
  EXPECT_TRUE(j["run"]["columns"].contains("energy.kinetic"));
  EXPECT_FALSE(j["run"]["columns"].contains("no.such"));
  EXPECT_EQ(j["scene"]["name"], "free_link");
}

TEST_F(Serving, says_where_a_text_is_wrong) {
  start();
  const auto r = post("/api/run", {{"text", "title = \"x\"\n[[body]]\nnam = 3\n"}});
  EXPECT_EQ(r->status, 422);
  const json error = json::parse(r->body)["error"];
  EXPECT_EQ(error["line"], 3);
  EXPECT_EQ(error["column"], 1);
  EXPECT_EQ(post("/api/run", {{"scenario", "free_link"}, {"set", {{"angle", "99 deg"}}}})->status, 422);
  EXPECT_EQ(post("/api/run", {{"scenario", "free_link"}, {"set", {{"angel", 1}}}})->status, 422);
}

TEST_F(Serving, refuses_what_is_not_a_request) {
  start();
  const auto raw = [&](const std::string& body) {
    return client().Post("/api/run", body, "application/json")->status;
  };
  for (const char* body :
       {"", "{", "[]", "null", "3", "{\"scenario\":3}", "{\"scenario\":\"free_link\",\"text\":\"\"}",
        "{\"scenario\":\"free_link\",\"set\":[]}", "{\"scenario\":\"free_link\",\"sett\":{}}",
        "{\"scenario\":\"free_link\",\"set\":{\"angle\":[]}}", "{\"scenario\":\"free_link\",\"time\":-1}",
        "{\"scenario\":\"free_link\",\"columns\":[3]}", "\xff\xfe"})
    EXPECT_EQ(raw(body), 400) << body;
  EXPECT_EQ(raw(std::string(500'000, '[')), 400);
  EXPECT_EQ(client().Post("/api/run", "a=1", "application/x-www-form-urlencoded")->status, 415);
  httplib::Headers packed = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(client().Post("/api/run", packed, "x", "application/json")->status, 415);
}

TEST_F(Serving, knows_no_paths) {
  start();
  for (const char* name :
       {"../../etc/passwd", "/etc/passwd", "..", "", "./free_link", "free_link.toml", "~/x"}) {
    EXPECT_EQ(post("/api/run", {{"scenario", name}})->status, 404) << name;
    EXPECT_EQ(client().Get(std::string("/api/scenario/") + name)->status, 404) << name;
  }
  EXPECT_EQ(client().Get("/api/scenario/..%2f..%2f..%2fetc%2fpasswd")->status, 404);
}

TEST_F(Serving, answers_only_to_its_own_host_and_origin) {
  start();
  const auto get = [&](const httplib::Headers& headers) {
    return client().Get("/api/library", headers)->status;
  };
  const std::string port = fmt::format(":{}", server->port());
  EXPECT_EQ(get({{"Host", "localhost" + port}}), 200);
  EXPECT_EQ(get({{"Host", "127.0.0.1" + port}, {"Origin", "http://127.0.0.1" + port}}), 200);
  for (const std::string& host : {std::string("evil.example"), "evil.example" + port,
                                  std::string("127.0.0.1"), "127.0.0.1.evil.example" + port})
    EXPECT_EQ(get({{"Host", host}}), 403) << host;
  for (const std::string& origin : {std::string("http://evil.example"), std::string("null"),
                                    "https://127.0.0.1" + port, std::string("http://127.0.0.1:1")})
    EXPECT_EQ(get({{"Origin", origin}}), 403) << origin;
  EXPECT_EQ(client().Get("/", {{"Host", "evil.example"}})->status, 403);
}

TEST_F(Serving, refuses_a_body_of_100_MB_and_lives) {
  start();
  const std::string large(100'000'000, ' ');
  const auto r = client().Post("/api/run", large, "application/json");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->status, 413);
  EXPECT_EQ(client().Get("/api/library")->status, 200);
}

TEST_F(Serving, refuses_a_body_of_unknown_length) {
  start();
  const auto r = client().Post(
      "/api/run",
      [](std::size_t, httplib::DataSink& sink) {
        sink.write("{}", 2);
        sink.done();
        return true;
      },
      "application/json");
  // It may hang up before the client has sent everything.
  if (r) {
    EXPECT_EQ(r->status, 411);
  }
  EXPECT_EQ(client().Get("/api/library")->status, 200);
}

TEST_F(Serving, ends_a_run_when_its_time_is_over) {
  ServerOptions options;
  options.time_limit = 0.3;
  start(options);
  const auto r = post("/api/run", {{"text", endless}});
  ASSERT_EQ(r->status, 200);
  const json stop = json::parse(r->body)["run"]["stop"];
  EXPECT_EQ(stop["reason"], "cancelled");
  EXPECT_THAT(stop["text"].get<std::string>(), HasSubstr("0.3 s"));
}

TEST_F(Serving, ends_a_run_when_its_client_goes) {
  start();
  std::thread client_thread([&] {
    httplib::Client c("127.0.0.1", server->port());
    c.set_read_timeout(300ms);  // then it hangs up
    (void)c.Post("/api/run", json{{"text", endless}}.dump(), "application/json");
  });
  client_thread.join();
  for (int k = 0; k < 400 && jobs() > 0; ++k) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(jobs(), 0);
}

TEST_F(Serving, has_a_number_of_seats_and_stops_in_the_midst_of_runs) {
  ServerOptions options;
  options.most_jobs = 2;
  start(options);
  std::vector<std::thread> clients;
  for (int k = 0; k < 2; ++k) clients.emplace_back([&] { (void)post("/api/run", {{"text", endless}}); });
  for (int k = 0; k < 400 && jobs() < 2; ++k) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(post("/api/run", {{"scenario", "free_link"}})->status, 503);
  EXPECT_EQ(client().Get("/api/library")->status, 200);
  const auto asked = std::chrono::steady_clock::now();
  server->stop();
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s);
  for (std::thread& t : clients) t.join();
}

TEST_F(Serving, a_mechanism_too_large_for_a_page_is_refused) {
  start();
  const std::string text = R"(
[[body]]
name  = "a"
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, density = 7700 }
joint = "free"
[[body]]
repeat = 3000
name   = "b{i}"
shape  = { kind = "cylinder", length = 0.1, diameter = 0.01, density = 7700 }
joint  = { to = "a" }
)";
  EXPECT_EQ(post("/api/run", {{"text", text}})->status, 422);
}

// Within all limits of the reader, and seconds of work for it.
std::string slow_to_build() {
  std::string text = "[parameters]\n";
  for (int k = 0; k < 9000; ++k) text += fmt::format("p{} = {}\n", k, k);
  return text + R"(
[[body]]
repeat = 10000
name   = "b{i}"
shape  = { kind = "cylinder", length = "=0.1+p8999*0", diameter = "=0.01+0*p8998", density = "=7700+0*p8997" }
joint  = "free"
)";
}

TEST_F(Serving, building_a_mechanism_ends_when_its_time_is_over) {
  ServerOptions options;
  options.time_limit = 0.2;
  start(options);
  for (const char* path : {"/api/run", "/api/sweep"}) {
    json body = {{"text", slow_to_build()}};
    if (path == std::string("/api/sweep")) {
      body["vary"] = {{{"knob", "p0"}, {"low", 1}, {"high", 2}, {"count", 2}}};
      body["output"] = "end.time";
    }
    const auto asked = std::chrono::steady_clock::now();
    const auto r = post(path, body);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 3s) << path;
    ASSERT_EQ(r->status, 422) << path;
    EXPECT_THAT(message(r), AllOf(HasSubstr("0.2 s"), HasSubstr("not built"))) << path;
  }
  EXPECT_EQ(jobs(), 0);
}

TEST_F(Serving, building_a_mechanism_ends_when_its_client_goes_and_counts_as_a_job) {
  start();
  std::thread client_thread([&] {
    httplib::Client c("127.0.0.1", server->port());
    c.set_read_timeout(600ms);  // then it hangs up
    (void)c.Post("/api/run", json{{"text", slow_to_build()}}.dump(), "application/json");
  });
  int most = 0;
  for (int k = 0; k < 400 && most == 0; ++k) most = std::max(most, jobs());
  EXPECT_EQ(most, 1);
  client_thread.join();
  const auto gone = std::chrono::steady_clock::now();
  for (int k = 0; k < 400 && jobs() > 0; ++k) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(jobs(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - gone, 2s);
}

TEST_F(Serving, stops_while_a_mechanism_is_built) {
  start();
  std::thread client_thread([&] { (void)post("/api/run", {{"text", slow_to_build()}}); });
  for (int k = 0; k < 400 && jobs() == 0; ++k) std::this_thread::sleep_for(5ms);
  const auto asked = std::chrono::steady_clock::now();
  server->stop();
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 8s) << "the others are hung up on after 10 s";
  client_thread.join();
}

TEST_F(Serving, gives_the_whole_once_whatever_ranges_are_asked_for) {
  start();
  const std::string page = client().Get("/")->body;
  std::string ranges = "bytes=0-";
  while (ranges.size() < 8000) ranges += ",0-";
  for (const std::string& range : {ranges, std::string("bytes=0-9")}) {
    const auto r = client().Get("/", {{"Range", range}});
    ASSERT_TRUE(r);
    EXPECT_EQ(r->status, 200);
    EXPECT_EQ(r->body, page);
  }
}

// A client that speaks as slowly as it likes.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool is_connected() const { return connected_; }
  bool send(const std::string& text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // What comes until the server hangs up, or for that long.
  bool is_hung_up_within(std::chrono::milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    char block[4096];
    while (std::chrono::steady_clock::now() < until) {
      pollfd wanted{socket_, POLLIN, 0};
      if (::poll(&wanted, 1, 20) <= 0) continue;
      if (::recv(socket_, block, sizeof block, 0) <= 0) return true;
    }
    return false;
  }

 private:
  int socket_;
  bool connected_ = false;
};

TEST_F(Serving, idle_and_slow_connections_keep_nobody_from_the_page) {
  start();
  std::vector<std::unique_ptr<RawClient>> others;
  for (int k = 0; k < 300; ++k) {
    others.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_TRUE(others.back()->is_connected());
    if (k % 3 == 0) others.back()->send("GET / HTTP/1.1\r\nHost: 127");
  }
  const auto asked = std::chrono::steady_clock::now();
  const auto r = client().Get("/");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 8s) << "the others are hung up on after 10 s";
}

TEST_F(Serving, a_request_has_to_arrive_in_time_and_within_bounds) {
  ServerOptions options;
  options.time_to_ask = 0.5;
  start(options);
  const RawClient slow(server->port());
  const auto begin = std::chrono::steady_clock::now();
  const std::string request = fmt::format("GET /api/library HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX: {}\r\n\r\n",
                                          server->port(), std::string(60, 'x'));
  bool open = true;
  for (std::size_t k = 0; open && k < request.size(); ++k) {
    open = slow.send(request.substr(k, 1));
    std::this_thread::sleep_for(30ms);
  }
  EXPECT_TRUE(slow.is_hung_up_within(1s));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);
  const RawClient long_winded(server->port());
  long_winded.send("GET / HTTP/1.1\r\n");
  open = true;
  for (int k = 0; open && k < 10000; ++k)
    open = long_winded.send(fmt::format("X{}: {}\r\n", k, std::string(100, 'x')));
  EXPECT_FALSE(open);
  EXPECT_EQ(client().Get("/api/library")->status, 200);
}

TEST_F(Serving, stops_with_idle_connections_open) {
  start();
  const RawClient idle(server->port());
  ASSERT_EQ(client().Get("/api/status")->status, 200);
  const auto asked = std::chrono::steady_clock::now();
  server->stop();
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 3s);
}

TEST_F(Serving, more_contacts_than_a_page_computes_are_refused) {
  start();
  const std::string text = R"(
[[body]]
repeat = 10
name   = "b{i}"
shape  = { kind = "block", length = 0.1, width = 0.1, mass = 0.1 }
joint  = "free"
[[wall]]
repeat = 50
name   = "w{i}"
at     = [0, "=i"]
)";
  const auto r = post("/api/run", {{"text", text}});
  ASSERT_EQ(r->status, 422);
  EXPECT_THAT(message(r), HasSubstr("there are 2000 contacts, too many for the page"));
}

TEST_F(Serving, sweeps_line_by_line) {
  start();
  const json axes = {{{"knob", "speed"}, {"low", 1}, {"high", 2.5}, {"count", 4}},
                     {{"knob", "angle"}, {"low", 0}, {"high", 80}, {"count", 3}}};
  const auto r = post("/api/sweep", {{"scenario", "free_link"}, {"vary", axes}, {"output", "t_z"}});
  ASSERT_EQ(r->status, 200);
  std::vector<double> values;
  std::istringstream lines(r->body);
  for (std::string line; std::getline(lines, line);) {
    const json j = json::parse(line);
    EXPECT_EQ(j["from"].get<std::size_t>(), values.size());
    for (const json& v : j["values"]) values.push_back(v);
  }
  ASSERT_EQ(values.size(), 12U);
  // x is the fastest: along it the link stops sooner.
  EXPECT_LT(values[1], values[0]);
  EXPECT_LT(values[4], values[0]);
  const auto refused = [&](const json& vary, const char* output) {
    return post("/api/sweep", {{"scenario", "free_link"}, {"vary", vary}, {"output", output}})->status;
  };
  EXPECT_EQ(refused(axes, "no_such"), 422);
  EXPECT_EQ(refused({{{"knob", "nil"}, {"low", 1}, {"high", 2}, {"count", 4}}}, "t_z"), 422);
  EXPECT_EQ(refused({{{"knob", "speed"}, {"low", 1}, {"high", 2}, {"count", 1}}}, "t_z"), 400);
  EXPECT_EQ(refused({{{"knob", "speed"}, {"low", 1}, {"high", 2}, {"count", 1000}},
                     {{"knob", "angle"}, {"low", 1}, {"high", 2}, {"count", 1000}}},
                    "t_z"),
            400);
  EXPECT_EQ(refused(json::array(), "t_z"), 400);
}

TEST_F(Serving, gives_csv_and_report) {
  start();
  EXPECT_THAT(post("/api/csv", {{"scenario", "free_link"}})->body,
              ::testing::StartsWith("time [s],link.angle [rad]"));
  EXPECT_THAT(post("/api/report", {{"scenario", "free_link"}})->body, HasSubstr("\"kind\":\"run\""));
}

TEST_F(Serving, survives_a_thousand_requests_at_once) {
  start();
  std::atomic<int> good{0}, busy{0}, bad{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&, c] {
      for (int k = 0; k < 125; ++k) {
        const int kind = (c + k) % 5;
        const auto ask = [&] {
          return kind == 0 ? client().Get("/api/library")
               : kind == 1 ? client().Get("/")
               : kind == 2
                   ? client().Post("/api/run", "{oops", "application/json")
                   : post("/api/run", {{"scenario", "free_link"}, {"set", {{"speed", 1 + 0.01 * k}}}});
        };
        auto r = ask();
        // On a machine that is busy itself a seat may be left late: what the server asks for is to try again.
        for (int again = 0; again < 20 && r && r->status == 503; ++again) r = ask();
        if (!r)
          ++bad;
        else if (r->status == (kind == 2 ? 400 : 200))
          ++good;
        else if (r->status == 503)
          ++busy;
        else
          ++bad;
      }
    });
  for (std::thread& t : clients) t.join();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(busy, 0);  // eight clients, eight seats
  EXPECT_EQ(good, 1000);
  for (int k = 0; k < 400 && jobs() > 0; ++k) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(jobs(), 0);
}

TEST(ServerPort, taken_is_told) {
  const Server first;
  ServerOptions options;
  options.port = first.port();
  EXPECT_THROW(Server{options}, InputError);
}

TEST_F(Serving, reads_a_file_again_when_it_is_saved) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "thud_mine.toml";
  const auto save = [&](const std::string& text) { std::ofstream(file) << text; };
  const auto own = [&] {
    return json::parse(client().Get("/api/status")->body)["own"]["thud_mine"].get<int>();
  };
  const auto text = [&] {
    return json::parse(client().Get("/api/scenario/thud_mine")->body)["text"].get<std::string>();
  };
  const auto wait_for = [&](int version) {
    for (int tries = 0; own() < version && tries < 400; ++tries) std::this_thread::sleep_for(25ms);
    EXPECT_EQ(own(), version);
  };
  save("title = \"First\"\n" + std::string(endless));
  ServerOptions options;
  options.files = {file.string()};
  start(options);
  EXPECT_EQ(own(), 0);
  const json entry = json::parse(client().Get("/api/library")->body)["scenarios"][0];
  EXPECT_EQ(entry["name"], "thud_mine");
  EXPECT_EQ(entry["own"], true);
  save("title = \"The second one\"\n" + std::string(endless));
  wait_for(1);
  EXPECT_THAT(text(), HasSubstr("The second one"));
  EXPECT_EQ(json::parse(client().Get("/api/library")->body)["scenarios"][0]["title"], "The second one");
  // What cannot be run is taken as it is, so that running it tells the line.
  save("title = \"Third\"\n[[body]]\nnane = 1\n");
  wait_for(2);
  EXPECT_THAT(text(), HasSubstr("nane"));
  const auto r = post("/api/run", {{"scenario", "thud_mine"}});
  EXPECT_EQ(r->status, 422);
  EXPECT_EQ(json::parse(r->body)["error"]["line"], 3);
  // Nor does one that is gone for a moment.
  std::filesystem::remove(file);
  std::this_thread::sleep_for(700ms);
  EXPECT_EQ(own(), 2);
  EXPECT_THAT(text(), HasSubstr("nane"));
}

TEST_F(Serving, takes_the_next_port_where_one_is_taken) {
  start();
  ServerOptions options;
  options.port = server->port();
  EXPECT_THROW(Server{options}, InputError);
  options.or_next_port = true;
  const Server other(options);
  EXPECT_NE(other.port(), server->port());
  EXPECT_GT(other.port(), 0);
}

TEST_F(Serving, speaks_of_knobs_and_lists_not_of_options) {
  start();
  const auto said = [&](const json& body) {
    const auto r = post("/api/run", body);
    EXPECT_EQ(r->status, 422);
    return message(r);
  };
  EXPECT_THAT(said({{"scenario", "free_link"}, {"set", {{"angle", "85 deg"}}}}),
              StartsWith("knob \"angle\" must be"));
  EXPECT_THAT(said({{"scenario", "free_link"}, {"set", {{"angel", "5 deg"}}}}),
              AllOf(HasSubstr("no knob \"angel\""), HasSubstr("knobs: angle, speed"), Not(HasSubstr("--"))));
  std::string text = json::parse(client().Get("/api/scenario/free_link")->body)["text"];
  text.replace(text.find("link.tip.depth at"), 14, "link.tip.dept");
  EXPECT_THAT(said({{"text", text}}), AllOf(HasSubstr("lists above the plots"), Not(HasSubstr("--list"))));
}

}  // namespace
}  // namespace thud::serve
