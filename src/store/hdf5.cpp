#include "store/hdf5.hpp"

#include <stdexcept>

namespace thud::h5 {

namespace {

// The innermost entry comes first and knows most.
herr_t take_entry(unsigned depth, const H5E_error2_t* entry, void* out) {
  if (depth == 0 && entry->desc) *static_cast<std::string*>(out) = entry->desc;
  return 0;
}

std::string between(const std::string& text, const std::string& head, char end) {
  const auto from = text.find(head);
  if (from == std::string::npos) return {};
  const auto begin = from + head.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

Id attribute_of(hid_t where, const char* name, const Id& type, const Id& space) {
  return {check(H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose};
}

}  // namespace

void be_quiet() {
  // A file that could not be written cannot be closed either, and HDF5 would crash over it when the program ends.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_entry, &text);
  const std::string system = between(text, "error message = '", '\'');
  if (!system.empty()) return system;
  return text.empty() ? "unknown error of HDF5" : text;
}

hid_t check(hid_t result) {
  if (result < 0) throw std::runtime_error(last_error());
  return result;
}

Id text_type() {
  Id type(check(H5Tcopy(H5T_C_S1)), H5Tclose);
  check(H5Tset_size(type, H5T_VARIABLE));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void put_attribute(hid_t where, const char* name, const std::string& text) {
  const Id type = text_type(), space(check(H5Screate(H5S_SCALAR)), H5Sclose);
  const char* data = text.c_str();
  check(H5Awrite(attribute_of(where, name, type, space), type, &data));
}

void put_attribute(hid_t where, const char* name, std::int64_t value) {
  const Id type(check(H5Tcopy(H5T_STD_I64LE)), H5Tclose), space(check(H5Screate(H5S_SCALAR)), H5Sclose);
  check(H5Awrite(attribute_of(where, name, type, space), H5T_NATIVE_INT64, &value));
}

void put_attribute(hid_t where, const char* name, const std::vector<std::string>& texts) {
  const hsize_t size = texts.size();
  const Id type = text_type(), space(check(H5Screate_simple(1, &size, nullptr)), H5Sclose);
  std::vector<const char*> data;
  for (const std::string& text : texts) data.push_back(text.c_str());
  check(H5Awrite(attribute_of(where, name, type, space), type, data.data()));
}

void put_text(hid_t where, const char* name, const std::string& text) {
  const Id type = text_type(), space(check(H5Screate(H5S_SCALAR)), H5Sclose);
  const Id create(check(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  check(H5Pset_obj_track_times(create, false));
  const Id data(check(H5Dcreate2(where, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT)), H5Dclose);
  const char* start = text.c_str();
  check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &start));
}

std::vector<std::string> get_attributes(hid_t where, const char* name) {
  if (H5Aexists(where, name) <= 0) return {};
  const Id attribute(check(H5Aopen(where, name, H5P_DEFAULT)), H5Aclose);
  const Id space(check(H5Aget_space(attribute)), H5Sclose), type = text_type();
  std::vector<char*> data(static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space))));
  check(H5Aread(attribute, type, data.data()));
  const std::vector<std::string> texts(data.begin(), data.end());
  check(H5Dvlen_reclaim(type, space, H5P_DEFAULT, data.data()));
  return texts;
}

std::string get_attribute(hid_t where, const char* name) {
  const std::vector<std::string> texts = get_attributes(where, name);
  return texts.empty() ? "" : texts.front();
}

std::string get_text(hid_t where, const char* name) {
  if (H5Lexists(where, name, H5P_DEFAULT) <= 0) return {};
  const Id data(check(H5Dopen2(where, name, H5P_DEFAULT)), H5Dclose);
  const Id space(check(H5Dget_space(data)), H5Sclose), type = text_type();
  char* start = nullptr;
  check(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &start));
  const std::string text = start ? start : "";
  check(H5Dvlen_reclaim(type, space, H5P_DEFAULT, &start));
  return text;
}

}  // namespace thud::h5
