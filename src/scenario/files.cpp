#include "scenario/files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "scenario/reader_tree.hpp"
#include "thud/base/error.hpp"

namespace thud::doc {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest = 10'000'000;

std::vector<std::string> neighbours_of(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored))
    names.push_back(it->path().filename().string());
  return names;
}

std::string load(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status))
    throw std::invalid_argument(fmt::format("there is no file \"{}\"{}", path.string(),
                                            did_you_mean(path.filename().string(), neighbours_of(path))));
  if (fs::is_directory(status)) throw std::invalid_argument(fmt::format("\"{}\" is a folder", path.string()));
  std::ifstream stream(path, std::ios::binary);
  std::string text(largest + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (!stream && stream.gcount() == 0 && !stream.eof()))
    throw std::invalid_argument(fmt::format("\"{}\" cannot be read", path.string()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest)
    throw std::invalid_argument(fmt::format("\"{}\" is larger than 10 MB", path.string()));
  if (!is_utf8(text)) throw std::invalid_argument(fmt::format("\"{}\" is not text in UTF-8", path.string()));
  return text;
}

// A text of several lines in TOML.
std::string quoted(const std::string& text) {
  std::string out = "\"\"\"\n";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"')
      out += '\\', out += c;
    else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F)
      out += fmt::format("\\u{:04X}", byte);
    else
      out += c;
  }
  return out + "\"\"\"";
}

}  // namespace

std::string file_name(const std::string& folder, const std::string& written) {
  return (fs::path(folder) / written).lexically_normal().generic_string();
}

std::string Files::shown(const std::string& name) const {
  return folder_ ? (*folder_ / name).lexically_normal().string() : name;
}

void Files::attach(const std::string& name, std::string text) {
  attached_.insert_or_assign(fs::path(name).lexically_normal().generic_string(), std::move(text));
}

bool Files::is_attached(const std::string& name) const { return attached_.contains(name); }

std::string Files::read_locked(const std::string& name) {
  if (const auto found = attached_.find(name); found != attached_.end()) return found->second;
  if (const auto found = read_.find(name); found != read_.end()) return found->second;
  if (!folder_) {
    std::vector<std::string> known;
    for (const auto& [other, text] : attached_) known.push_back(other);
    throw std::invalid_argument(fmt::format(
        "there is no file \"{}\"{}: this text has no folder that files could be read from; it can carry "
        "them itself, [[attached]] with name and text",
        name, did_you_mean(name, known)));
  }
  return read_.emplace(name, load((*folder_ / name).lexically_normal())).first->second;
}

std::string Files::read(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return read_locked(name);
}

std::shared_ptr<const Curve> Files::curve(const std::string& name, const std::string& column) {
  const std::lock_guard lock(mutex_);
  auto& known = curves_[{name, column}];
  if (!known) known = std::make_shared<const Curve>(read_curve(read_locked(name), shown(name), column));
  return known;
}

std::string Files::as_attached() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, text] : read_)
    out += fmt::format("\n[[attached]]\nname = {}\ntext = {}\n", "\"" + name + "\"", quoted(text));
  return out;
}

}  // namespace thud::doc
