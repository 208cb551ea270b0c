#include "jobenv/record/fields/message_line.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "jobenv/record/fields/object_form.hpp"

namespace ddp {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

enum class Colour { red, green };
std::string_view name_of(Colour colour) {
  return colour == Colour::red ? "red" : "green";
}

struct Place {
  int row = 0;
  static void describe(auto& fields, auto& place) { fields.field("row", place.row, 0, 9); }
  bool operator==(const Place&) const = default;
};

/// One field of each kind.
struct Sample {
  static constexpr const char* kName = "sample";
  std::string text = "a";
  int number = 1;
  std::uint64_t count = 2;
  bool flag = true;
  double ratio = 0.5;
  std::chrono::seconds seconds{3};
  milliseconds wait{4};
  std::chrono::system_clock::time_point time{milliseconds(1700000000123)};
  std::vector<std::string> texts = {"b"};
  std::vector<int> numbers = {5, -6};
  std::map<std::string, std::string> texts_by_name = {{"c", "d"}};
  std::map<std::string, std::uint64_t> counts_by_name = {{"e", 7}};
  std::optional<int> perhaps = 8;
  std::optional<std::string> absent = {};
  Colour colour = Colour::green;
  Place place = {9};
  std::vector<Place> places = {{1}, {2}};
  Place rare = {};

  static void describe(auto& fields, auto& sample) {
    fields.field("text", sample.text);
    fields.field("number", sample.number, -10, 10);
    fields.field("count", sample.count);
    fields.field("flag", sample.flag);
    fields.field("ratio", sample.ratio);
    fields.field("seconds", sample.seconds);
    fields.field("wait", sample.wait);
    fields.field("time", sample.time);
    fields.field("texts", sample.texts);
    fields.field("numbers", sample.numbers);
    fields.field("texts_by_name", sample.texts_by_name);
    fields.field("counts_by_name", sample.counts_by_name);
    fields.field("perhaps", sample.perhaps, 0);
    fields.field("absent", sample.absent);
    fields.field("colour", sample.colour, {Colour::red, Colour::green});
    fields.field("place", sample.place, ObjectForm<Place>{"place"});
    fields.items("places", sample.places, ObjectForm<Place>{"place"});
    fields.optional_field("rare", sample.rare, ObjectForm<Place>{"place"});
    fields.expect(sample.number != 10 || sample.flag, "number", "is 10 without the flag");
  }
  bool operator==(const Sample&) const = default;
};

struct Nothing {
  static constexpr const char* kName = "nothing";
  bool operator==(const Nothing&) const = default;
};

using Any = std::variant<Nothing, Sample>;

json line_of(const Any& message) {
  return json::parse(render_message_line(message));
}

std::string refusal_of(const json& line) {
  const auto parsed = parse_message_line<Any>(line.dump(), "test message");
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ExitCode::run_failed);
  return parsed.error().message;
}

std::string refusal_with(const char* field, const json& value) {
  json line = line_of(Sample{});
  line[field] = value;
  return refusal_of(line);
}

TEST(MessageLine, OneDescriptionReadsWhatItHasWritten) {
  Sample other;
  other.perhaps.reset();
  other.absent = "x";
  other.rare = {5};
  for (const Any& message : {Any(Nothing{}), Any(Sample{}), Any(other)}) {
    const auto line = render_message_line(message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto parsed = parse_message_line<Any>(line, "test message");
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(*parsed == message) << line;
  }
  EXPECT_EQ(line_of(Nothing{}), json({{"schema", "nothing"}}));
}

TEST(MessageLine, EachFieldIsNeededButOneThatIsLeftOut) {
  const json whole = line_of(Sample{});
  EXPECT_FALSE(whole.contains("rare"));
  for (const auto& item : whole.items()) {
    if (item.key() == "schema") continue;
    json part = whole;
    part.erase(item.key());
    EXPECT_EQ(refusal_of(part), "test message 'sample': field '" + item.key() + "' is missing");
  }
}

TEST(MessageLine, EachFieldHasItsType) {
  const json whole = line_of(Sample{});
  for (const auto& item : whole.items()) {
    if (item.key() == "schema") continue;
    for (const json& wrong : {json(-77), json(1.5), json(std::string("a\0b", 3)), json::array({json()}),
                              json{{"k", -1}}, json(INT64_MAX)}) {
      const bool fits = (item.key() == "ratio" && wrong.is_number()) ||
                        (wrong == INT64_MAX && (item.key() == "count" || item.key() == "wait"));
      const auto message = refusal_with(item.key().c_str(), wrong);
      EXPECT_EQ(message.empty(), fits) << item.key() << wrong;
      if (fits) continue;
      EXPECT_NE(message.find("field '" + item.key()), std::string::npos) << message;
    }
  }
}

TEST(MessageLine, WhatIsWrongIsNamed) {
  EXPECT_EQ(refusal_with("surplus", 1),
            "test message 'sample': field 'surplus' is not known to this program");
  EXPECT_EQ(refusal_with("number", 11), "test message 'sample': field 'number' is 11, not from -10 to 10");
  EXPECT_EQ(refusal_with("colour", "blue"),
            "test message 'sample': field 'colour' has the unknown value 'blue'");
  EXPECT_EQ(
      refusal_with("places", json::array({{{"row", 1}}, {{"row", 10}}})),
      "test message 'sample': field 'places[1]' is not valid: place: field 'row' is 10, not from 0 to 9");
  json line = line_of(Sample{});
  line["number"] = 10;
  line["flag"] = false;
  EXPECT_EQ(refusal_of(line), "test message 'sample': field 'number' is 10 without the flag");
  EXPECT_EQ(refusal_of({{"schema", "other"}}), "test message 'other' is not known to this program");
  EXPECT_EQ(refusal_of({{"schema", "\n" + std::string(64, 'x')}}),
            "test message '?" + std::string(63, 'x') + "…' is not known to this program");
  EXPECT_EQ(refusal_of(json::array()), "a line is not a test message");
}

TEST(MessageLine, AWaitIsNoLongerThanThirtyYears) {
  json line = line_of(Sample{});
  line["wait"] = INT64_MAX;
  const auto parsed = parse_message_line<Any>(line.dump(), "test message");
  EXPECT_EQ(std::get<Sample>(parsed.value()).wait, std::chrono::hours(30 * 365 * 24));
}

TEST(MessageLine, BytesThatAreNotUtf8AreReplaced) {
  Sample sample;
  sample.text = "\xff";
  EXPECT_EQ(line_of(sample)["text"], "\xef\xbf\xbd");
}

}  // namespace
}  // namespace ddp
