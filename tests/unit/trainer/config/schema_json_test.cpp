#include "trainer/config/schema_json.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

void expect_same(const OptionSchema& a, const OptionSchema& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.default_value, b.default_value) << a.key;
  EXPECT_EQ(a.doc, b.doc);
  EXPECT_EQ(std::pair(a.integers.min, a.integers.max), std::pair(b.integers.min, b.integers.max)) << a.key;
  EXPECT_EQ(std::pair(a.numbers.min, a.numbers.max), std::pair(b.numbers.min, b.numbers.max)) << a.key;
  EXPECT_EQ(std::pair(a.numbers.min_bound, a.numbers.max_bound),
            std::pair(b.numbers.min_bound, b.numbers.max_bound))
      << a.key;
  EXPECT_EQ(a.words, b.words);
  ASSERT_EQ(a.refused_words.size(), b.refused_words.size()) << a.key;
  for (std::size_t i = 0; i < a.refused_words.size(); ++i) {
    EXPECT_EQ(a.refused_words[i].word, b.refused_words[i].word);
    EXPECT_EQ(a.refused_words[i].reason, b.refused_words[i].reason);
  }
  EXPECT_EQ(a.text, b.text);
}

void expect_same(const std::vector<ComponentSchema>& a, const std::vector<ComponentSchema>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].doc, b[i].doc);
    ASSERT_EQ(a[i].options.size(), b[i].options.size());
    for (std::size_t k = 0; k < a[i].options.size(); ++k) expect_same(a[i].options[k], b[i].options[k]);
  }
}

TEST(SchemaJson, KeepsEverythingThatIsNoCode) {
  const ComponentSchemas& schemas = bundled_schemas();
  const auto again = parse_schemas(render_schemas(schemas));
  ASSERT_TRUE(again) << again.error().message;
  for (const ComponentTable& table : kComponentTables) {
    SCOPED_TRACE(table.name);
    expect_same((*again).*table.schemas, schemas.*table.schemas);
  }
}

TEST(SchemaJson, RefusesWhatItIsNot) {
  EXPECT_EQ(parse_schemas("usage: my_trainer").error().message, "this is not ddp.components.v1");
  EXPECT_EQ(parse_schemas(R"({"schema": "ddp.components.v2"})").error().message,
            "this is not ddp.components.v1");
  EXPECT_FALSE(parse_schemas(R"({"schema": "ddp.components.v1", "models": []})"));
  std::string text = render_schemas(bundled_schemas());
  text.replace(text.find("\"integers\",\"default\""), 10, "\"colours\"");
  EXPECT_EQ(parse_schemas(text).error().message, "unknown option type 'colours'");
}

}  // namespace
}  // namespace ddp::trainer
