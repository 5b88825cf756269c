#include "thud/study/sweep_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "store/hdf5.hpp"
#include "store/seal.hpp"
#include "study/sweep_writer.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/store/file.hpp"

namespace thud {

namespace fs = std::filesystem;
using h5::check;
using h5::Id;

// ---- writing -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t rows_per_chunk = 65536;
constexpr std::size_t longest_message = 500;

Id make_group(hid_t where, const char* name) {
  const Id create(check(H5Pcreate(H5P_GROUP_CREATE)), H5Pclose);
  check(H5Pset_obj_track_times(create, false));
  check(H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  return {check(H5Gcreate2(where, name, H5P_DEFAULT, create, H5P_DEFAULT)), H5Gclose};
}

// One-dimensional, in chunks of a size that depends on the length alone.
Id make_dataset(hid_t where, const char* name, hid_t type, std::int64_t length) {
  const hsize_t size = static_cast<hsize_t>(length);
  const hsize_t chunk = static_cast<hsize_t>(std::clamp<std::int64_t>(length, 1, rows_per_chunk));
  const Id space(check(H5Screate_simple(1, &size, nullptr)), H5Sclose);
  const Id create(check(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  check(H5Pset_obj_track_times(create, false));
  if (length > 0) check(H5Pset_chunk(create, 1, &chunk));
  return {check(H5Dcreate2(where, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT)), H5Dclose};
}

void write_rows(hid_t dataset, hid_t type, std::int64_t first, std::int64_t count, const void* rows) {
  if (count == 0) return;
  const hsize_t start = static_cast<hsize_t>(first), size = static_cast<hsize_t>(count);
  const Id file(check(H5Dget_space(dataset)), H5Sclose),
      memory(check(H5Screate_simple(1, &size, nullptr)), H5Sclose);
  check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, nullptr, &size, nullptr));
  check(H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, rows));
}

Id status_type() {
  Id type(check(H5Tenum_create(H5T_STD_U8LE)), H5Tclose);
  for (std::uint8_t s = 0; s <= static_cast<std::uint8_t>(SweepStatus::failed); ++s)
    check(H5Tenum_insert(type, status_name(static_cast<SweepStatus>(s)), &s));
  return type;
}

// A data set that is filled from its first row to its last.
template <class T>
class Rows {
 public:
  Rows(Id dataset, Id type) : dataset_(std::move(dataset)), type_(std::move(type)) {
    buffer_.reserve(static_cast<std::size_t>(rows_per_chunk));
  }
  void put(T x) {
    buffer_.push_back(x);
    if (static_cast<std::int64_t>(buffer_.size()) == rows_per_chunk) flush();
  }
  void flush() {
    write_rows(dataset_, type_, at_, static_cast<std::int64_t>(buffer_.size()), buffer_.data());
    at_ += static_cast<std::int64_t>(buffer_.size());
    buffer_.clear();
  }

 private:
  Id dataset_, type_;
  std::vector<T> buffer_;
  std::int64_t at_ = 0;
};

std::size_t length_of(const std::string& message) {
  std::size_t n = std::min(message.size(), longest_message);
  if (n < message.size())
    while (n > 0 && (static_cast<unsigned char>(message[n]) & 0xc0) == 0x80) --n;  // not within a character
  return n;
}

// The messages, in records of one length.
class Messages {
 public:
  Messages(hid_t file, std::int64_t count, std::size_t length)
      : length_(std::max<std::size_t>(length, 1)),
        type_(check(H5Tcopy(H5T_C_S1)), H5Tclose) {
    const Id group = make_group(file, "messages");
    h5::put_attribute(group, "description", "why runs did not reach what was asked");
    check(H5Tset_size(type_, length_));
    check(H5Tset_strpad(type_, H5T_STR_NULLPAD));
    check(H5Tset_cset(type_, H5T_CSET_UTF8));
    run_ = make_dataset(group, "run", H5T_STD_I64LE, count);
    text_ = make_dataset(group, "text", type_, count);
  }
  void put(std::int64_t run, const std::string& message) {
    runs_.push_back(run);
    std::string text = message.substr(0, length_of(message));
    text.resize(length_);
    texts_ += text;
    if (runs_.size() == 4096) flush();
  }
  void flush() {
    const auto count = static_cast<std::int64_t>(runs_.size());
    write_rows(run_, H5T_NATIVE_INT64, at_, count, runs_.data());
    write_rows(text_, type_, at_, count, texts_.data());
    at_ += count;
    runs_.clear();
    texts_.clear();
  }

