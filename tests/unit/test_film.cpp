// Films and pictures of pixels: GIF read back by a decoder of its own, SVG frames against the motion that they show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <regex>
#include <set>

#include "thud/draw/gif.hpp"
#include "thud/report/film.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

// ---- a decoder after the specification of GIF 89a -------------------------------------------------------------------

struct Decoded {
  int width = 0, height = 0;
  std::vector<std::vector<std::uint32_t>> frames;
  std::vector<int> delays;
};

class GifReader {
 public:
  explicit GifReader(const std::string& bytes) : bytes_(bytes) {}

  Decoded read() {
    EXPECT_EQ(bytes_.substr(0, 6), "GIF89a");
    at_ = 6;
    Decoded out{u16(), u16(), {}, {}};
    EXPECT_EQ(u8(), 0xF7);
    u8(), u8();
    for (int k = 0; k < 256; ++k) {
      const int r = u8(), g = u8(), b = u8();
      palette_.push_back(static_cast<std::uint32_t>(r << 16 | g << 8 | b));
    }
    std::vector<std::uint32_t> screen(static_cast<std::size_t>(out.width * out.height));
    int delay = 0, transparent = -1;
    for (int block = u8(); block != 0x3B; block = u8()) {
      if (block == 0x21) {
        if (const int label = u8(); label == 0xF9) {
          EXPECT_EQ(u8(), 4);
          const int flags = u8();
          delay = u16();
          const int index = u8();
          transparent = flags & 1 ? index : -1;
          EXPECT_EQ(u8(), 0);
        } else {
          skip_blocks();
        }
        continue;
      }
      EXPECT_EQ(block, 0x2C);
      const int x = u16(), y = u16(), w = u16(), h = u16();
      EXPECT_EQ(u8(), 0);
      const std::vector<int> indices = unpack();
      EXPECT_EQ(indices.size(), static_cast<std::size_t>(w * h));
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const int px = x + static_cast<int>(i) % w, py = y + static_cast<int>(i) / w;
        if (indices[i] != transparent)
          screen[static_cast<std::size_t>(py * out.width + px)] =
              palette_[static_cast<std::size_t>(indices[i])];
      }
      out.frames.push_back(screen);
      out.delays.push_back(delay);
    }
    EXPECT_EQ(at_, bytes_.size());
    return out;
  }

 private:
  int u8() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  int u16() {
    const int low = u8();
    return low | u8() << 8;
  }
  std::string blocks() {
    std::string out;
    for (int n = u8(); n > 0; n = u8()) {
      out += bytes_.substr(at_, static_cast<std::size_t>(n));
      at_ += static_cast<std::size_t>(n);
    }
    return out;
  }
  void skip_blocks() { (void)blocks(); }

  std::vector<int> unpack() {
    const int least = u8(), clear = 1 << least;
    const std::string data = blocks();
    std::size_t bit = 0;
    int size = least + 1;
    const auto next = [&] {
      int code = 0;
      for (int k = 0; k < size; ++k, ++bit)
        code |= (static_cast<unsigned char>(data.at(bit / 8)) >> (bit % 8) & 1) << k;
      return code;
    };
    std::vector<std::vector<int>> table;
    const auto reset = [&] {
      table.assign(static_cast<std::size_t>(clear) + 2, {});
      for (int k = 0; k < clear; ++k) table[static_cast<std::size_t>(k)] = {k};
      size = least + 1;
    };
    std::vector<int> out, last;
    for (int code = next(); code != clear + 1; code = next()) {
      if (code == clear) {
        reset();
        last.clear();
        continue;
      }
      std::vector<int> now;
      if (static_cast<std::size_t>(code) < table.size()) {
        now = table[static_cast<std::size_t>(code)];
      } else {
        now = last;
        now.push_back(last.front());
      }
      out.insert(out.end(), now.begin(), now.end());
      if (!last.empty() && table.size() < 4096) {
        last.push_back(now.front());
        table.push_back(last);
        if (table.size() == std::size_t{1} << size && size < 12) ++size;
      }
      last = now;
    }
    return out;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
  std::vector<std::uint32_t> palette_;
};

// Colours that five bits a channel hold exactly.
std::uint32_t colour(unsigned k) {
  const auto channel = [](unsigned v) { return (v & 31) << 3 | (v & 31) >> 2; };
  return channel(k) << 16 | channel(k * 7) << 8 | channel(k * 13 + 5);
}

