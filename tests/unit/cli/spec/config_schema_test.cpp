#include "cli/spec/config_schema.hpp"

#include <gtest/gtest.h>

#include "cli/spec/schema_fields.hpp"

namespace ddp::cli {
namespace {

using json = nlohmann::ordered_json;

/// What a section with one key becomes.
template <class Describe>
json value_of(Describe describe) {
  SchemaFields fields;
  describe(fields);
  json properties = render_section(fields.take_section()).at("properties");
  EXPECT_EQ(properties.size(), 1U);
  return properties.begin().value();
}

constexpr std::array kWords = {Word{"auto"}, Word{"MPI", "there is none"}};

TEST(SchemaFields, NumbersHaveTheirBoundsAndDefault) {
  int count = 3;
  EXPECT_EQ(
      value_of([&](Fields& fields) {
        fields.integer({"count", "how many"}, count, {.min = 1, .max = 9});
      }),
      json::parse(R"({"description": "how many", "type": ["integer", "null"], "minimum": 1, "maximum": 9,
                            "default": 3})"));
  std::optional<double> rate;
  EXPECT_EQ(
      value_of([&](Fields& fields) {
        fields.number({"rate", "how fast"}, rate, {.min = 0, .min_bound = Bound::exclusive});
      }),
      json::parse(R"({"description": "how fast", "type": ["number", "null"], "exclusiveMinimum": 0.0})"));
}

TEST(SchemaFields, AWordWithARefusalIsNotAccepted) {
  std::string backend = "auto";
  EXPECT_EQ(value_of([&](Fields& fields) {
              fields.word({"backend", "which"}, backend, kWords);
            }),
            json::parse(R"({"description": "which", "enum": ["auto", null], "default": "auto"})"));
}

TEST(SchemaFields, ATextMayLookLikeANumber) {
  std::string name;
  EXPECT_EQ(value_of([&](Fields& fields) {
              fields.text({"name", "of it"}, name);
            }),
            json::parse(R"({"description": "of it", "type": ["string", "number", "boolean", "null"],
                            "minLength": 1})"));
}

TEST(SchemaFields, OnlyAListOfLinesMayBeOneText) {
  std::vector<std::string> items;
  const auto type_of = [&](ListForm form) {
    return value_of([&](Fields& fields) { fields.texts({"items", "some", form}, items); }).at("type");
  };
  EXPECT_EQ(type_of(ListForm::list), json::parse(R"(["array", "null"])"));
  EXPECT_EQ(type_of(ListForm::list_or_lines), json::parse(R"(["array", "string", "null"])"));
}

TEST(SchemaFields, AnItemOfAListOfSectionsIsItsTextOrAMap) {
  std::vector<std::string> hosts{"a"};
  const auto list = value_of([&](Fields& fields) {
    fields.sections({"hosts", "where"}, "host", hosts, [&](std::string& host) {
      fields.text({"host", "name"}, host);
    });
  });
  EXPECT_EQ(list.at("items").at("anyOf").at(0).at("type"), json::parse(R"(["string", "number", "boolean"])"));
  EXPECT_EQ(list.at("items").at("anyOf").at(1).at("additionalProperties"), false);
  EXPECT_EQ(hosts, std::vector<std::string>{"a"});
}

TEST(SchemaFields, AKeyThatIsUnavailableIsNotThere) {
  SchemaFields fields;
  fields.unavailable({"later", "not yet"});
  EXPECT_TRUE(render_section(fields.take_section()).at("properties").empty());
}

/// A section `part` whose key `name` is `one` or `two`; each brings a key of its own.
void describe_part(Fields& fields, std::string& name, int& own) {
  constexpr std::array kNames = {Word{"one"}, Word{"two"}};
  fields.word({"name", "which"}, name, kNames);
  for (const char* word : {"one", "two"}) {
    fields.alternative({"name", word, "the doc", Alternative::State::other}, [&] {
      fields.integer({word, "of its own"}, own, {});
    });
  }
}

TEST(SchemaFields, EachAlternativeHasItsOwnKeys) {
  std::string name;
  int own = 1;
  const auto part = value_of([&](Fields& fields) {
    fields.section({"part", "a part"}, [&] { describe_part(fields, name, own); });
  });
  const auto& all = part.at("allOf").at(0).at("allOf");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all.at(1).at("if").at("properties").at("name").at("const"), "two");
  EXPECT_TRUE(all.at(1).at("then").at("properties").contains("two"));
  EXPECT_FALSE(all.at(1).at("then").at("properties").contains("one"));
  EXPECT_EQ(all.at(1).at("then").at("additionalProperties"), false);
  EXPECT_TRUE(all.at(2).at("then").at("properties").contains("one"));  // the name is not known
  EXPECT_TRUE(all.at(2).at("then").at("properties").contains("two"));
}

TEST(SchemaFields, AlternativesThatMayNotHoldAreInABranch) {
  std::string name, program = "known";
  int own = 1;
  SchemaFields fields;
  fields.text({"program", "which"}, program);
  fields.alternatives_hold_for("program", "known");
  fields.section({"part", "a part"}, [&] { describe_part(fields, name, own); });
  const auto schema = render_section(fields.take_section());
  EXPECT_FALSE(schema.at("properties").at("part").contains("additionalProperties"));
  EXPECT_EQ(schema.at("if").at("properties").at("program").at("not").at("enum"),
            json::parse(R"(["known", null])"));
  EXPECT_TRUE(schema.at("else").at("properties").at("part").contains("allOf"));
}

TEST(ConfigSchema, IsClosedAndSorted) {
  const auto schema = config_schema();
  EXPECT_EQ(schema.at("$schema"), "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("properties").begin().key(), "name");
  EXPECT_EQ(schema.at("properties").at("resources").at("additionalProperties"), false);
}

TEST(ConfigSchema, ACommandAndATrainingExcludeEachOther) {
  EXPECT_EQ(config_schema().at("not"), json::parse(R"({"required": ["command", "train"], "properties":
      {"command": {"not": {"type": "null"}}, "train": {"not": {"type": "null"}}}})"));
}

TEST(ConfigSchema, ASweepHasNoKeyThatAllPointsShare) {
  const auto definitions = config_schema().at("definitions");
  EXPECT_TRUE(definitions.contains("axis:train.seed"));
  EXPECT_TRUE(definitions.contains("axis:train.optimizer.learning_rate"));
  EXPECT_TRUE(definitions.contains("axis:environment.set"));
  EXPECT_FALSE(definitions.contains("axis:environment.inherit"));
  EXPECT_FALSE(definitions.contains("axis:resources.nodes"));
  EXPECT_FALSE(definitions.contains("axis:launcher"));
}

}  // namespace
}  // namespace ddp::cli
