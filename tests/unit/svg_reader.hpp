#pragma once
// A small reader of SVG: what is drawn, and whether it is well-formed and on the page.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace thud::test {

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attribute;
};

// Elements in document order; reports what is not well-formed.
inline std::vector<Element> elements_of(const std::string& svg) {
  std::vector<Element> out;
  std::vector<std::string> open;
  for (std::size_t i = 0; i < svg.size();) {
    if (svg[i] != '<') {
      const std::size_t end = std::min(svg.find('<', i), svg.size());
      const std::string text = svg.substr(i, end - i);
      for (std::size_t amp = text.find('&'); amp != std::string::npos; amp = text.find('&', amp + 1))
        EXPECT_NE(text.find(';', amp), std::string::npos) << text;
      if (!out.empty()) out.back().text += text;
      i = end;
      continue;
    }
    const std::size_t end = svg.find('>', i);
    if (end == std::string::npos) return ADD_FAILURE() << "unclosed <", out;
    std::string tag = svg.substr(i + 1, end - i - 1);
    i = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return ADD_FAILURE() << "stray </" << tag, out;
      open.pop_back();
      continue;
    }
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.pop_back();
    Element e;
    e.name = tag.substr(0, tag.find(' '));
    for (std::size_t at = tag.find(' '); at < tag.size();) {
      at = tag.find_first_not_of(' ', at);
      if (at == std::string::npos) break;
      const std::size_t equals = tag.find("=\"", at), close = tag.find('"', equals + 2);
      if (equals == std::string::npos || close == std::string::npos) return ADD_FAILURE() << tag, out;
      const bool is_new =
          e.attribute.emplace(tag.substr(at, equals - at), tag.substr(equals + 2, close - equals - 2)).second;
      EXPECT_TRUE(is_new) << tag;
      at = close + 1;
    }
    if (!is_empty) open.push_back(e.name);
    out.push_back(std::move(e));
  }
  EXPECT_TRUE(open.empty());
  return out;
}

inline double number(const Element& e, const std::string& key) {
  const auto found = e.attribute.find(key);
  if (found == e.attribute.end()) return 0;
  char* end = nullptr;
  const double x = std::strtod(found->second.c_str(), &end);
  EXPECT_EQ(*end, '\0') << e.name << " " << key << " " << found->second;
  EXPECT_TRUE(std::isfinite(x)) << key << " " << found->second;
  return x;
}

struct Page {
  double width, height;
  void expect_inside(double x, double y, const std::string& what) const {
    EXPECT_TRUE(x >= -1e-9 && x <= width + 1e-9 && y >= -1e-9 && y <= height + 1e-9)
        << what << " at " << x << ", " << y;
  }
};

inline void check_points(const Page& page, const std::string& list, const std::string& what) {
  const char* at = list.c_str();
  while (*at) {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    ASSERT_NE(at, end) << list;
    const double y = std::strtod(end + 1, &end);
    page.expect_inside(x, y, what);
    at = end;
    while (*at == ' ') ++at;
  }
}

// Absolute M, L, H, V and Z, which is all that is used.
inline void check_path(const Page& page, const std::string& d) {
  double x = 0, y = 0;
  const char* at = d.c_str();
  while (*at) {
    const char command = *at++;
    char* end = const_cast<char*>(at);
    if (command == 'M' || command == 'L') {
      x = std::strtod(at, &end);
      y = std::strtod(end, &end);
    } else if (command == 'H') {
      x = std::strtod(at, &end);
    } else if (command == 'V') {
      y = std::strtod(at, &end);
    } else {
      ASSERT_EQ(command, 'Z') << d;
    }
    page.expect_inside(x, y, "path");
    at = end;
  }
}

inline void check_text(const Page& page, const Element& e) {
  const double x = number(e, "x"), y = number(e, "y"), size = number(e, "font-size");
  double letters = 0;
  for (const char c : e.text) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  const double length = 0.5 * size * letters;  // an average sans-serif letter is half as wide as it is high
  const std::string anchor = e.attribute.count("text-anchor") ? e.attribute.at("text-anchor") : "start";
  const double from = anchor == "end" ? -length : anchor == "middle" ? -length / 2 : 0;
  double angle = 0;
  if (e.attribute.count("transform")) {
    const std::string t = e.attribute.at("transform");
    ASSERT_TRUE(t.starts_with("rotate(")) << t;
    angle = std::atof(t.c_str() + 7) * std::numbers::pi / 180;
  }
  for (const double s : {from, from + length})
    page.expect_inside(x + s * std::cos(angle), y + s * std::sin(angle), "text " + e.text);
}

// Well-formed, finite, and everything on the page.
inline std::vector<Element> check(const std::string& svg) {
  EXPECT_THAT(svg, ::testing::Not(::testing::HasSubstr("nan")));
  EXPECT_THAT(svg, ::testing::Not(::testing::HasSubstr("inf")));
  std::vector<Element> all = elements_of(svg);
  const Page page{number(all.front(), "width"), number(all.front(), "height")};
  EXPECT_EQ(all.front().name, "svg");
  bool in_pattern = false;
  for (const Element& e : all) {
    if (e.name == "pattern") in_pattern = true;
    if (e.name == "rect" && !in_pattern) {
      EXPECT_GE(number(e, "width"), 0);
      EXPECT_GE(number(e, "height"), 0);
      page.expect_inside(number(e, "x"), number(e, "y"), "rect");
      page.expect_inside(number(e, "x") + number(e, "width"), number(e, "y") + number(e, "height"), "rect");
    }
    if (e.name == "rect" && in_pattern && number(e, "width") < 2) in_pattern = false;  // the last one in it
    if (e.name == "line") {
      page.expect_inside(number(e, "x1"), number(e, "y1"), "line");
      page.expect_inside(number(e, "x2"), number(e, "y2"), "line");
    }
    if (e.name == "circle") page.expect_inside(number(e, "cx"), number(e, "cy"), "circle");
    if (e.name == "polyline" || e.name == "polygon") check_points(page, e.attribute.at("points"), e.name);
    if (e.name == "path") check_path(page, e.attribute.at("d"));
    if (e.name == "text") check_text(page, e);
  }
  return all;
}

inline std::size_t count(const std::vector<Element>& all, const std::string& name) {
  std::size_t n = 0;
  for (const Element& e : all) n += e.name == name;
  return n;
}

}  // namespace thud::test