 private:
  std::size_t length_;
  Id type_, run_, text_;
  std::vector<std::int64_t> runs_;
  std::string texts_;
  std::int64_t at_ = 0;
};

Rows<double> make_column(hid_t group, const SweepColumn& column, std::int64_t runs) {
  Id data = make_dataset(group, column.name.c_str(), H5T_IEEE_F64LE, runs);
  h5::put_attribute(data, "unit", column.unit);
  h5::put_attribute(data, "description", column.about);
  if (!column.shown_in.empty()) h5::put_attribute(data, "shown_in", column.shown_in);
  if (!column.choices.empty()) h5::put_attribute(data, "choices", column.choices);
  return {std::move(data), Id(check(H5Tcopy(H5T_NATIVE_DOUBLE)), H5Tclose)};
}

void put_head(hid_t file, const Study& study, const SweepIdentity& identity,
              const std::vector<SweepColumn>& columns, std::int64_t runs) {
  constexpr const char* kinds[] = {"grid", "random", "latin", "sobol"};
  h5::put_attribute(file, "schema", "thud sweep");
  h5::put_attribute(file, "schema_version", 1);
  h5::put_attribute(file, "thud_version", identity.version);
  h5::put_attribute(file, "title", study.title);
  h5::put_attribute(file, "about", study.about);
  h5::put_attribute(file, "scenario_name", fs::path(study.scenario).stem().string());
  h5::put_attribute(file, "design", kinds[static_cast<int>(study.design.kind)]);
  h5::put_attribute(file, "seed", static_cast<std::int64_t>(study.design.seed));
  h5::put_attribute(file, "runs", runs);
  std::vector<std::string> names;
  for (const SweepColumn& c : columns) names.push_back(c.name);
  h5::put_attribute(file, "columns", names);
  h5::put_text(file, "study", identity.study);
  h5::put_text(file, "scenario", identity.scenario);
  h5::put_text(file, "settings", identity.settings);
}

// Of a name that is free: what was planted under it is not followed. Closing the file closes what is open in it: nothing is left to be written when the program ends.
Id open_for_writing(const fs::path& path) {
  const Id access(check(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  return {check(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access)), H5Fclose};
}

struct MessageSize {
  std::int64_t count = 0;
  std::size_t longest = 0;
};

MessageSize measure_messages(Journal& journal) {
  MessageSize size;
  journal.read([&](const SweepChunk& chunk) {
    size.count += static_cast<std::int64_t>(chunk.messages.size());
    for (const auto& [run, text] : chunk.messages) size.longest = std::max(size.longest, length_of(text));
  });
  return size;
}

void fill_file(hid_t file, const Study& study, const std::vector<SweepColumn>& columns, DesignPoints& points,
               Journal& journal) {
  const std::size_t knobs = study.vary.size();
  const Id knob_group = make_group(file, "knobs"), output_group = make_group(file, "outputs");
  std::vector<Rows<double>> rows;
  for (const SweepColumn& c : columns)
    rows.push_back(make_column(c.is_knob ? knob_group : output_group, c, points.size()));
  Id status_data = make_dataset(file, "status", status_type(), points.size());
  h5::put_attribute(status_data, "description", "how the run went");
  Rows<SweepStatus> status(std::move(status_data), status_type());
  const MessageSize size = measure_messages(journal);
  Messages messages(file, size.count, size.longest);

  std::vector<double> values(knobs);
  journal.read([&](const SweepChunk& chunk) {
    if (knobs + chunk.width != columns.size())
      throw std::runtime_error("its journal is of a sweep with other outputs");
    const double* output = chunk.outputs.data();
    for (std::int64_t i = 0; i < chunk.count(); ++i) {
      points.get(chunk.first + i, values);
      for (std::size_t k = 0; k < knobs; ++k) rows[k].put(values[k]);
      for (std::size_t k = 0; k < chunk.width; ++k) rows[knobs + k].put(*output++);
      status.put(chunk.status[static_cast<std::size_t>(i)]);
    }
    for (const auto& [run, text] : chunk.messages) messages.put(chunk.first + run, text);
  });
  for (Rows<double>& r : rows) r.flush();
  status.flush();
  messages.flush();
}

}  // namespace

std::vector<SweepColumn> columns_of(const Study& study, const std::vector<FamilyOutput>& outputs) {
  std::vector<SweepColumn> columns;
  for (const VariedKnob& v : study.vary) {
    const Knob& k = v.knob;
    columns.push_back({k.name, si_unit_of(k.unit), k.about, k.unit, k.choices, true});
  }
  for (const FamilyOutput& o : outputs) columns.push_back({o.name, o.unit, o.about, {}, {}, false});
  return columns;
}

void write_sweep_file(const fs::path& path, const Study& study, const SweepIdentity& identity,
                      const std::vector<SweepColumn>& columns, DesignPoints& points, Journal& journal) {
  h5::be_quiet();
  try {
    Id file = open_for_writing(path);
    put_head(file, study, identity, columns, points.size());
    fill_file(file, study, columns, points, journal);
    if (!file.close()) throw std::runtime_error(h5::last_error());
    seal_file(path);
  } catch (const OutputError&) {
    throw;
  } catch (const std::runtime_error& e) {
    throw OutputError(fmt::format("cannot write {}: {}", path.string(), e.what()));
  }
}

// ---- reading -----------------------------------------------------------------------------------------------------

struct SweepFile::Impl {
  fs::path path;
  Id file;
  std::vector<SweepColumn> columns;
  std::vector<Id> data;
  Id status;
  std::int64_t runs = 0;

