// Source of truth: the texts below; lines and columns are counted by eye, from 1, in characters.
#include "scenario/reader.hpp"

#include "thud/base/error.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <string>

namespace thud::doc {
namespace {

constexpr double pi = std::numbers::pi;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

std::string parse_refusal(const std::string& text) {
  return refusal([&] { (void)Document::parse(text, "f.toml"); });
}

Table root_of(const std::string& text) { return Document::parse(text, "f.toml").root(); }

// ---- names and errors -------------------------------------------------------------------------

TEST(InputErrors, what_names_the_place) {
  EXPECT_STREQ(InputError({"a.toml", 3, 7}, "wrong").what(), "a.toml:3:7: wrong");
  EXPECT_STREQ(InputError({"a.toml", 0, 0}, "wrong").what(), "a.toml: wrong");
  EXPECT_STREQ(InputError({}, "wrong").what(), "wrong");
  const InputError error({"a.toml", 3, 7}, "wrong");
  EXPECT_EQ(error.message(), "wrong");
  EXPECT_EQ(error.place().line, 3);
  EXPECT_EQ(error.place().column, 7);
}

TEST(InputErrors, suggestions) {
  const std::vector<std::string> known{"length", "width", "mass", "name"};
  EXPECT_EQ(suggest("lenght", known), "length");  // a transposition is one step
  EXPECT_EQ(suggest("Length", known), "length");
  EXPECT_EQ(suggest("mas", known), "mass");
  EXPECT_EQ(suggest("widht", known), "width");
  EXPECT_EQ(suggest("colour", known), "");
  EXPECT_EQ(suggest("", known), "");
  EXPECT_EQ(suggest("m", {"k"}), "");
  EXPECT_EQ(suggest(std::string(100000, 'x'), known), "");
}

TEST(InputErrors, lists) {
  EXPECT_EQ(one_of({}), "");
  EXPECT_EQ(one_of({"a"}), "a");
  EXPECT_EQ(one_of({"a", "b"}), "a or b");
  EXPECT_EQ(one_of({"a", "b", "c"}), "a, b or c");
}

// ---- documents --------------------------------------------------------------------------------

TEST(Document, empty_files) {
  const std::string expected = "f.toml: the file is empty; a scenario needs at least one table";
  EXPECT_EQ(parse_refusal(""), expected);
  EXPECT_EQ(parse_refusal("\n  \n# only a comment\n"), expected);
  EXPECT_EQ(parse_refusal("\xEF\xBB\xBF"), expected);
}

TEST(Document, syntax_errors_say_where_and_what_to_do) {
  EXPECT_EQ(parse_refusal("a = 1\nb = 5 m\n"),
            "f.toml:2:7: expected a comment or whitespace, saw 'm'; a number with a unit needs "
            "quotes, e.g. \"5 mm\"");
  EXPECT_EQ(parse_refusal("a = hello\n"),
            "f.toml:1:5: this is not a value; text and numbers with a unit need quotes: \"...\"");
  EXPECT_EQ(parse_refusal("a b = 1"), "f.toml:1:3: expected '=', saw 'b'");
  EXPECT_EQ(parse_refusal("x = 1\n[a"),
            "f.toml:2:3: the file ends too early: something is not closed or missing");
  EXPECT_EQ(parse_refusal("a = \"x\nb = 1\n"), "f.toml:1:7: the quote that closes this text is missing");
  EXPECT_EQ(parse_refusal("a = { b = 1,\n c = 2 }\n"),
            "f.toml:1:13: a table in braces stays on one line and has no comma at its end");
  EXPECT_EQ(parse_refusal("a = .5\n"), "f.toml:1:5: a decimal point needs digits on both sides");
  EXPECT_EQ(parse_refusal("a = 5.\n"), "f.toml:1:7: a decimal point needs digits on both sides");
  EXPECT_EQ(parse_refusal("é = 1\n"), "f.toml:1:1: expected keys, tables, whitespace or comments, saw 'é'");
  EXPECT_EQ(parse_refusal("a = 07"), "f.toml:1:7: a number must not begin with a needless 0");
}

TEST(Document, duplicate_keys) {
  EXPECT_EQ(parse_refusal("a = 1\nb = 2\na = 3\n"), "f.toml:3:1: \"a\" is given twice");
  EXPECT_EQ(parse_refusal("[x]\n  long = 1\n  long = 2\n"), "f.toml:3:3: \"long\" is given twice");
  EXPECT_EQ(parse_refusal("a = 1\n[a]\n"), "f.toml:2:1: \"a\" is given twice");
}

TEST(Document, huge_numbers) {
  EXPECT_NE(parse_refusal("a = 1e999").find("the number is too large or badly written"), std::string::npos);
  EXPECT_NE(parse_refusal("a = 99999999999999999999").find("the number is too large or badly written"),
            std::string::npos);
  EXPECT_EQ(root_of("a = 1e60").number("a", Dimension::length), 1e60);
  for (const char* text : {"a = 1.01e60", "a = -1e300", "a = '1e60 km'", "a = '=1e30^3'"})
    EXPECT_THROW((void)root_of(text).number("a", Dimension::length), InputError) << text;
}

TEST(Document, bytes_that_are_not_text) {
  EXPECT_EQ(parse_refusal("a = 1\n\xFF\xFE"),
            "f.toml:2:1: this is not text in UTF-8; a scenario is a TOML text file");
  // Cut short, overlong, a surrogate, beyond Unicode.
  for (const char* bad : {"é\xC3", "é\xC0\x80", "é\xED\xA0\x80", "é\xF5\x80\x80\x80", "é\xF4\x90\x80\x80"})
    EXPECT_EQ(parse_refusal(std::string("#") + bad),
              "f.toml:1:3: this is not text in UTF-8; a scenario is a TOML text file");
  EXPECT_NO_THROW((void)root_of("a = 'é€😀'"));
  for (int round = 0; round < 500; ++round) {
    std::string text;
    const int length = static_cast<int>(uniform_hash(round, -1) * 200);
    for (int i = 0; i < length; ++i)
      text += static_cast<char>(static_cast<int>(uniform_hash(round, i) * 256.0));
    try {
      (void)Document::parse(text, "f.toml");
    } catch (const InputError& e) {
      EXPECT_FALSE(e.message().empty());
    }
  }
}

TEST(Document, damaged_scenarios_are_refused_and_nothing_worse) {
  const std::string good =
      "[[body]]\nname = \"a\"\nshape = { length = \"2 m\", at = [1, 2.5] }\n"
      "[x.y]\nz.w = '''q'''\nb = true\n";
  for (int round = 0; round < 2000; ++round) {
    std::string text = good;
    const int changes = 1 + static_cast<int>(uniform_hash(round, 0) * 4);
    for (int i = 1; i <= changes; ++i) {
      const auto at = static_cast<std::size_t>(uniform_hash(round, 2 * i) * static_cast<double>(text.size()));
      text[at] = "\"'[]{}=.,#\n \\x1-\xC3"[static_cast<std::size_t>(uniform_hash(round, 2 * i + 1) * 17)];
    }
    try {
      const Table root = root_of(text);
      for (const Table& body : root.tables("body")) {
        (void)body.text_or("name", "");
        (void)body.place_of("shape");
        (void)body.written("shape");
        body.finish();
      }
      root.finish();
    } catch (const InputError& e) {
      EXPECT_FALSE(e.message().empty());
    }
  }
}

TEST(Document, deep_nesting) {
  EXPECT_NE(parse_refusal("a = " + std::string(100000, '[')), "(accepted)");
  EXPECT_NE(parse_refusal("a = " + std::string(100, '[') + std::string(100, ']'))
                .find("nest deeper than 64 levels"),
            std::string::npos);
  std::string dotted = "a";
  for (int i = 0; i < 1000000; ++i) dotted += ".a";
  EXPECT_EQ(parse_refusal("b = 1\n" + dotted + " = 1"), "f.toml:2:1: a dotted key has more than 32 parts");
  EXPECT_EQ(parse_refusal("[" + dotted + "]\n"), "f.toml:1:1: a dotted key has more than 32 parts");
  // The worst the two limits let through together: tables within tables, each by a long key.
  std::string worst = "x = ";
  for (int i = 0; i < 250; ++i) worst += "{ " + dotted.substr(0, 63) + " = ";
  EXPECT_NE(parse_refusal(worst + "1" + std::string(250, '}')), "(accepted)");
  // Dots in texts and comments are just dots.
  const std::string dots(100, '.');
  EXPECT_NO_THROW((void)root_of("a = \"" + dots + "\" # " + dots + "\nb = '''\n" + dots + "'''\n"));
}

TEST(Document, line_ends_and_byte_order_mark) {
  const Table root = root_of(
      "\xEF\xBB\xBF"
      "a = 1\r\nb = \"x\"\r\n");
  EXPECT_EQ(root.text("b"), "x");
  EXPECT_EQ(root.place_of("b").line, 2);
  EXPECT_EQ(root.written("a"), "1");
}

// ---- files ------------------------------------------------------------------------------------

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("thud_reader_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    write("pendulum.toml", "a = 1\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string load_refusal(const std::string& name) const {
    return refusal([&] { (void)load_document(folder_ / name); });
  }

  std::filesystem::path folder_;
};

TEST_F(Files, good) {
  const Document document = load_document(folder_ / "pendulum.toml");
  EXPECT_EQ(document.file(), at("pendulum.toml"));
  EXPECT_EQ(document.text(), "a = 1\n");
  EXPECT_EQ(document.root().number("a", Dimension::none), 1.0);
}

TEST_F(Files, missing) {
  EXPECT_EQ(load_refusal("pendulm.toml"),
            at("pendulm.toml") + ": no such file; did you mean \"" + at("pendulum.toml") + "\"?");
  EXPECT_EQ(load_refusal("pendulum"),
            at("pendulum") + ": no such file; did you mean \"" + at("pendulum.toml") + "\"?");
  EXPECT_EQ(load_refusal("wibble.toml"), at("wibble.toml") + ": no such file");
  EXPECT_EQ(load_refusal("no/x.toml"),
            at("no/x.toml") + ": no such file: there is no folder \"" + at("no") + "\"");
  EXPECT_NE(refusal([] { (void)load_document(""); }), "(accepted)");
}

TEST_F(Files, folder) {
  EXPECT_EQ(refusal([&] { (void)load_document(folder_); }),
            folder_.string() + ": this is a folder, not a scenario file; it holds e.g. \""
                + at("pendulum.toml") + "\"");
}

TEST_F(Files, too_large) {
  write("big.toml", "a = 1\n" + std::string(10'000'000, '#'));
  EXPECT_EQ(load_refusal("big.toml"),
            at("big.toml") + ": the file is larger than 10 MB; that is no scenario");
}

TEST_F(Files, endless) {
  EXPECT_NE(refusal([] { (void)load_document("/dev/zero"); }), "(accepted)");
}

TEST_F(Files, unreadable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::filesystem::permissions(folder_ / "pendulum.toml", std::filesystem::perms::none);
  EXPECT_EQ(load_refusal("pendulum.toml"), at("pendulum.toml") + ": the file cannot be opened for reading");
}

TEST_F(Files, empty) {
  write("empty.toml", "");
  EXPECT_EQ(load_refusal("empty.toml"),
            at("empty.toml") + ": the file is empty; a scenario needs at least one table");
}

// ---- numbers ----------------------------------------------------------------------------------

TEST(Tables, numbers) {
  SymbolTable symbols;
  symbols.set("a", 0.5);
  const Table t =
      root_of("x = 2\ny = 2.5\nz = \"20 mm\"\nw = \"=a/2\"\nangle = \"180 deg\"\n").with_symbols(symbols);
  EXPECT_EQ(t.number("x", Dimension::length), 2.0);
  EXPECT_EQ(t.number("y", Dimension::length), 2.5);
  EXPECT_EQ(t.number("z", Dimension::length), 0.02);
  EXPECT_EQ(t.number("w", Dimension::length), 0.25);
  EXPECT_EQ(t.number("angle", Dimension::angle), pi);
  EXPECT_EQ(t.number_or("nope", 7.0, Dimension::length), 7.0);
  EXPECT_EQ(t.number_or_none("nope", Dimension::length), std::nullopt);
  EXPECT_EQ(t.number_or_none("x", Dimension::length), 2.0);
  EXPECT_EQ(t.number("x", Quantity{Dimension::length, {}, "mm"}), 0.002);
}

TEST(Tables, number_refusals) {
  const std::string text =
      "[[body]]\n"                      // 1
      "name = \"link\"\n"               // 2
      "mass = -3\n"                     // 3
      "arm = [1, 2]\n"                  // 4
      "size = { length = \"3 kg\" }\n"  // 5
      "tiny = \"-5 mm\"\n"              // 6
      "bad = nan\n"                     // 7
      "day = 2020-01-01\n"              // 8
      "sum = \"=1 + lenght\"\n"         // 9
      "neg = \"=0-1\"\n"                // 10
      "two = \"2\"\n"                   // 11
      "big = inf\n";                    // 12
  SymbolTable symbols;
  symbols.set("length", 1.0);
  const Table body = root_of(text).with_symbols(symbols).tables("body").at(0);
  const auto number = [&](const char* key, Dimension dimension, Range range = {}) {
    return refusal([&] { (void)body.number(key, dimension, range); });
  };
  EXPECT_EQ(number("mass", Dimension::mass, Range::positive()),
            "f.toml:3:8: \"mass\" in body \"link\" must be > 0 kg; it is -3");
  EXPECT_EQ(number("arm", Dimension::length),
            "f.toml:4:7: \"arm\" in body \"link\" must be a length, i.e. a number in m or a text "
            "such as \"200 mm\"; it is an array: [1, 2]");
  EXPECT_EQ(refusal([&] { (void)body.table("size").number("length", Dimension::length); }),
            "f.toml:5:19: \"length\" in body \"link\" > size: \"kg\" is a mass unit; a length is "
            "expected (m, mm, in, ...)");
  EXPECT_EQ(number("tiny", Dimension::length, Range::non_negative()),
            "f.toml:6:8: \"tiny\" in body \"link\" must be >= 0 m; it is \"-5 mm\", that is -0.005 m");
  EXPECT_EQ(number("bad", Dimension::length),
            "f.toml:7:7: \"bad\" in body \"link\" must be a finite number; it is nan");
  EXPECT_EQ(number("big", Dimension::length),
            "f.toml:12:7: \"big\" in body \"link\" must be a finite number; it is inf");
  EXPECT_EQ(number("day", Dimension::none),
            "f.toml:8:7: \"day\" in body \"link\" must be a plain number; it is a date: 2020-01-01");
  EXPECT_EQ(number("sum", Dimension::length),
            "f.toml:9:13: \"sum\" in body \"link\": unknown name \"lenght\" in \"1 + lenght\"; did you "
            "mean \"length\"?");
  EXPECT_EQ(number("neg", Dimension::none, Range::between(0, 1)),
            "f.toml:10:7: \"neg\" in body \"link\" must be between 0 and 1; it is \"=0-1\", that is -1");
  EXPECT_EQ(number("two", Dimension::length),
            "f.toml:11:7: \"two\" in body \"link\": \"2\" has no unit; drop the quotes to mean m, or "
            "add a unit (m, mm, in, ...)");
}

TEST(Tables, missing_keys) {
  const Table t = root_of("[body]\nmasss = 1\n\n[empty]\n");
  EXPECT_EQ(refusal([&] { (void)t.table("body").number("mass", Dimension::mass); }),
            "f.toml:2:1: \"mass\" in body is missing; is \"masss\" a misspelling of it?");
  EXPECT_EQ(refusal([&] { (void)t.table("empty").number("mass", Dimension::mass, Range::positive()); }),
            "f.toml:4:1: \"mass\" in empty is missing; give a mass > 0 kg, e.g. mass = \"0.5 kg\"");
  EXPECT_EQ(refusal([&] { (void)t.table("solver"); }),
            "f.toml: \"solver\" is missing; give a table: solver = { ... }");
  EXPECT_EQ(refusal([&] { (void)t.table("empty").text("kind"); }),
            "f.toml:4:1: \"kind\" in empty is missing; give a text: kind = \"...\"");
  EXPECT_EQ(refusal([&] { (void)t.table("empty").integer("n", Range::at_least(1)); }),
            "f.toml:4:1: \"n\" in empty is missing; give a whole number >= 1");
  EXPECT_EQ(refusal([&] {
              (void)t.table("empty").choice("law", {"a", "b"});
            }),
            "f.toml:4:1: \"law\" in empty is missing; give a or b");
}

TEST(Ranges, descriptions) {
  EXPECT_EQ(Range::positive().describe(), "> 0");
  EXPECT_EQ(Range::non_negative().describe("m"), ">= 0 m");
  EXPECT_EQ(Range::at_most(3).describe(), "<= 3");
  EXPECT_EQ(Range::fraction().describe(), "between 0 and 1");
  EXPECT_EQ((Range{.min = 0, .max = 2, .min_open = true}.describe("m")), "between 0 (excluded) and 2 m");
  EXPECT_EQ(Range{}.describe(), "");
  EXPECT_FALSE(Range::positive().contains(0.0));
  EXPECT_TRUE(Range::non_negative().contains(0.0));
  EXPECT_FALSE(Range{}.contains(std::nan("")));
}

TEST(Tables, integers) {
  SymbolTable symbols;
  symbols.set("n", 3.0);
  const Table t = root_of(
                      "a = 4\nb = 4.0\nc = \"=n*2\"\nd = 2.5\ne = \"=n/2\"\nf = \"4\"\ng = 5000000000\n"
                      "h = true\n")
                      .with_symbols(symbols);
  EXPECT_EQ(t.integer("a"), 4);
  EXPECT_EQ(t.integer("b"), 4);
  EXPECT_EQ(t.integer("c"), 6);
  EXPECT_EQ(t.integer_or("z", 9), 9);
  EXPECT_EQ(refusal([&] { (void)t.integer("d"); }), "f.toml:4:5: \"d\" must be a whole number; it is 2.5");
  EXPECT_EQ(refusal([&] { (void)t.integer("e"); }),
            "f.toml:5:5: \"e\" must be a whole number; it is \"=n/2\", that is 1.5");
  EXPECT_EQ(refusal([&] { (void)t.integer("f"); }),
            "f.toml:6:5: \"f\" must be a whole number without quotes; it is \"4\"");
  EXPECT_NE(refusal([&] { (void)t.integer("g"); }), "(accepted)");
  EXPECT_EQ(refusal([&] { (void)t.integer("h"); }),
            "f.toml:8:5: \"h\" must be a whole number; it is true or false: true");
  EXPECT_EQ(refusal([&] { (void)t.integer("a", Range::at_most(3)); }),
            "f.toml:1:5: \"a\" must be <= 3; it is 4");
}

TEST(Tables, flags) {
  const Table t = root_of("a = true\nb = \"yes\"\n");
  EXPECT_TRUE(t.flag_or("a", false));
  EXPECT_TRUE(t.flag_or("z", true));
  EXPECT_EQ(refusal([&] { (void)t.flag_or("b", false); }),
            "f.toml:2:5: \"b\" must be true or false, without quotes; it is \"yes\"");
}

TEST(Tables, pairs_and_arrays) {
  const Table t = root_of(
      "at = [1, \"20 mm\"]\nbad = [1, 2, 3]\nn = [1, 2, \"3 mm\"]\n"
      "poly = [[0, 0], [1, 0], [\"=1/2\", \"5 kg\"]]\n"
      "good = [[0, 0], [1, 2]]\nk = 3\n");
  const auto at = t.pair("at", Dimension::length).value();
  EXPECT_EQ((std::array<double, 2>{at[0], at[1]}), (std::array{1.0, 0.02}));
  EXPECT_FALSE(t.pair("zz", Dimension::length).has_value());
  EXPECT_EQ(refusal([&] { (void)t.pair("bad", Dimension::length); }),
            "f.toml:2:7: \"bad\" must be two numbers in brackets: bad = [..., ...]; it has 3: [1, 2, 3]");
  EXPECT_EQ(refusal([&] { (void)t.pair("k", Dimension::length); }),
            "f.toml:6:5: \"k\" must be two numbers in brackets: k = [..., ...]; it is a number: 3");
  EXPECT_EQ(t.numbers("n", Dimension::length), (std::vector{1.0, 2.0, 0.003}));
  EXPECT_EQ(refusal([&] { (void)t.numbers("n", Dimension::length, Range::at_most(1)); }),
            "f.toml:3:9: \"n\" must be <= 1 m; it is 2");
  EXPECT_EQ(t.pairs("good", Dimension::length)->size(), 2u);
  EXPECT_EQ(refusal([&] { (void)t.pairs("poly", Dimension::length); }),
            "f.toml:4:34: \"poly\": \"kg\" is a mass unit; a length is expected (m, mm, in, ...)");
}

TEST(Tables, expressions_of_time) {
  SymbolTable symbols;
  symbols.set("a", 2.0);
  const Table t = root_of("x = \"=a*sin(t)\"\ny = \"20 mm\"\nz = \"=a*sin(tt)\"\n").with_symbols(symbols);
  EXPECT_DOUBLE_EQ((*t.time_expression("x", Dimension::length))(1.0), 2.0 * std::sin(1.0));
  EXPECT_EQ((*t.time_expression("y", Dimension::length))(1.0), 0.02);
  EXPECT_FALSE(t.time_expression("q", Dimension::length));
  EXPECT_EQ(refusal([&] { (void)t.time_expression("z", Dimension::length); }),
            "f.toml:3:13: \"z\": unknown name \"tt\" in \"a*sin(tt)\"; did you mean \"t\"?");
  EXPECT_EQ(refusal([&] { (void)t.number("x", Dimension::length); }),
            "f.toml:1:13: \"x\": unknown name \"t\" in \"a*sin(t)\"; nothing varies with time here");
}

// ---- texts ------------------------------------------------------------------------------------

TEST(Tables, texts) {
  SymbolTable symbols;
  symbols.set("i", 3.0);
  symbols.set_text("sand", "fine");
  const Table t = root_of(
                      "a = \"x\"\nb = [\"x\", \"$sand\"]\nc = \"link{i+1}_$sand\"\nd = 5\ne = \"$sandy\"\n"
                      "f = \"é{j}\"\n")
                      .with_symbols(symbols);
  EXPECT_EQ(t.text("a"), "x");
  EXPECT_EQ(t.text_or("z", "q"), "q");
  EXPECT_EQ(t.texts_or("a"), (std::vector<std::string>{"x"}));
  EXPECT_EQ(t.texts_or("b"), (std::vector<std::string>{"x", "fine"}));
  EXPECT_EQ(t.texts_or("z", {"q"}), (std::vector<std::string>{"q"}));
  EXPECT_EQ(t.text("c"), "link{i+1}_fine");
  EXPECT_EQ(t.filled_text("c"), "link4_fine");
  EXPECT_EQ(t.filled_text_or("zz", "w"), "w");
  EXPECT_EQ(t.raw_text("c"), "link{i+1}_$sand");
  EXPECT_EQ(refusal([&] { (void)t.text("d"); }),
            "f.toml:4:5: \"d\" must be a text in quotes; it is a number: 5");
  EXPECT_EQ(refusal([&] { (void)t.text("e"); }),
            "f.toml:5:6: \"e\": unknown text \"$sandy\"; did you mean \"sand\"?");
  EXPECT_EQ(refusal([&] { (void)t.filled_text("f"); }),
            "f.toml:6:8: \"f\": unknown name \"j\" in \"j\"; known here: i");
  EXPECT_EQ(refusal([&] { (void)t.texts_or("d"); }),
            "f.toml:4:5: \"d\" must be a text, or an array of texts; it is a number: 5");
}

TEST(Tables, choices) {
  SymbolTable symbols;
  symbols.set_text("law", "newtonn");
  const Table t = root_of("a = \"newton\"\nb = \"poison\"\nc = \"$law\"\nd = 1\n").with_symbols(symbols);
  const std::vector<std::string> laws{"newton", "poisson", "stronge"};
  EXPECT_EQ(t.choice("a", laws), "newton");
  EXPECT_EQ(t.choice_or("z", "newton", laws), "newton");
  EXPECT_EQ(refusal([&] { (void)t.choice("b", laws); }),
            "f.toml:2:5: \"b\" must be newton, poisson or stronge; it is \"poison\"; did you mean "
            "\"poisson\"?");
  EXPECT_EQ(refusal([&] { (void)t.choice("c", laws); }),
            "f.toml:3:5: \"c\" must be newton, poisson or stronge; it is \"$law\", that is "
            "\"newtonn\"; did you mean \"newton\"?");
  EXPECT_EQ(refusal([&] { (void)t.choice("d", laws); }),
            "f.toml:4:5: \"d\" must be newton, poisson or stronge, in quotes; it is a number: 1");
}

// ---- tables -----------------------------------------------------------------------------------

TEST(Tables, tables_and_their_paths) {
  const Table root = root_of(
      "[[body]]\nname = \"a\"\n[[body]]\n[body.shape]\nx = 1\n[wall]\ny = 2\n"
      "[mixed]\nz = [{ a = 1 }, 3]\n");
  const auto bodies = root.tables("body");
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0].path(), "body \"a\"");
  EXPECT_EQ(bodies[1].path(), "body 2");
  EXPECT_EQ(bodies[1].place().line, 3);
  EXPECT_EQ(bodies[1].table("shape").path(), "body 2 > shape");
  const auto walls = root.tables("wall");
  ASSERT_EQ(walls.size(), 1u);
  EXPECT_EQ(walls[0].path(), "wall");
  EXPECT_TRUE(root.tables("none").empty());
  EXPECT_FALSE(root.table_or_none("none"));
  EXPECT_EQ(refusal([&] { (void)root.table("mixed").tables("z"); }),
            "f.toml:9:17: \"z\" in mixed must be tables: [[z]]; it is a number: 3");
  EXPECT_EQ(refusal([&] { (void)root.table("body"); }),
            "f.toml:1:1: \"body\" must be one table; it is an array: [[body]]...");
}