TEST(Gif, frames_come_back_as_they_were) {
  std::mt19937 random(3);
  std::vector<Pixels> frames(5, Pixels{97, 61, std::vector<std::uint32_t>(97 * 61, colour(0))});
  for (std::size_t f = 1; f < frames.size(); ++f) {
    frames[f] = frames[f - 1];
    // Noise in a part of the picture: more than 4096 codes, so that the table is cleared on the way.
    for (std::size_t y = 5; y < 60; ++y)
      for (std::size_t x = 7; x < 90; ++x)
        if (f != 3) frames[f].rgb[y * 97 + x] = colour(static_cast<unsigned>(random() % 200));
  }
  GifWriter writer(frames);
  for (std::size_t f = 0; f < frames.size(); ++f) writer.add(frames[f], 3 + static_cast<int>(f));
  const std::string bytes = std::move(writer).finish();
  const Decoded back = GifReader(bytes).read();
  EXPECT_EQ(back.width, 97);
  EXPECT_EQ(back.height, 61);
  ASSERT_EQ(back.frames.size(), frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    EXPECT_EQ(back.frames[f], frames[f].rgb) << "frame " << f;  // the fourth is like the third
    EXPECT_EQ(back.delays[f], 3 + static_cast<int>(f));
  }
  EXPECT_THAT(bytes, HasSubstr("NETSCAPE2.0"));
}

TEST(Gif, more_colours_than_a_palette_holds_are_drawn_by_the_nearest) {
  // A grey ramp that is mostly there, and a line of 1024 other colours, of which most have no place.
  Pixels many{32, 96, {}};
  for (std::uint32_t k = 0; k < 32 * 64; ++k) many.rgb.push_back(0x010101 * ((k % 32) << 3 | (k % 32) >> 2));
  for (std::uint32_t k = 0; k < 32 * 32; ++k) many.rgb.push_back((k % 32) << 19 | (k / 32) << 11 | 0x04);
  GifWriter writer({&many, 1});
  writer.add(many, 10);
  const Decoded back = GifReader(std::move(writer).finish()).read();
  for (std::size_t i = 0; i < 32 * 64; ++i) EXPECT_EQ(back.frames[0][i], many.rgb[i]);
  // No colour that there is is nearer.
  const auto off = [](std::uint32_t a, std::uint32_t b) {
    int sum = 0;
    for (const int shift : {0, 8, 16}) {
      const int d = static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255);
      sum += d * d;
    }
    return sum;
  };
  const std::set<std::uint32_t> palette(back.frames[0].begin(), back.frames[0].end());
  EXPECT_GT(palette.size(), 200U);
  for (std::size_t i = 32 * 64; i < many.rgb.size(); ++i)
    for (const std::uint32_t c : palette)
      ASSERT_LE(off(back.frames[0][i], many.rgb[i]), off(c, many.rgb[i]) + 1) << i;
  const Pixels other{3, 3, std::vector<std::uint32_t>(9)};
  GifWriter again({&many, 1});
  EXPECT_THROW(again.add(other, 1), std::invalid_argument);
}

// ---- frames ---------------------------------------------------------------------------------------------------------

struct Ran {
  explicit Ran(const std::string& name) : scenario(load_scenario(name)), frames(*scenario.system) {
    RunRequest request;
    request.observer = &frames;
    result = run(scenario, request);
    frames.finish(result.outcome);
  }
  Scenario scenario;
  FrameRecorder frames;
  RunResult result;
};

// Where the ball is, in pixels: the mean of the corners of its rim.
std::pair<double, double> ball_of(const std::string& svg) {
  const std::regex rim("<polygon points=\"([^\"]*)\" fill=\"#5d7389\"");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(svg, found, rim));
  const std::string list = found[1];
  double x = 0, y = 0, n = 0;
  // Both ends of the rim are the same corner.
  std::vector<std::pair<double, double>> corners;
  for (std::size_t at = 0; at < list.size(); at = std::min(list.find(' ', at), list.size() - 1) + 1) {
    double a = 0, b = 0;
    std::sscanf(list.c_str() + at, "%lf,%lf", &a, &b);
    corners.emplace_back(a, b);
  }
  if (corners.front() == corners.back()) corners.pop_back();
  for (const auto& [a, b] : corners) x += a, y += b, ++n;
  return {x / n, y / n};
}