  // Rows of a data set into memory.
  void read(hid_t dataset, hid_t type, std::int64_t first, std::size_t count, void* out) const {
    if (count == 0) return;
    const hsize_t start = static_cast<hsize_t>(first), size = count;
    try {
      const Id space(check(H5Dget_space(dataset)), H5Sclose),
          memory(check(H5Screate_simple(1, &size, nullptr)), H5Sclose);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &size, nullptr));
      check(H5Dread(dataset, type, memory, space, H5P_DEFAULT, out));
    } catch (const std::runtime_error& e) {
      throw InputError({path.string()}, fmt::format("cannot be read: {}", e.what()));
    }
  }

  void add_column(const Id& group, const std::string& name, bool is_knob) {
    Id d(check(H5Dopen2(group, name.c_str(), H5P_DEFAULT)), H5Dclose);
    columns.push_back({name, h5::get_attribute(d, "unit"), h5::get_attribute(d, "description"),
                       h5::get_attribute(d, "shown_in"), h5::get_attributes(d, "choices"), is_knob});
    data.push_back(std::move(d));
  }

  void open() {
    file = Id(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)), H5Fclose);
    if (h5::get_attribute(file, "schema") != "thud sweep")
      throw std::runtime_error("it is another HDF5 file");
    const Id knobs(check(H5Gopen2(file, "knobs", H5P_DEFAULT)), H5Gclose),
        outputs(check(H5Gopen2(file, "outputs", H5P_DEFAULT)), H5Gclose);
    for (const std::string& name : h5::get_attributes(file, "columns")) {
      const bool is_knob = H5Lexists(knobs, name.c_str(), H5P_DEFAULT) > 0;
      add_column(is_knob ? knobs : outputs, name, is_knob);
    }
    status = Id(check(H5Dopen2(file, "status", H5P_DEFAULT)), H5Dclose);
    const Id space(check(H5Dget_space(status)), H5Sclose);
    runs = check(H5Sget_simple_extent_npoints(space));
  }
};

SweepFile::SweepFile(const fs::path& path) : impl_(std::make_unique<Impl>()) {
  h5::be_quiet();
  impl_->path = path;
  try {
    check_seal(path);
    impl_->open();
  } catch (const std::runtime_error& e) {
    throw InputError({path.string()}, fmt::format("is not the result of a sweep: {}", e.what()));
  }
}

