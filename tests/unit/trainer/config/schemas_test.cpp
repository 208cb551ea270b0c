#include <gtest/gtest.h>

#include <set>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

TEST(Schemas, NamesAndKeysAreUniqueAndExplained) {
  for (const ComponentTable& table : kComponentTables) {
    std::set<std::string_view> names;
    for (const ComponentSchema& schema : bundled_schemas().*table.schemas) {
      EXPECT_TRUE(names.insert(schema.name).second) << schema.name;
      EXPECT_FALSE(schema.doc.empty()) << schema.name;
      std::set<std::string_view> keys = {"name"};
      for (const OptionSchema& option : schema.options) {
        EXPECT_TRUE(keys.insert(option.key).second) << schema.name << "." << option.key;
        EXPECT_FALSE(option.doc.empty()) << schema.name << "." << option.key;
      }
    }
  }
}

TEST(Schemas, DatasetKeysDoNotHideThoseOfData) {
  for (const ComponentSchema& schema : bundled_schemas().datasets) {
    for (const OptionSchema& option : schema.options) {
      for (const char* key : {"batch_size", "global_batch_size", "shuffle", "drop_last", "workers"})
        EXPECT_NE(option.key, key);
    }
  }
}

TEST(Schemas, AComponentHasItsDefaults) {
  const Component hsdp = with_defaults(bundled_schemas().strategies, "hsdp");
  EXPECT_EQ(hsdp.name, "hsdp");
  EXPECT_EQ(hsdp.options.size(), 6U);
  EXPECT_EQ(hsdp.get<std::string>("param_dtype"), "fp32");
  EXPECT_THROW((void)with_defaults(bundled_schemas().strategies, "zero"), std::logic_error);
}

TEST(Schemas, EveryDatasetKnowsItsSamples) {
  for (const ComponentSchema& schema : bundled_schemas().datasets)
    EXPECT_NE(schema.sample_shape, nullptr) << schema.name;
}

TEST(Schemas, DefaultsEqualTorchs) {
  const auto value = [](const char* optimizer, std::string_view key) {
    const ComponentSchema* schema = find_schema(bundled_schemas().optimizers, optimizer);
    for (const OptionSchema& option : schema->options) {
      if (option.key == key) return std::get<double>(option.default_value);
    }
    return -1.0;
  };
  EXPECT_EQ(value("adam", "learning_rate"), 1e-3);
  EXPECT_EQ(value("adam", "beta1"), 0.9);
  EXPECT_EQ(value("adam", "beta2"), 0.999);
  EXPECT_EQ(value("adam", "eps"), 1e-8);
  EXPECT_EQ(value("adam", "weight_decay"), 0.0);
  EXPECT_EQ(value("sgd", "learning_rate"), 1e-3);
  EXPECT_EQ(value("sgd", "momentum"), 0.0);
}

}  // namespace
}  // namespace ddp::trainer
