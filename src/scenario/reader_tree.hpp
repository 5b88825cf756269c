#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/files.hpp"
#include "scenario/reader.hpp"

namespace thud::doc {

// The tree behind a Document: TOML values with their places, in file order.

struct Position {
  int line = 0;
  int column = 0;

  auto operator<=>(const Position&) const = default;
};

/// A text that values come from: the document's own, or that of an included file.
struct SourceText {
  std::string file;
  std::string text;
  std::vector<std::size_t> line_starts;  // byte offsets
  std::string folder;                    // relative to the document's: what names in it are relative to
};

/// One value. Nodes are built once by the parser and never move afterwards.
struct Node {
  ValueKind kind = ValueKind::table;
  const SourceText* source = nullptr;
  Position begin, end;  // of the value
  Position key;         // of the key that names it
  std::string name;     // that key
  std::string text;
  double number = 0.0;
  bool flag = false;
  std::vector<Node> children;  // members of a table, items of an array

  mutable std::vector<std::string> asked;  // keys somebody asked for, in that order

  const Node* find(std::string_view key_name) const {
    for (const Node& child : children)
      if (child.name == key_name) return &child;
    return nullptr;
  }
  Node* find(std::string_view key_name) {
    return const_cast<Node*>(static_cast<const Node*>(this)->find(key_name));
  }
  Place place() const {
    const Position& at = begin.line > 0 ? begin : key;
    return {source->file, at.line, at.column};
  }
  Place place_of_key() const { return {source->file, key.line, key.column}; }
};

struct Document::Data {
  SourceText main;
  std::deque<SourceText> parts;  // included
  Node root;
  std::shared_ptr<Files> files;
  const std::atomic<bool>* cancel = nullptr;  // whoever reads on throws once it is set
};

/// Whether a byte of UTF-8 is not the first of its character.
inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
/// Whether a text is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Parses a text into a tree. Throws InputError.
void parse_tree(SourceText& source, Node& root);

/// Reads what the root includes and merges it into the tree: tables that may stand several times follow each other, those
/// of parts first; others are filled together, and no key may be given twice. [replace] then gives parameters of parts
/// other values. Throws InputError.
void merge_parts(Node& root, std::deque<SourceText>& parts, Files& files);

/// Reads the tables that formulas below a node name, as far as they can be read: what cannot is told where it is used.
void read_tables_below(const Node& node, Files& files);

}  // namespace thud::doc
