#pragma once
// What is kept as JSON in a folder of the data: tables and figures, each with an id.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "study/select_ids.hpp"
#include "thud/base/error.hpp"

namespace thud {

/// Every .json file of a folder, in the order of their names.
[[nodiscard]] inline std::vector<std::filesystem::path> list_json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code ec;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, ec))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

[[nodiscard]] inline std::string read_reference_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw InputError({path.string()}, "cannot be read");
  return text;
}

/// `key_of` tells what must not be the same in two of them; `what` is for the message: "table".
template <class Item, class Key>
void refuse_repeated(const std::vector<Item>& items, Key&& key_of, const char* what) {
  std::set<std::string> seen;
  for (const Item& item : items)
    if (!seen.insert(key_of(item)).second)
      throw InputError({item.file}, fmt::format("there is another {} \"{}\"", what, item.id));
}

/// Those that the ids mean (select_ids), in the order of `all`.
template <class Item>
[[nodiscard]] std::vector<Item> select_by_ids(const std::vector<Item>& all,
                                              const std::vector<std::string>& ids, const char* what) {
  std::vector<std::string> known;
  for (const Item& item : all) known.push_back(item.id);
  const std::vector<bool> wanted = select_ids(known, ids, what);
  std::vector<Item> selected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) selected.push_back(all[i]);
  return selected;
}

}  // namespace thud
