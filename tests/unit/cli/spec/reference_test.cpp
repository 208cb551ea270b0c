#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/spec/component_keys.hpp"
#include "tests/support/places.hpp"
#include "trainer/config/component_schema.hpp"

namespace ddp::cli {
namespace {

std::string page() {
  std::ifstream file(source_path("docs/config.md"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The rows of all keys, those of every component too.
std::vector<std::string> all_rows() {
  std::vector<std::string> rows;
  const auto add = [&](const std::vector<KeyRow>& keys) {
    for (const KeyRow& key : keys)
      rows.push_back("| `" + key.path + "` | " + key.values + " | " + key.default_value + " | " + key.doc +
                     " |");
  };
  add(common_keys().rows());
  for (const ComponentKeys& component : component_keys()) add(component.rows);
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
  for (const auto* table :
       {&schemas.models, &schemas.datasets, &schemas.optimizers, &schemas.schedules, &schemas.losses}) {
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