SweepFile::~SweepFile() = default;
SweepFile::SweepFile(SweepFile&&) noexcept = default;

std::int64_t SweepFile::runs() const { return impl_->runs; }
const std::vector<SweepColumn>& SweepFile::columns() const { return impl_->columns; }

int SweepFile::find(std::string_view name) const {
  for (std::size_t i = 0; i < impl_->columns.size(); ++i)
    if (impl_->columns[i].name == name) return static_cast<int>(i);
  return -1;
}

void SweepFile::read(std::size_t column, std::int64_t first, std::span<double> values) const {
  impl_->read(impl_->data[column], H5T_NATIVE_DOUBLE, first, values.size(), values.data());
}

void SweepFile::read_status(std::int64_t first, std::span<SweepStatus> status) const {
  impl_->read(impl_->status, status_type(), first, status.size(), status.data());
}

void SweepFile::read_messages(const std::function<void(std::int64_t, const std::string&)>& sink) const {
  const Id run(check(H5Dopen2(impl_->file, "messages/run", H5P_DEFAULT)), H5Dclose),
      text(check(H5Dopen2(impl_->file, "messages/text", H5P_DEFAULT)), H5Dclose);
  const Id type(check(H5Dget_type(text)), H5Tclose), space(check(H5Dget_space(run)), H5Sclose);
  const std::int64_t total = check(H5Sget_simple_extent_npoints(space));
  const std::size_t length = H5Tget_size(type);
  std::vector<std::int64_t> runs;
  std::string texts;
  for (std::int64_t first = 0; first < total; first += 4096) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(4096, total - first));
    runs.resize(count);
    texts.resize(count * length);
    impl_->read(run, H5T_NATIVE_INT64, first, count, runs.data());
    impl_->read(text, type, first, count, texts.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string message = texts.substr(i * length, length);
      sink(runs[i], message.substr(0, message.find('\0')));
    }
  }
}

std::string SweepFile::text(const std::string& name) const {
  return H5Lexists(impl_->file, name.c_str(), H5P_DEFAULT) > 0 ? h5::get_text(impl_->file, name.c_str())
                                                               : h5::get_attribute(impl_->file, name.c_str());
}

// ---- CSV ---------------------------------------------------------------------------------------------------------

namespace {

std::string csv_header(const SweepFile& file) {
  std::string out = "run";
  for (const SweepColumn& c : file.columns())
    out += "," + csv_field(c.unit.empty() ? c.name : fmt::format("{} [{}]", c.name, c.unit));
  return out + ",status,message\n";
}

void put_csv_value(std::string& out, const SweepColumn& column, double x) {
  out += ',';
  if (!column.choices.empty())
    out += csv_field(column.choices.at(static_cast<std::size_t>(x)));
  else if (std::isfinite(x))
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), x);
}

}  // namespace

void write_sweep_csv(const SweepFile& file, const TextSink& sink) {
  sink(csv_header(file));
  constexpr std::int64_t block = 4096;
  const std::size_t width = file.columns().size();
  std::vector<double> values(width * block);
  std::vector<SweepStatus> status(block);
  std::string out;
  std::int64_t row = 0, loaded = 0;
  const auto put_row = [&](const std::string& message) {
    if (row == loaded) {
      const auto n = static_cast<std::size_t>(std::min(block, file.runs() - row));
      for (std::size_t c = 0; c < width; ++c) file.read(c, row, std::span(values).subspan(c * block, n));
      file.read_status(row, std::span(status).first(n));
      loaded += static_cast<std::int64_t>(n);
    }
    const auto at = static_cast<std::size_t>(row % block);
    out += fmt::format(FMT_COMPILE("{}"), row);
    for (std::size_t c = 0; c < width; ++c) put_csv_value(out, file.columns()[c], values[c * block + at]);
    out += fmt::format(",{},{}\n", status_name(status[at]), csv_field(message));
    ++row;
    if (out.size() > 1 << 16) sink(out), out.clear();
  };
  file.read_messages([&](std::int64_t run, const std::string& message) {
    while (row < run) put_row("");
    put_row(message);
  });
  while (row < file.runs()) put_row("");
  sink(out);
}

}  // namespace thud
