#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "cli/spec/include_path.hpp"
#include "cli/spec/load_run_spec.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "tests/support/places.hpp"

namespace ddp::cli {
namespace {

/// What a name like compute/h100_2x8.yaml promises: two nodes with eight H100 each.
struct Shape {
  std::string gpu;
  int nodes = 1;
  int gpus = 1;
};

std::map<std::string, Shape> gpu_presets() {
  static const std::regex kName(R"(compute/([a-z0-9]+)_(?:(\d+)x(\d+)|(\d+)x)\.yaml)");
  std::map<std::string, Shape> found;
  std::smatch part;
  for (const std::string& name : IncludePath({}, source_path("configs")).presets()) {
    if (!std::regex_match(name, part, kName)) continue;
    found[name] = part[4].matched ? Shape{part[1], 1, std::stoi(part[4])}
                                  : Shape{part[1], std::stoi(part[2]), std::stoi(part[3])};
  }
  return found;
}

RunSpec load(const std::string& preset) {
  const auto spec = load_run_spec({.file = source_path("configs/fashion_mnist_mlp.yaml"),
                                   .arguments = {"launcher=slurm", "+include=" + preset},
                                   .environment = {},
                                   .current_folder = "/",
                                   .installed_folder = source_path("configs")});
  EXPECT_TRUE(spec) << render_diagnostics(spec ? Errors{} : spec.error());
  return spec.value_or(RunSpec{});
}

TEST(Presets, EachHoldsWhatItsNameSays) {
  for (const auto& [name, shape] : gpu_presets()) {
    const Resources resources = load(name).resources;
    EXPECT_EQ(resources.gpu_type, shape.gpu) << name;
    EXPECT_EQ(resources.nodes, shape.nodes) << name;
    EXPECT_EQ(resources.gpus_per_node, shape.gpus) << name;
    EXPECT_EQ(resources.tasks_per_node, shape.gpus) << name;
  }
}

TEST(Presets, CpusAndMemoryOfAGpuAreTheSameForAllShapesOfAModel) {
  std::map<std::string, std::set<std::pair<int, std::uint64_t>>> by_model;
  for (const auto& [name, shape] : gpu_presets()) {
    const Resources resources = load(name).resources;
    ASSERT_TRUE(resources.memory_bytes) << name;
    by_model[shape.gpu].emplace(resources.cpus_per_task,
                                *resources.memory_bytes / static_cast<std::uint64_t>(shape.gpus));
  }
  for (const auto& [model, pairs] : by_model) EXPECT_EQ(pairs.size(), 1U) << model;
}

TEST(Presets, EachModelComesWithOneToEightGpusOnOneNodeAndOnSeveral) {
  std::map<std::string, std::set<int>> on_one_node;
  std::set<std::string> on_several;
  for (const auto& [name, shape] : gpu_presets()) {
    if (shape.nodes == 1) on_one_node[shape.gpu].insert(shape.gpus);
    if (shape.nodes > 1) on_several.insert(shape.gpu);
  }
  const std::set<std::string> models = {"a40", "a100", "l40s", "h100"};
  for (const std::string& model : models) {
    EXPECT_THAT(on_one_node[model], testing::IsSupersetOf({1, 2, 4, 8})) << model;
  }
  EXPECT_THAT(on_several, testing::IsSupersetOf(models));
}

/// As the table of docs/config.md has them.
std::vector<std::string> documented_rows() {
  std::vector<std::string> rows;
  std::ifstream page(source_path("docs/config.md"));
  for (std::string line; std::getline(page, line);) {
    if (std::regex_match(line, std::regex(R"(\| [A-Z0-9]+ \| `.*)"))) rows.push_back(line);
  }
  return rows;
}

TEST(Presets, AreDocumentedAsTheyAre) {
  std::set<std::string> documented;
  static const std::regex kName("`([^`]+)`");
  for (const std::string& row : documented_rows()) {
    for (std::sregex_iterator name(row.begin(), row.end(), kName), end; name != end; ++name) {
      const std::string file = "compute/" + (*name)[1].str() + ".yaml";
      ASSERT_TRUE(gpu_presets().contains(file)) << file;
      documented.insert(file);
      const Resources resources = load(file).resources;
      const auto memory = *resources.memory_bytes / static_cast<std::uint64_t>(resources.gpus_per_node);
      EXPECT_THAT(row, testing::EndsWith(" | " + std::to_string(resources.cpus_per_task) + " | " +
                                         render_size(memory) + " |"))
          << file;
    }
  }
  for (const auto& [file, shape] : gpu_presets()) EXPECT_TRUE(documented.contains(file)) << file;
}

// Account and partition are the user's, the launcher and the program the file's.
TEST(Presets, EachSetsResourcesAlone) {
  for (const auto& [name, shape] : gpu_presets()) {
    const auto root = load_yaml(source_path("configs/" + name), name, Origin::included_file);
    ASSERT_TRUE(root) << name;
    ASSERT_EQ(root->entries.size(), 1U) << name;
    EXPECT_EQ(root->entries.front().key, "resources") << name;
  }
}

}  // namespace
}  // namespace ddp::cli
