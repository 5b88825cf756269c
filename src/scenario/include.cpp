// include = ["part.toml"]: parts of scenarios in files of their own.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scenario/expression.hpp"
#include "scenario/reader_tree.hpp"

namespace thud::doc {

namespace {

std::string words(const Place& p) { return fmt::format("{}:{}:{}", p.file, p.line, p.column); }

bool may_repeat(const std::string& key) {
  const KeySpec* spec = scenario_spec().find(key);
  return spec && std::any_of(spec->values.begin(), spec->values.end(), [](const ValueSpec& v) {
           return v.form == Form::tables;
         });
}

// [[attached]] files of the text itself.
void take_attached(const Node& root, Files& files) {
  const Node* list = root.find("attached");
  if (!list) return;
  std::vector<const Node*> tables;
  if (list->kind == ValueKind::table) tables.push_back(list);
  for (const Node& n : list->children)
    if (list->kind == ValueKind::array) tables.push_back(&n);
  for (const Node* t : tables) {
    const Node* name = t->kind == ValueKind::table ? t->find("name") : nullptr;
    const Node* text = t->kind == ValueKind::table ? t->find("text") : nullptr;
    if (!name || !text || name->kind != ValueKind::text || text->kind != ValueKind::text)
      throw InputError(t->place(),
                       "an [[attached]] file has a name and a text: name = \"part.toml\", text = '''...'''");
    if (files.is_attached(name->text))
      throw InputError(name->place(), fmt::format("\"{}\" is attached twice", name->text));
    files.attach(name->text, text->text);
  }
}

class Merger {
 public:
  Merger(std::deque<SourceText>& parts, Files& files) : parts_(parts), files_(files) {}

  // Puts what a file includes before what it says itself.
  void include(Node& root, const std::string& name) {
    std::vector<const Node*> wanted = names_in(root);
    if (wanted.empty()) return;
    way_.push_back(name);
    Node merged;
    merged.source = root.source;
    merged.begin = root.begin;
    merged.end = root.end;
    for (const Node* n : wanted) add_part(*n, merged);
    for (Node& child : root.children)
      if (child.name != "include") add(std::move(child), merged);
    root.children = std::move(merged.children);
    way_.pop_back();
  }

  // The values that the including file gives to parameters of its parts.
  static void replace(Node& root) {
    Node* wanted = root.find("replace");
    if (!wanted) return;
    if (wanted->kind != ValueKind::table)
      throw InputError(wanted->place(), "[replace] is a table of parameters and their values");
    Node* parameters = root.find("parameters");
    std::vector<std::string> known;
    if (parameters)
      for (const Node& p : parameters->children)
        if (p.source != wanted->source) known.push_back(p.name);
    for (Node& value : wanted->children) {
      if (std::find(known.begin(), known.end(), value.name) == known.end())
        throw InputError(
            value.place_of_key(),
            known.empty()
                ? fmt::format("\"{}\" in replace: no included file has parameters", value.name)
                : fmt::format("\"{}\" in replace: no included file has such a parameter{} (known: {})",
                              value.name, did_you_mean(value.name, known), one_of(known)));
      Node& old = *parameters->find(value.name);
      Node* place = old.kind == ValueKind::table ? old.find("value") : &old;
      if (!place) continue;  // the reader tells that it has no value
      std::string name = place->name;
      *place = std::move(value);
      place->name = std::move(name);
    }
    std::erase_if(root.children, [](const Node& n) { return n.name == "replace"; });
  }

 private:
  std::vector<const Node*> names_in(const Node& root) const {
    std::vector<const Node*> out;
    const Node* n = root.find("include");
    if (!n) return out;
    if (n->kind == ValueKind::text) out.push_back(n);
    if (n->kind == ValueKind::array)
      for (const Node& item : n->children) out.push_back(&item);
    const bool good = !out.empty() && std::all_of(out.begin(), out.end(), [](const Node* x) {
      return x->kind == ValueKind::text;
    });
    if (!good)
      throw InputError(
          n->place(),
          "\"include\" must be the name of a file, or an array of names: include = [\"part.toml\"]");
    return out;
  }

