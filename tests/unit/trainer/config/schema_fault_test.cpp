#include "trainer/config/schema_fault.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ddp::trainer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is said of a program that brings along a dataset with these options.
std::string said_of(std::vector<OptionSchema> options, const std::string& name = "own") {
  ComponentSchemas schemas = bundled_schemas();
  schemas.datasets.push_back({.name = name, .doc = "", .options = std::move(options)});
  return find_schema_fault(schemas).value_or("");
}

OptionSchema option(const std::string& key, OptionValue value) {
  return {.key = key, .default_value = std::move(value), .doc = ""};
}

std::string fault_of_x(const std::string& what) {
  return "the option 'x' of the component 'own' " + what;
}

TEST(SchemaFault, ThereIsNoneInTheBundledComponents) {
  EXPECT_EQ(find_schema_fault(bundled_schemas()), std::nullopt);
}

TEST(SchemaFault, NamesAreTheirOwn) {
  EXPECT_EQ(said_of({option("x", true)}), "");
  EXPECT_EQ(said_of({}, "mnist"), "two components are named 'mnist'");
  EXPECT_EQ(said_of({}, ""), "a component has no name");
  EXPECT_EQ(said_of({option("x", true), option("x", 1.0)}),
            fault_of_x("has the name of another key of its section"));
  for (const char* key : {"name", "batch_size", "global_batch_size", "workers", "shuffle", "drop_last"})
    EXPECT_EQ(said_of({option(key, true)}),
              std::string("the option '") + key +
                  "' of the component 'own' has the name of another key of its section");
  EXPECT_EQ(said_of({option("weights", true)}), "");
  ComponentSchemas schemas = bundled_schemas();
  schemas.models.push_back({.name = "own", .doc = "", .options = {option("weights", true)}});
  EXPECT_NE(find_schema_fault(schemas), std::nullopt);
  schemas = bundled_schemas();
  schemas.losses.push_back({.name = "own", .doc = "", .options = {option("name", true)}});
  EXPECT_NE(find_schema_fault(schemas), std::nullopt);
  schemas = bundled_schemas();
  schemas.strategies.push_back({.name = "ddp", .doc = "", .options = {}});
  EXPECT_EQ(find_schema_fault(schemas), "two components are named 'ddp'");
}

TEST(SchemaFault, ADefaultIsAcceptedByItsOwnOption) {
  const std::string refused = fault_of_x("has a default that is not a valid value");
  OptionSchema count = option("x", std::int64_t{0});
  count.integers = {.min = 0, .max = 3};
  EXPECT_EQ(said_of({count}), "");
  count.integers.min = 1;
  EXPECT_EQ(said_of({count}), refused);
  OptionSchema counts = option("x", std::vector<std::int64_t>{1, 4});
  counts.integers = {.min = 1, .max = 3};
  EXPECT_EQ(said_of({counts}), refused);
  OptionSchema share = option("x", 0.0);
  share.numbers.min = 0;
  EXPECT_EQ(said_of({share}), "");
  share.numbers.min_bound = Bound::exclusive;
  EXPECT_EQ(said_of({share}), refused);
  OptionSchema word = option("x", std::string("c"));
  word.words = {"a", "b"};
  EXPECT_EQ(said_of({word}), refused);
  word.words.emplace_back("c");
  EXPECT_EQ(said_of({word}), "");
}

TEST(SchemaFault, NumbersAreFinite) {
  const std::string refused = fault_of_x("has a limit or a default that is not finite");
  EXPECT_EQ(said_of({option("x", kInfinity)}), refused);
  EXPECT_EQ(said_of({option("x", std::vector<double>{1.0, std::numeric_limits<double>::quiet_NaN()})}),
            refused);
  OptionSchema bounded = option("x", 1.0);
  bounded.numbers.max = kInfinity;
  EXPECT_EQ(said_of({bounded}), refused);
}

}  // namespace
}  // namespace ddp::trainer
