// thud synth: a run seen as a measurement would see it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/study/synth.hpp"

namespace thud::cli {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string source, out, rate = "500", time;
  std::vector<std::string> set, noise, observables;
  std::uint64_t seed = 1;
  int count = 1;
};

double read_positive(const std::string& text, const char* unit, const std::string& option) {
  const double x = read_quantity(text, unit, option);
  if (!(x > 0)) throw InputError({option, 0, 0}, "must be positive");
  return x;
}

// "0.1 mm" is for lengths, "0.2 deg" for angles, a bare 0 for everything.
std::pair<std::string, double> read_noise(const std::string& text) {
  const std::string option = "--noise " + text;
  const auto letter = std::find_if(text.begin(), text.end(), [](char c) { return c == ' '; });
  const bool bare = letter == text.end() && text.find_first_not_of("0123456789.") == std::string::npos;
  if (bare) {
    if (read_quantity(text, "", option) != 0)
      throw InputError({option, 0, 0}, "needs a unit, such as \"0.1 mm\"; only 0 goes without");
    return {"", 0};
  }
  for (const char* unit : {"m", "rad", "m/s", "rad/s", "m/s2", "rad/s2", "N", "N m", "J"}) {
    try {
      const double x = read_quantity(text, unit, option);
      if (x < 0) throw InputError({option, 0, 0}, "must not be negative");
      return {unit, x};
    } catch (const InputError& e) {
      if (e.message() == "must not be negative") throw;
    }
  }
  (void)read_quantity(text, "m", option);  // says what is wrong
  return {};
}

struct Output {
  SynthSource source;
  fs::path path;
};

fs::path numbered(const fs::path& path, int k) {
  fs::path out = path;
  return out.replace_filename(fmt::format("{}-{}{}", path.stem().string(), k, path.extension().string()));
}

// A folder takes every file of the study; a file is one of them, or the only one.
std::vector<Output> plan(const Arguments& a) {
  std::vector<SynthSource> sources = find_synth_sources(a.source, read_settings(a.set));
  std::error_code ec;
  const bool is_folder = a.out.ends_with('/') || fs::is_directory(a.out, ec);
  std::vector<Output> out;
  if (is_folder) {
    for (SynthSource& s : sources) {
      const fs::path path = fs::path(a.out) / s.file_name();
      out.push_back({std::move(s), path});
    }
  } else if (sources.size() == 1) {
    out.push_back({std::move(sources[0]), a.out});
  } else {
    std::vector<std::string> known;
    for (SynthSource& s : sources) {
      known.push_back(s.file_name());
      if (known.back() == fs::path(a.out).filename()) out.push_back({std::move(s), a.out});
    }
    if (out.size() != 1)
      throw InputError(
          {"--out " + a.out, 0, 0},
          fmt::format("the study has several files: give a folder, ending in /, or one of them ({})",
                      fmt::join(known, ", ")));
  }
  if (a.count == 1) return out;
  std::vector<Output> repeated;
  for (const Output& o : out)
    for (int k = 1; k <= a.count; ++k) repeated.push_back({o.source, numbered(o.path, k)});
  return repeated;
}

int run_synth(const Arguments& a) {
  SynthOptions options;
  options.rate = read_positive(a.rate, "Hz", "--rate " + a.rate);
  if (!a.time.empty()) options.until = read_positive(a.time, "s", "--time " + a.time);
  if (!a.noise.empty()) options.noise.clear();
  for (const std::string& text : a.noise) options.noise.push_back(read_noise(text));
  options.observables = a.observables;
  const std::vector<Output> outputs = plan(a);
  // All of them before the first is written: bad input leaves no files behind.
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    options.seed = a.seed + k;
    texts.push_back(make_synthetic_csv(outputs[k].source, options));
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const fs::path folder = outputs[k].path.parent_path();
    try {
      if (!folder.empty()) make_folder(folder);
    } catch (const OutputError& e) {
      throw InputError({"--out " + a.out, 0, 0}, e.what());
    }
    write_file(outputs[k].path, texts[k]);
  }
  const auto rows = [](const std::string& text) {
    long n = -1;  // the headings
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) n += text[at] != '#' ? 1 : 0;
    return n;
  };
  for (std::size_t k = 0; k < outputs.size(); ++k)
    print(fmt::format("Wrote {} ({} frames)\n", outputs[k].path.string(), rows(texts[k])));
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_synth_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("synth", "make synthetic measurements of a run, with noise");
  const auto a = std::make_shared<Arguments>();
  c->add_option("STUDY|SCENARIO", a->source,
                "a study with [data], or a scenario; a file or a name of the library")
      ->required();
  c->add_option("--out", a->out,
                "file to write; or a folder, ending in /, for all files of the study's [data]")
      ->type_name("FILE.csv")
      ->required();
  add_set_option(*c, a->set, "set a knob, as in --set eta_d=7; may be repeated");
  c->add_option("--rate", a->rate, "frames per second (default 500)")->type_name("F");
  c->add_option(
       "--noise", a->noise,
       "standard deviation of the noise, such as \"0.1 mm\" (the default) or 0; once per kind of quantity")
      ->type_name("X")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--seed", a->seed, "of the noise (default 1); the files after the first use the next ones")
      ->type_name("N");
  c->add_option("--observables", a->observables,
                "what is measured (default: x and z of the scenario's [points])")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  c->add_option("--time", a->time, "how long to measure (default: to the end of the run)")->type_name("T");
  c->add_option("--count", a->count,
                "so many files of each, with different noise: FILE-1.csv, FILE-2.csv, ...")
      ->type_name("N")
      ->check(CLI::Range(1, 100000).description(""));
  c->footer(
      "Examples:\n"
      "  thud synth free_link_capture --set speed=2 --out drop.csv\n"
      "  thud synth free_link --observables link.tip.z,link.angle --noise \"0.1 mm\" \\\n"
      "             --noise \"0.2 deg\" --out tip.csv\n"
      "  thud synth fit_free_link --out captures/");
  c->callback([a, &exit_code] { exit_code = run_synth(*a); });
}
