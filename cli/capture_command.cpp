// thud capture: a look at a file of measured values, before anything is fitted to it.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/study/capture.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::string file, svg, rate, unit, decimal;
  std::vector<double> missing;
  int skip = -1;
  bool json = false, ascii = false;
};

CaptureHints read_hints(const Arguments& a) {
  CaptureHints out;
  if (!a.rate.empty()) {
    out.rate = read_quantity(a.rate, "Hz", "--rate " + a.rate);
    if (!(*out.rate > 0)) throw InputError({"--rate " + a.rate, 0, 0}, "must be positive");
  }
  if (a.skip >= 0) out.skip = a.skip;
  if (!a.decimal.empty()) {
    if (a.decimal != "." && a.decimal != ",")
      throw InputError({"--decimal " + a.decimal, 0, 0}, "must be \".\" or \",\"");
    out.decimal = a.decimal[0];
  }
  if (!a.unit.empty()) (void)read_quantity("1 " + a.unit, "m", "--unit " + a.unit);
  out.unit = a.unit;
  out.missing = a.missing;
  return out;
}

int run_capture(const Arguments& a) {
  const std::unique_ptr<AtomicFile> picture = open_picture(a.svg, {a.file});
  const Capture capture = load_capture_view(a.file, read_hints(a));
  if (picture) {
    picture->write(make_capture_picture(capture));
    picture->commit();
  }
  print(a.json ? to_json(capture) : to_text(capture, style_of_output(a.ascii)));
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_capture_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("capture", "look at a file of measured values before anything is fitted");
  const auto a = std::make_shared<Arguments>();
  c->add_option("FILE", a->file, "measured values, as a laboratory has them")->required();
  c->add_option("--rate", a->rate, "frames per second, where the file tells no times")->type_name("F");
  c->add_option("--unit", a->unit, "of lengths without a unit, such as mm")->type_name("U");
  c->add_option("--missing", a->missing, "a number that means \"not seen\"; may be repeated")
      ->type_name("X")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--skip", a->skip, "lines before the headings (default: found out)")
      ->type_name("N")
      ->check(CLI::Range(0, 100).description(""));
  c->add_option("--decimal", a->decimal, "\".\" or \",\" (default: found out)")->type_name("C");
  c->add_option("--svg", a->svg, "write a picture of all columns there")->type_name("FILE.svg");
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->footer(
      "Says how the file is laid out, its rate, gaps, codes of missing markers, outliers,\n"
      "the plane of motion, which axis is vertical, and about when the first touch is;\n"
      "and the lines with which a study reads it.\n"
      "\n"
      "Examples:\n"
      "  thud capture drop.csv --svg drop.svg\n"
      "  thud capture drop.tsv --rate 500 --unit mm");
  c->callback([a, &exit_code] { exit_code = run_capture(*a); });
}
