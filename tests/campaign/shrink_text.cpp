// Ways to make the text of a scenario smaller.

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "campaign/random.hpp"
#include "campaign/shrink.hpp"

namespace thud::campaign {

namespace {

/// A table: its heading and its lines. Those before the first heading are one without.
struct Block {
  std::vector<std::string> lines;

  bool is(const char* heading) const { return !lines.empty() && lines[0].starts_with(heading); }
  /// [body.shape] belongs to the [[body]] before it.
  bool continues() const {
    const std::size_t end = lines.empty() ? std::string::npos : lines[0].find(']');
    return is("[") && end != std::string::npos && lines[0].substr(0, end).find('.') != std::string::npos;
  }
};
using Blocks = std::vector<Block>;

Blocks split(const std::string& text) {
  Blocks out(1);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    if (line.starts_with("[")) {
      Block next{{line}};
      if (next.continues() && out.size() > 1)
        out.back().lines.push_back(line);
      else
        out.push_back(next);
    } else {
      out.back().lines.push_back(line);
    }
  }
  if (out[0].lines.empty()) out.erase(out.begin());
  return out;
}

std::string join(const Blocks& blocks) {
  std::string out;
  for (const Block& b : blocks) {
    for (const std::string& l : b.lines) out += l + "\n";
    out += "\n";
  }
  return out;
}

std::string value_of(const Block& b, const std::string& key) {
  const std::regex line("^" + key + R"(\s*=\s*(.*)$)");
  std::smatch m;
  for (const std::string& l : b.lines)
    if (std::regex_match(l, m, line)) return m[1];
  return {};
}

// What joints say of where they are attached.
const std::regex attachment(R"re((to = "[^"]*")(, at = ("[^"]*"|[-+.0-9e]+))?)re");

// What hung on `name` hangs on what carried it; the first to hang on a root is the root.
void reattach(Blocks& blocks, const std::string& name, const std::string& joint) {
  const std::regex to("to = \"" + name + "\"");
  std::smatch m;
  for (Block& b : blocks)
    for (std::string& l : b.lines) {
      if (!l.starts_with("joint") || !std::regex_search(l, to)) continue;
      if (std::regex_search(joint, m, attachment))
        l = std::regex_replace(l, attachment, m.str());
      else
        l = "joint = " + joint;
    }
}

// Without `name` in lists and in [initial], and without what cannot do without it.
void forget(Blocks& blocks, const std::string& name) {
  const std::regex item("\"" + name + R"((\.[^"]*)?"(, )?)"), mention("[\"=(* ]" + name + R"([."])");
  Blocks kept;
  for (Block& b : blocks) {
    if (b.is("[initial]") || b.is("[guess]") || b.is("[results]") || b.is("[points]") || b.is("[output]")) {
      std::erase_if(b.lines, [&](const std::string& l) {
        return std::regex_search(l, mention) || l.starts_with("\"" + name + ".");
      });
    } else {
      for (std::string& l : b.lines)
        if (l.starts_with("bodies = [") || l.starts_with("touches = [")) {
          l = std::regex_replace(l, item, "");
          l = std::regex_replace(l, std::regex(", \\]"), "]");
        }
      bool lost = b.is("[[pair]]") && value_of(b, "bodies").find(',') == std::string::npos;
      for (const std::string& l : b.lines)
        lost = lost || (!b.is("[[body]]") && std::regex_search(l, mention));
      if (lost) continue;
    }
    kept.push_back(b);
  }
  blocks = kept;
}

std::string unquoted(const std::string& s) {
  return s.size() > 1 && s.front() == '"' ? s.substr(1, s.size() - 2) : s;
}

}  // namespace

std::vector<std::string> without_bodies(const std::string& text) {
  std::vector<std::string> out;
  const Blocks all = split(text);
  for (std::size_t k = all.size(); k-- > 0;) {
    if (!all[k].is("[[body]]")) continue;
    Blocks rest = all;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    const std::string name = unquoted(value_of(all[k], "name"));
    reattach(rest, name, value_of(all[k], "joint"));
    forget(rest, name);
    out.push_back(join(rest));
  }
  return out;
}

std::vector<std::string> without_tables(const std::string& text) {
  std::vector<std::string> out;
  const Blocks all = split(text);
  for (std::size_t k = all.size(); k-- > 0;) {
    if (all[k].is("[[body]]")) continue;
    Blocks rest = all;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    out.push_back(join(rest));
  }
  return out;
}

std::vector<std::string> without_lines(const std::string& text) {
  std::vector<std::string> out;
  const Blocks all = split(text);
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t i = 0; i < all[k].lines.size(); ++i) {
      if (all[k].lines[i].starts_with("[")) continue;
      Blocks rest = all;
      rest[k].lines.erase(rest[k].lines.begin() + static_cast<std::ptrdiff_t>(i));
      out.push_back(join(rest));
    }
  return out;
}

std::vector<std::string> without_entries(const std::string& text) {
  static const std::regex entry(R"re(, (\w+ = )?("[^"]*"|[-+.0-9e]+)(?=[,\]} ]))re");
  std::vector<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), entry), end; i != end; ++i) {
    std::string less = text;
    less.erase(static_cast<std::size_t>(i->position()), static_cast<std::size_t>(i->length()));
    out.push_back(less);
  }
  return out;
}

std::vector<std::string> with_round_numbers(const std::string& text) {
  static const std::regex number(R"([-+]?\b[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?\b)");
  std::vector<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i) {
    const auto at = static_cast<std::size_t>(i->position());
    const std::string old = i->str();
    if (at > 0
        && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '.'
            || text[at - 1] == '_'))
      continue;
    const double x = std::stod(old);
    for (int digits = 1; digits <= 3; ++digits) {
      const std::string shorter = fmt::format("{:.{}g}", x, digits);
      if (shorter.size() >= old.size()) break;
      std::string less = text;
      out.push_back(less.replace(at, old.size(), shorter));
    }
  }
  return out;
}

}  // namespace thud::campaign
