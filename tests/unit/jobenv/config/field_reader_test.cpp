#include "jobenv/config/field_reader.hpp"

#include <gtest/gtest.h>

#include <array>

#include "parse_text.hpp"

namespace ddp {
namespace {

enum class Colour { red, green };

struct Sample {
  int count = 1;
  std::optional<std::int64_t> limit;
  double rate = 0.5;
  bool on = true;
  std::string text = "default";
  std::optional<std::string> file;
  std::chrono::seconds wait{10};
  std::string patience = "none";
  std::optional<std::uint64_t> memory;
  Colour colour = Colour::red;
  std::vector<std::string> words = {"w"};
  std::vector<std::int64_t> dims;
  std::vector<double> rates;
  std::map<std::string, std::string> set;
  struct Inner {
    int depth = 0;
  };
  Inner inner;
  std::optional<Inner> maybe;
};

constexpr std::array kColours = {Choice{Colour::red, "red"}, Choice{Colour::green, "green"}};
constexpr std::array kPatience = {Word{"none"}, Word{"endless"}};
constexpr std::array kRefused = {Word{"blue", "it is sold out"}};

void describe(Fields& fields, Sample& sample) {
  fields.integer({"count", ""}, sample.count, {.min = 1, .max = 8});
  fields.integer({"limit", ""}, sample.limit, {.min = 0});
  fields.number({"rate", ""}, sample.rate, {.min = 0, .max = 1, .max_bound = Bound::exclusive});
  fields.flag({"on", ""}, sample.on);
  fields.text({"text", ""}, sample.text);
  fields.path({"file", ""}, sample.file);
  fields.duration({"wait", ""}, sample.wait, {.max = std::chrono::minutes{5}});
  fields.word_or_duration({"patience", ""}, sample.patience, kPatience, {.min = std::chrono::seconds{2}});
  fields.size({"memory", ""}, sample.memory);
  fields.choice({"colour", ""}, sample.colour, kColours, kRefused);
  fields.texts({"words", ""}, sample.words);
  fields.integers({"dims", ""}, sample.dims, {.min = 1});
  fields.numbers({"rates", ""}, sample.rates, {.min = 0, .min_bound = Bound::exclusive});
  fields.text_map({"set", ""}, sample.set);
  fields.section({"inner", ""}, [&] { fields.integer({"depth", ""}, sample.inner.depth, {}); });
  fields.section({"maybe", ""}, sample.maybe, [&](Sample::Inner& inner) {
    fields.integer({"depth", ""}, inner.depth, {});
  });
  fields.unavailable({"future", ""});
}

struct Reading {
  Sample sample;
  Errors errors;
  std::map<std::string, Place> origins;
};

Reading read(const std::string& text) {
  Reading reading;
  const ConfigNode root = parse_text(text).value();
  FieldReader reader(root, "/home/ada", reading.errors);
  describe(reader, reading.sample);
  reader.finish();
  reading.origins = reader.origins();
  sort_errors(reading.errors);
  return reading;
}

std::string error_of(const std::string& text) {
  const Reading reading = read(text);
  EXPECT_EQ(reading.errors.size(), 1U) << render_diagnostics(reading.errors);
  return reading.errors.empty() ? "no error" : reading.errors.front().message;
}

TEST(FieldReader, AbsentAndNullKeepTheDefault) {
  for (const char* text : {"", "count: null\ntext: ~\ninner: null\nmaybe: null\nwords: ~\n"}) {
    const Reading reading = read(text);
    EXPECT_TRUE(reading.errors.empty()) << render_diagnostics(reading.errors);
    EXPECT_EQ(reading.sample.count, 1);
    EXPECT_EQ(reading.sample.text, "default");
    EXPECT_EQ(reading.sample.words.size(), 1U);
    EXPECT_FALSE(reading.sample.maybe);
    EXPECT_TRUE(reading.origins.empty());
  }
}

TEST(FieldReader, ReadsEveryType) {
  const Reading reading = read(
      "count: 3\nlimit: 7\nrate: 2.5e-1\non: false\ntext: 12\nfile: data/x\nwait: 2m\nmemory: 1KiB\n"
      "colour: green\nwords: [a, 'b c']\ndims: [2, 3]\nrates: [2, 0.5]\nset: {K: v, L: 1}\ninner: {depth: "
      "-4}\nmaybe: {depth: "
      "5}\n");
  ASSERT_TRUE(reading.errors.empty()) << render_diagnostics(reading.errors);
  const Sample& sample = reading.sample;
  EXPECT_EQ(sample.count, 3);
  EXPECT_EQ(sample.limit, 7);
  EXPECT_EQ(sample.rate, 0.25);
  EXPECT_FALSE(sample.on);
  EXPECT_EQ(sample.text, "12");
  EXPECT_EQ(sample.file, "/project/data/x");
  EXPECT_EQ(sample.wait, std::chrono::minutes(2));
  EXPECT_EQ(sample.memory, 1024U);
  EXPECT_EQ(sample.colour, Colour::green);
  EXPECT_EQ(sample.words, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(sample.dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(sample.rates, (std::vector<double>{2, 0.5}));
  EXPECT_EQ(sample.set.at("L"), "1");
  EXPECT_EQ(sample.inner.depth, -4);
  ASSERT_TRUE(sample.maybe);
  EXPECT_EQ(sample.maybe->depth, 5);
  EXPECT_EQ(reading.origins.at("inner.depth").describe(), "run.yaml:14");
  EXPECT_EQ(reading.origins.at("set.K").describe(), "run.yaml:13");
}

TEST(FieldReader, AWordMayStandForADuration) {
  EXPECT_EQ(read("").sample.patience, "none");
  EXPECT_EQ(read("patience: endless\n").sample.patience, "endless");
  EXPECT_EQ(read("patience: 90s\n").sample.patience, "1m30s");
  EXPECT_EQ(error_of("patience: 1s\n"), "'patience' must be between 2s and 366d, not '1s'");
  EXPECT_EQ(error_of("patience: 90\n"), "'patience' must be none, endless or a duration, not '90'");
  EXPECT_EQ(error_of("patience: [1s]\n"), "'patience' must be none, endless or a duration, not a list");
}

TEST(FieldReader, WrongValuesAreNamedWithWhatIsWanted) {
  EXPECT_EQ(error_of("count: 010\n"), "'count' must be an integer, not '010'");
  EXPECT_EQ(error_of("count: \"3\"\n"), "'count' must be an integer, not '3'");
  EXPECT_EQ(error_of("count: 9\n"), "'count' must be between 1 and 8, not '9'");
  EXPECT_EQ(error_of("limit: -1\n"), "'limit' must be at least 0, not '-1'");
  EXPECT_EQ(error_of("count: [3]\n"), "'count' must be an integer, not a list");
  EXPECT_EQ(error_of("rate: 1\n"), "'rate' must be at least 0 and less than 1, not '1'");
  EXPECT_EQ(error_of("rate: fast\n"), "'rate' must be a number, not 'fast'");
  EXPECT_EQ(error_of("on: yes\n"), "'on' must be true or false, not 'yes'");
  EXPECT_EQ(error_of("text: ''\n"), "'text' must be a text, not ''");
  EXPECT_EQ(error_of("wait: 6m\n"), "'wait' must be between 0s and 5m, not '6m'");
  EXPECT_EQ(error_of("wait: 6\n"), "'wait' must be a duration, not '6'");
  EXPECT_EQ(error_of("memory: 64\n"), "'memory' must be a size, not '64'");
  EXPECT_EQ(error_of("words: a\n"), "'words' must be a list, not 'a'");
  EXPECT_EQ(error_of("words: [[a]]\n"), "each item of 'words' must be a text, not a list");
  EXPECT_EQ(error_of("dims: [1, 0]\n"), "each item of 'dims' must be at least 1, not '0'");
  EXPECT_EQ(error_of("rates: [1, 0]\n"), "each item of 'rates' must be greater than 0, not '0'");
  EXPECT_EQ(error_of("rates: [[1]]\n"), "each item of 'rates' must be a number, not a list");
  EXPECT_EQ(error_of("set: {K: [v]}\n"), "'K' must be a text, not a list");
  EXPECT_EQ(error_of("inner: 3\n"), "'inner' must be a map of keys, not '3'");
  EXPECT_EQ(error_of("colour: gren\n"), "'colour' must be red or green, not 'gren'");
  EXPECT_EQ(error_of("colour: blue\n"), "'colour' cannot be 'blue': it is sold out");
  EXPECT_EQ(error_of("future: {a: 1}\n"), "'future' is not available in this version");
}

TEST(FieldReader, QuotesAreNamedWhenTheyAreAllThatIsWrong) {
  const auto hint_of = [](const std::string& text) { return read(text).errors.at(0).hint; };
  for (const char* text : {"count: '3'\n", "rate: '0.1'\n", "on: 'true'\n", "dims: ['3']\n"})
    EXPECT_EQ(hint_of(text), "write it without quotes") << text;
  for (const char* text : {"count: 'two'\n", "count: '9'\n", "rate: 'fast'\n", "rate: '2'\n", "on: 'yes'\n",
                           "dims: ['two']\n", "dims: ['0']\n"})
    EXPECT_EQ(hint_of(text), "") << text;
  EXPECT_EQ(hint_of("count: '03'\n"), "numbers are decimal, without leading zeros");
}

TEST(FieldReader, AListIsShownInBrackets) {
  const auto hint_of = [](const std::string& text) { return read(text).errors.at(0).hint; };
  EXPECT_EQ(hint_of("words: python3 train.py --lr 0.1\n"),
            "write it in brackets: words: [python3, train.py, --lr, \"0.1\"]");
  EXPECT_EQ(hint_of("dims: 30\n"), "write it in brackets: dims: [30]");
  EXPECT_EQ(hint_of("words: echo $HOME\n"), "write it in brackets: [a, b]");
  EXPECT_EQ(hint_of("words: {a: b}\n"), "write it in brackets: [a, b]");
}

TEST(FieldReader, ErrorsPointAtTheValueAndHelp) {
  const Reading reading = read("inner:\n  dept: 3\ncolour: gren\n");
  EXPECT_EQ(render_diagnostics(reading.errors),
            "error: unknown key 'dept'\n"
            "  --> run.yaml:2:3\n"
            "   |\n"
            " 2 |   dept: 3\n"
            "   |   ^^^^ help: did you mean 'depth'?\n"
            "\n"
            "error: 'colour' must be red or green, not 'gren'\n"
            "  --> run.yaml:3:9\n"
            "   |\n"
            " 3 | colour: gren\n"
            "   |         ^^^^ help: did you mean 'green'?\n");
}

TEST(FieldReader, AStrangeKeyGetsTheListOfKnownOnes) {
  const Reading reading = read("inner: {zzzzzz: 3}\n");
  ASSERT_EQ(reading.errors.size(), 1U);
  EXPECT_EQ(reading.errors.front().hint, "known keys: depth");
}

TEST(FieldReader, TellsWhatUnknownKeysAreMeantToBe) {
  Errors errors;
  const ConfigNode root = parse_text("inner: {dpth: 3, zzzzzz: 1}\ncolor: red\n").value();
  FieldReader reader(root, "", errors);
  std::int64_t depth = 0;
  std::string colour = "green";
  constexpr std::array kShades = {Word{"red"}, Word{"green"}};
  reader.section({"inner", ""}, [&] { reader.integer({"depth", ""}, depth, {}); });
  reader.word({"colour", ""}, colour, kShades);
  reader.finish();
  ASSERT_EQ(errors.size(), 3U);
  ASSERT_EQ(reader.misspellings().size(), 2U);
  EXPECT_EQ(reader.misspellings()[0].path, "inner.dpth");
  EXPECT_EQ(reader.misspellings()[0].meant, "inner.depth");
  EXPECT_EQ(reader.misspellings()[1].meant, "colour");
}

TEST(FieldReader, KnowsWhichWordItHasRefused) {
  Errors errors;
  const ConfigNode root = parse_text("name: c\nsize: x\nother: 1\n").value();
  FieldReader reader(root, "", errors);
  std::string name;
  std::int64_t size = 0;
  constexpr std::array kNames = {Word{"a"}, Word{"b"}};
  reader.word({"name", ""}, name, kNames);
  EXPECT_TRUE(reader.has_refused("name"));
  EXPECT_FALSE(reader.has_refused("other"));
  reader.alternative({"name", "", "", Alternative::State::open}, [&] {
    reader.integer({"size", ""}, size, {});
  });
  reader.finish();
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[1].message, "'size' must be an integer, not 'x'");
  EXPECT_EQ(errors[2].message, "unknown key 'other'");
}

TEST(FieldReader, AllErrorsComeAtOnceAndGoodValuesAreRead) {
  const Reading reading = read("count: x\nrate: 0.1\non: maybe\nnope: 1\n");
  EXPECT_EQ(reading.errors.size(), 3U);
  EXPECT_EQ(reading.sample.rate, 0.1);
  EXPECT_EQ(reading.sample.count, 1);
}

TEST(FieldReader, PathsStartAtTheirFile) {
  EXPECT_EQ(read("file: ../x\n").sample.file, "/x");
  EXPECT_EQ(read("file: /a/./b\n").sample.file, "/a/b");
  EXPECT_EQ(read("file: ~/data\n").sample.file, "/home/ada/data");
  EXPECT_EQ(read("file: /a/$$x\n").sample.file, "/a/$x");
  EXPECT_EQ(error_of("file: $HOME/data\n"), "variables are not expanded in paths");
  EXPECT_EQ(error_of("file: ~bob/data\n"), "'~' cannot be replaced: the home folder is unknown");
  EXPECT_EQ(error_of("file: ''\n"), "an empty path");
}

TEST(FieldReader, AnIntegerOfASmallTypeIsBounded) {
  std::int8_t small = 0;
  Errors errors;
  const ConfigNode root = parse_text("small: 200\n").value();
  FieldReader reader(root, "", errors);
  reader.integer({"small", ""}, small, {});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().message, "'small' must be between -128 and 127, not '200'");
}

}  // namespace
}  // namespace ddp
