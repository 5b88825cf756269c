#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "import/spatial.hpp"

namespace thud::imports {

/// An XML file, and where in it things stand.
class XmlFile {
 public:
  /// Throws InputError when it is missing, too large, or no XML.
  explicit XmlFile(const std::string& path);

  pugi::xml_node root() const { return document_.document_element(); }
  const std::string& path() const { return path_; }
  Place place(pugi::xml_node node) const;
  /// Of an attribute; of its element where it is not written there.
  Place place(pugi::xml_node node, std::string_view attribute) const;
  /// Of a byte of the file.
  Place place_at(std::size_t offset) const;

 private:
  std::string path_, text_;
  std::vector<std::size_t> lines_;  // where they begin
  pugi::xml_document document_;
};

/// Where values are read: element and attribute are named in what is thrown.
struct Value {
  const XmlFile* file;
  pugi::xml_node node;
  const char* name;
  std::string text;

  [[noreturn]] void refuse(const std::string& why) const;
  std::vector<double> numbers() const;                   ///< finite ones, divided by blanks
  std::vector<double> numbers(std::size_t count) const;  ///< that many
  double number() const { return numbers(1)[0]; }
  Vec3 vector() const;
  Vec3 direction() const;  ///< of length 1; not zero
  bool yes() const;        ///< "true" or "false"
};

/// The value of an attribute, none when it is not there.
std::optional<Value> value(const XmlFile& file, pugi::xml_node node, const char* name);
/// The same, refused when it is missing.
Value needed(const XmlFile& file, pugi::xml_node node, const char* name);

/// `joint "knee"`, or `joint` where it has no name.
std::string call(pugi::xml_node node);

}  // namespace thud::imports
