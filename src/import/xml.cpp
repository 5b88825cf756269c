#include "import/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "thud/base/format.hpp"

namespace thud::imports {

namespace {

constexpr std::size_t largest_file = 16u << 20;
constexpr int deepest = 256, most_elements = 10000;

std::string read_text(const std::string& path) {
  const Place place{path, 0, 0};
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) throw InputError(place, "there is no such file");
  if (std::filesystem::is_directory(path, ec))
    throw InputError(place, "is a folder; give a URDF or MJCF file");
  std::ifstream in(path, std::ios::binary);
  std::string text(largest_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in && !in.eof())) throw InputError(place, "cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > largest_file)
    throw InputError(place, "is larger than 16 MiB; models of a mechanism are far smaller");
  return text;
}

// Whoever walks the tree may then do it by recursion, and look for pairs.
void check_size(const XmlFile& file, pugi::xml_node root) {
  int depth = 0, count = 0;
  pugi::xml_node at = root;
  while (at) {
    if (depth > deepest)
      throw InputError(file.place(at), fmt::format("elements are nested more than {} deep here", deepest));
    if (at.type() == pugi::node_element && ++count > most_elements)
      throw InputError(file.place(at),
                       fmt::format("there are more than {} elements; models of a planar mechanism have "
                                   "far fewer",
                                   most_elements));
    if (at.first_child()) {
      at = at.first_child();
      ++depth;
      continue;
    }
    while (at != root && !at.next_sibling()) at = at.parent(), --depth;
    if (at == root) return;
    at = at.next_sibling();
  }
}

}  // namespace

XmlFile::XmlFile(const std::string& path) : path_(path), text_(read_text(path)) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(i + 1);
  const pugi::xml_parse_result result =
      document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result.status == pugi::status_no_document_element || text_.empty())
    throw InputError({path, 0, 0},
                     "holds no XML; a URDF file begins with <robot>, an MJCF file with <mujoco>");
  if (!result)
    throw InputError(place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))),
                     fmt::format("is no XML: {}", result.description()));
  check_size(*this, root());
}

Place XmlFile::place_at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - 1;
  const std::string_view before = std::string_view(text_).substr(*line, offset - *line);
  return {path_, static_cast<int>(line - lines_.begin()) + 1, static_cast<int>(text_width(before)) + 1};
}

Place XmlFile::place(pugi::xml_node node) const {
  const std::ptrdiff_t at = node.offset_debug();  // of the name, behind the bracket
  return at < 0 ? Place{path_, 0, 0}
                : place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(at - 1, 0)));
}

Place XmlFile::place(pugi::xml_node node, std::string_view attribute) const {
  const std::ptrdiff_t begin = node.offset_debug();
  if (begin < 0 || !node.attribute(std::string(attribute).c_str())) return place(node);
  char quote = 0;
  for (auto i = static_cast<std::size_t>(begin); i < text_.size() && (quote || text_[i] != '>'); ++i) {
    const char c = text_[i];
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? '\0' : c;
    else if (!quote && i > 0 && std::isspace(static_cast<unsigned char>(text_[i - 1]))
             && text_.compare(i, attribute.size(), attribute) == 0
             && std::string_view("= \t\r\n").find(text_[i + attribute.size()]) != std::string_view::npos)
      return place_at(i);
  }
  return place(node);
}

void Value::refuse(const std::string& why) const {
  throw InputError(file->place(node, name), fmt::format("\"{}\" of {}: {}", name, call(node), why));
}

std::vector<double> Value::numbers() const {
  std::vector<double> out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
    double x = 0;
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(x))
      refuse(fmt::format("\"{}\" is not a finite number", word));
    out.push_back(x);
  }
  return out;
}

std::vector<double> Value::numbers(std::size_t count) const {
  std::vector<double> out = numbers();
  if (out.size() != count)
    refuse(fmt::format("\"{}\" has {} number{}; {} needed", text, out.size(), out.size() == 1 ? "" : "s",
                       count == 1 ? "one is" : fmt::format("{} are", count)));
  return out;
}

Vec3 Value::vector() const {
  const std::vector<double> x = numbers(3);
  return {x[0], x[1], x[2]};
}

Vec3 Value::direction() const {
  const Vec3 v = vector();
  const double size = v.norm();
  if (!(size > 1e-12) || !std::isfinite(size)) refuse(fmt::format("\"{}\" is no direction", text));
  return v / size;
}

bool Value::yes() const {
  if (text == "true") return true;
  if (text != "false") refuse(fmt::format("\"{}\" is neither \"true\" nor \"false\"", text));
  return false;
}

std::optional<Value> value(const XmlFile& file, pugi::xml_node node, const char* name) {
  const pugi::xml_attribute a = node.attribute(name);
  if (!a) return std::nullopt;
  return Value{&file, node, name, a.value()};
}

Value needed(const XmlFile& file, pugi::xml_node node, const char* name) {
  if (auto v = value(file, node, name)) return *v;
  throw InputError(file.place(node), fmt::format("{} has no \"{}\"", call(node), name));
}

std::string call(pugi::xml_node node) {
  const pugi::xml_attribute name = node.attribute("name");
  return name && *name.value() ? fmt::format("{} \"{}\"", node.name(), name.value())
                               : std::string(node.name());
}

}  // namespace thud::imports