  void add_part(const Node& named, Node& into) {
    const std::string name = file_name(named.source->folder, named.text);
    if (std::find(way_.begin(), way_.end(), name) != way_.end()) {
      std::vector<std::string> round(std::find(way_.begin(), way_.end(), name), way_.end());
      round.push_back(name);
      throw InputError(named.place(),
                       fmt::format("\"{}\" includes itself: {}", named.text, fmt::join(round, " -> ")));
    }
    for (const SourceText& s : parts_)
      if (s.file == files_.shown(name))
        throw InputError(named.place(), fmt::format("\"{}\" is included twice", named.text));
    SourceText& source = parts_.emplace_back();
    try {
      source.text = files_.read(name);
    } catch (const std::invalid_argument& e) {
      throw InputError(named.place(), fmt::format("\"include\": {}", e.what()));
    }
    source.file = files_.shown(name);
    source.folder = std::filesystem::path(name).parent_path().generic_string();
    Node part;
    parse_tree(source, part);
    for (const char* own : {"attached", "replace"})
      if (const Node* n = part.find(own))
        throw InputError(n->place_of_key(),
                         fmt::format("\"{}\" belongs into the including file, not into a part", own));
    include(part, name);
    for (Node& child : part.children)
      if (child.name != "title" && child.name != "about") add(std::move(child), into);
  }

  void add(Node&& from, Node& into) {
    Node* there = into.find(from.name);
    if (may_repeat(from.name) && from.kind == ValueKind::table) {  // a single [wall] is a list of one
      Node list;
      list.kind = ValueKind::array;
      list.source = from.source;
      list.begin = from.begin, list.end = from.end, list.key = from.key;
      list.name = from.name;
      list.children.push_back(std::move(from));
      from = std::move(list);
    }
    if (!there) {
      into.children.push_back(std::move(from));
    } else if (from.kind == ValueKind::array && there->kind == ValueKind::array && may_repeat(from.name)) {
      for (Node& item : from.children) {
        refuse_same_name(item, *there);
        there->children.push_back(std::move(item));
      }
    } else if (from.kind == ValueKind::table && there->kind == ValueKind::table) {
      for (Node& member : from.children) {
        if (const Node* twin = there->find(member.name)) refuse(member, *twin, from.name);
        there->children.push_back(std::move(member));
      }
    } else {
      refuse(from, *there, "");
    }
  }

  [[noreturn]] static void refuse(const Node& second, const Node& first, const std::string& table) {
    std::string message = fmt::format("\"{}\"{}{} is given twice; first at {}", second.name,
                                      table.empty() ? "" : " in ", table, words(first.place_of_key()));
    if (table == "parameters")
      message += fmt::format(
          " (another value for a parameter of an included file goes under [replace]: {} = ...)", second.name);
    throw InputError(second.place_of_key(), message);
  }
  static void refuse_same_name(const Node& item, const Node& list) {
    const Node* name = item.find("name");
    if (!name || name->kind != ValueKind::text) return;
    for (const Node& other : list.children)
      if (const Node* twin = other.find("name"); twin && twin->text == name->text)
        throw InputError(name->place(), fmt::format("there are two {} called \"{}\"; the other is at {}",
                                                    list.name, name->text, words(twin->place())));
  }

  std::deque<SourceText>& parts_;
  Files& files_;
  std::vector<std::string> way_;
};

}  // namespace

void merge_parts(Node& root, std::deque<SourceText>& parts, Files& files) {
  take_attached(root, files);
  Merger(parts, files).include(root, std::filesystem::path(root.source->file).filename().generic_string());
  Merger::replace(root);
}

void read_tables_below(const Node& node, Files& files) {
  if (node.kind == ValueKind::text && node.text.starts_with('=')) {
    for (const TableCall& call : table_calls(node.text)) {
      try {
        (void)files.read(file_name(node.source->folder, call.file));
      } catch (const std::invalid_argument&) {
      }
    }
  }
  for (const Node& child : node.children) read_tables_below(child, files);
}

}  // namespace thud::doc