TEST(Film, a_ball_falls_by_the_law_of_falling_bodies) {
  const Ran ball("bouncing_ball");  // from 1 m, e = 0.8
  const Film film(ball.scenario, ball.result, ball.frames);
  const double strikes = std::sqrt(2 / 9.81),
               metre = ball_of(film.frame(strikes)).second - ball_of(film.frame(0)).second;
  // Frames of a run are joined by straight lines; a thousandth of the height is less than a pixel.
  for (const double share : {0.25, 0.5, 0.75})
    EXPECT_NEAR((ball_of(film.frame(share * strikes)).second - ball_of(film.frame(0)).second) / metre,
                share * share, 2e-3);
  // m (1 + e) √(2 g h) = 0.1 · 1.8 · √(2 · 9.81) N s
  EXPECT_THAT(film.frame(strikes), HasSubstr(">0.797 N s<"));
  EXPECT_EQ(film.frame(0.3 * strikes).find("N s<"), std::string::npos);
  EXPECT_NEAR(film.duration(), ball.result.outcome.time, 1e-12);
  EXPECT_EQ(film.frame(0.1), film.frame(0.1));
}

TEST(Film, lasts_some_seconds_at_a_round_speed) {
  for (const char* name : {"free_link", "bouncing_ball", "double_pendulum", "newtons_cradle"}) {
    const Ran r(name);
    const Film film(r.scenario, r.result, r.frames);
    const double seconds = film.duration() / film.speed();
    EXPECT_GT(seconds, 2) << name;
    EXPECT_LT(seconds, 14) << name;
  }
}

TEST(Film, forces_that_are_errors_of_arithmetic_have_no_arrows) {
  const Ran cradle("newtons_cradle");
  const Film film(cradle.scenario, cradle.result, cradle.frames);
  for (int k = 0; k <= 20; ++k)
    EXPECT_EQ(film.frame(film.duration() * k / 20).find("#c8321f"), std::string::npos) << k;
  const Ran link("free_link");
  EXPECT_NE(Film(link.scenario, link.result, link.frames).frame(0.02).find("#c8321f"), std::string::npos);
}

TEST(Film, stress_is_drawn_on_what_moves_and_a_word_on_what_is_held) {
  const auto count = [](const std::string& svg, const std::string& what) {
    std::size_t n = 0;
    for (auto at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  constexpr const char* tone = "#86117a";
  const Ran anchor("anchor");
  const Film film(anchor.scenario, anchor.result, anchor.frames);
  const std::string held = film.frame(5), moving = film.frame(film.duration() - 0.05);
  EXPECT_THAT(held, HasSubstr("at rest: resultant only"));
  EXPECT_THAT(held, HasSubstr("kPa of stress"));
  EXPECT_EQ(moving.find("at rest"), std::string::npos);
  EXPECT_EQ(count(held, tone), 4U);  // shaft, head and words of the scale
  EXPECT_GE(count(moving, tone), 4U + 2 * 8);
  const Ran link("free_link");
  EXPECT_EQ(Film(link.scenario, link.result, link.frames).frame(0.02).find(tone), std::string::npos);
}

TEST(Film, draws_every_scenario_of_the_library_without_nonsense) {
  for (const LibraryEntry& e : list_library()) {
    const Ran r(e.name);
    const Film film(r.scenario, r.result, r.frames);
    for (const double share : {0.0, 0.37, 1.0}) {
      const std::string svg = film.frame(share * film.duration());
      EXPECT_EQ(svg.find("nan"), std::string::npos) << e.name;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << e.name;
    }
  }
}

TEST(Raster, draws_what_the_svg_says) {
  try {
    const SvgRaster raster;
    const std::string svg =
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4" width="8" height="4"><rect width="4" height="4" fill="#ff0000"/></svg>)";
    EXPECT_EQ(svg_size(svg), (std::pair{8.0, 4.0}));
    const Pixels p = raster.pixels(svg, 8, 4, 2);
    ASSERT_EQ(p.width, 16);
    ASSERT_EQ(p.height, 8);
    EXPECT_EQ(p.rgb[0], 0xFF0000U);
    EXPECT_EQ(p.rgb[7 * 16 + 15], 0xFFFFFFU);
    EXPECT_EQ(raster.png(svg, 8, 4, 2).substr(1, 3), "PNG");
    EXPECT_THROW((void)raster.png("no drawing", 8, 4, 2), std::runtime_error);
  } catch (const RasterMissing& e) {
    EXPECT_THAT(e.what(), HasSubstr("librsvg2-2"));
    GTEST_SKIP() << e.what();
  }
}

}  // namespace
}  // namespace thud
