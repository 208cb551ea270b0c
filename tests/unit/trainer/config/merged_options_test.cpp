#include "trainer/config/merged_options.hpp"

#include <gtest/gtest.h>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

TEST(MergedOptions, AnOptionTakesWhatAnyComponentTakes) {
  const std::vector<ComponentSchema> schemas = {
      {.name = "a",
       .doc = "",
       .options = {{.key = "size", .default_value = std::int64_t{1}, .doc = "", .integers = {2, 5}},
                   {.key = "unit", .default_value = std::string(), .doc = "", .words = {"x", "y"}}}},
      {.name = "b",
       .doc = "",
       .options = {{.key = "size", .default_value = std::int64_t{3}, .doc = "", .integers = {3, 9}},
                   {.key = "unit", .default_value = std::string(), .doc = "", .words = {"y", "z"}},
                   {.key = "own", .default_value = true, .doc = ""}}}};
  const auto merged = merge_options(schemas);
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->options.size(), 3U);
  EXPECT_EQ(merged->options[0].integers.min, 2);
  EXPECT_EQ(merged->options[0].integers.max, 9);
  EXPECT_EQ(merged->options[1].words, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(merged->options[2].key, "own");
}

TEST(MergedOptions, AnOptionOfTwoTypesCannotBeMerged) {
  const std::vector<ComponentSchema> schemas = {
      {.name = "a", .doc = "", .options = {{.key = "size", .default_value = std::int64_t{1}, .doc = ""}}},
      {.name = "b", .doc = "", .options = {{.key = "size", .default_value = 0.5, .doc = ""}}}};
  EXPECT_FALSE(merge_options(schemas));
  EXPECT_FALSE(merge_options({}));
}

TEST(MergedOptions, ThoseOfDdptrainCanBeMerged) {
  const auto& all = bundled_schemas();
  for (const ComponentTable& table : kComponentTables)
    EXPECT_TRUE(merge_options(all.*table.schemas)) << table.name;
}

}  // namespace
}  // namespace ddp::trainer
