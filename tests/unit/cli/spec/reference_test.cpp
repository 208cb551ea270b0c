#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>

#include "cli/spec/key_list.hpp"
#include "cli/spec/spec_fields.hpp"
#include "trainer/config/component_schema.hpp"

namespace ddp::cli {
namespace {

using trainer::TrainConfig;

std::string page() {
  std::ifstream file(DDP_DOCS "/config.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> rows_of(const TrainConfig& train) {
  const auto spec = std::make_unique<RunSpec>();  // on the stack, g++ 12 takes `train` for uninitialized
  spec->train = train;
  KeyList keys;
  describe_spec(keys, *spec);
  std::vector<std::string> rows;
  for (const KeyRow& key : keys.rows())
    rows.push_back("| `" + key.path + "` | " + key.values + " | " + key.default_value + " | " + key.doc +
                   " |");
  return rows;
}

/// The rows of all keys, those of every component too.
std::vector<std::string> all_rows() {
  std::vector<std::string> rows = rows_of(TrainConfig{});
  const auto add_rows_of = [&](const TrainConfig& train) {
    for (const std::string& row : rows_of(train)) {
      const bool is_name = row.find(".name`") != std::string::npos;  // its default differs
      if (!is_name && std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    }
  };
  TrainConfig train;
  for (const auto& schema : trainer::bundled_schemas().models) {
    train.model = {std::string(schema.name), {}};
    add_rows_of(train);
  }
  for (const auto& schema : trainer::bundled_schemas().datasets) {
    train.data.source = {std::string(schema.name), {}};
    add_rows_of(train);
  }
  for (const auto& schema : trainer::bundled_schemas().optimizers) {
    train.optimizer = {std::string(schema.name), {}};
    add_rows_of(train);
  }
  for (const auto& schema : trainer::bundled_schemas().schedules) {
    train.schedule = trainer::Component{schema.name, {}};
    add_rows_of(train);
  }
  return rows;
}

TEST(Reference, TheDocumentationHasEveryKeyAsItIs) {
  const std::string text = page();
  std::string missing;
  for (const std::string& row : all_rows()) {
    if (text.find(row + "\n") == std::string::npos) missing += row + "\n";
  }
  EXPECT_EQ(missing, "") << "docs/config.md lacks these rows";
}

TEST(Reference, TheDocumentationHasNoOtherKey) {
  const std::vector<std::string> rows = all_rows();
  std::istringstream lines(page());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    EXPECT_NE(std::ranges::find(rows, line), rows.end()) << line;
  }
}

TEST(Reference, TheDocumentationHasEveryComponent) {
  const std::string text = page();
  const auto& schemas = trainer::bundled_schemas();
  for (const auto* table : {&schemas.models, &schemas.datasets, &schemas.optimizers, &schemas.schedules}) {
    for (const auto& schema : *table) {
      const std::string line = "`" + std::string(schema.name) + "`: " + std::string(schema.doc) + "\n";
      EXPECT_NE(text.find(line), std::string::npos) << line;
    }
  }
}

TEST(Reference, EveryKeyIsExplained) {
  for (const std::string& row : all_rows()) EXPECT_FALSE(row.ends_with("|  |")) << row;
}

}  // namespace
}  // namespace ddp::cli