TEST(Tables, keys_come_in_file_order) {
  const Table root = root_of("zeta = 1\nalpha = 2\n[mid]\nb = 1\na = 2\n");
  EXPECT_EQ(root.keys(), (std::vector<std::string>{"zeta", "alpha", "mid"}));
  EXPECT_EQ(root.table("mid").keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(root.kind_of("zeta"), ValueKind::integer);
  EXPECT_EQ(root.kind_of("mid"), ValueKind::table);
  EXPECT_EQ(root.kind_of("omega"), ValueKind::absent);
  EXPECT_EQ(root.place_of_key("alpha").line, 2);
  EXPECT_EQ(root.place_of("alpha").column, 9);
}

TEST(Tables, symbols_reach_sub_tables) {
  SymbolTable symbols;
  symbols.set("a", 3.0);
  const Table root = root_of("[x]\ny = { z = \"=a\" }\n").with_symbols(symbols);
  EXPECT_EQ(root.table("x").table("y").number("z", Dimension::none), 3.0);
}

TEST(Tables, errors_of_the_callers_own) {
  const Table root = root_of("[x]\ny = 5\n");
  EXPECT_STREQ(root.table("x").error("y", "there is no body 5").what(),
               "f.toml:2:5: \"y\" in x: there is no body 5");
}

// ---- unknown keys -----------------------------------------------------------------------------

TEST(Tables, unknown_keys) {
  const Table body =
      root_of("[[body]]\nname = \"link\"\nshape = { kind = \"rod\", lenght = 2 }\n").tables("body").at(0);
  const Table shape = body.table("shape");
  (void)shape.text("kind");
  (void)shape.number_or("length", 1.0, Dimension::length);
  EXPECT_EQ(refusal([&] { shape.finish(); }),
            "f.toml:3:25: unknown key \"lenght\" in body \"link\" > shape; did you mean \"length\"? "
            "(known: kind, length)");
  shape.allow("lenght");
  EXPECT_NO_THROW(shape.finish());
  (void)body.text("name");
  EXPECT_NO_THROW(body.finish());
}

TEST(Tables, the_first_unknown_key_in_the_file_is_named) {
  const Table root = root_of("good = 1\nzz = 2\naa = 3\n");
  (void)root.number("good", Dimension::none);
  EXPECT_EQ(refusal([&] { root.finish(); }), "f.toml:2:1: unknown key \"zz\" (known: good)");
}

TEST(Tables, all_views_share_what_was_asked) {
  const Document document = Document::parse("a = 1\nb = 2\n", "f.toml");
  (void)document.root().number("a", Dimension::none);
  (void)document.root().with_symbols({}).has("b");
  EXPECT_NO_THROW(document.root().finish());
}

TEST(Tables, long_values_are_cut_short_in_messages) {
  const Table t = root_of("a = \"" + std::string(500, 'x') + "\"\nb = [\n1,\n2]\n");
  EXPECT_LT(t.written("a").size(), 80u);
  EXPECT_EQ(t.written("b"), "[...");
}

}  // namespace
}  // namespace thud::doc
