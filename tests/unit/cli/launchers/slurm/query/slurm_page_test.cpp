#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/query/job_state.hpp"
#include "cli/launchers/slurm/query/tool_environment.hpp"
#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "tests/support/places.hpp"

/// docs/slurm.md against the tables of the program.
namespace ddp::cli {
namespace {

using Cells = std::vector<std::string>;

Cells split_row(const std::string& line) {
  Cells cells;
  std::istringstream row(line.substr(1));
  for (std::string cell; std::getline(row, cell, '|');) {
    const auto start = cell.find_first_not_of(' ');
    cells.push_back(start == cell.npos ? "" : cell.substr(start, cell.find_last_not_of(' ') - start + 1));
  }
  return cells;
}

/// The rows of the table whose head begins with `head`.
std::vector<Cells> table(const std::string& head) {
  std::ifstream page(source_path("docs/slurm.md"));
  std::vector<Cells> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (inside && !line.starts_with('|')) break;
    if (inside && !line.starts_with("|---")) rows.push_back(split_row(line));
    if (line.starts_with("| " + head + " |")) inside = true;
  }
  EXPECT_FALSE(rows.empty()) << head;
  return rows;
}

std::vector<std::string> code_spans(const std::string& cell) {
  std::vector<std::string> spans;
  for (auto begin = cell.find('`'); begin != cell.npos; begin = cell.find('`', begin)) {
    const auto end = cell.find('`', begin + 1);
    spans.push_back(cell.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return spans;
}

std::set<std::string> first_column(const std::string& head) {
  std::set<std::string> names;
  for (const auto& row : table(head)) {
    for (auto& name : code_spans(row.front())) names.insert(std::move(name));
  }
  return names;
}

RunSpec spec_with_everything() {
  RunSpec spec;
  spec.name = "job";
  spec.launcher = find_launcher("slurm");
  spec.resources.gpus_per_node = 4;
  spec.resources.gpu_type = "a100";
  spec.resources.memory_bytes = 1 << 20;
  spec.resources.time = std::chrono::hours(1);
  spec.fault_tolerance.signal = "USR2";
  auto& slurm = options_of<SlurmOptions>(spec);
  for (auto* value :
       {&slurm.partition, &slurm.account, &slurm.qos, &slurm.reservation, &slurm.constraint, &slurm.nodelist,
        &slurm.exclude, &slurm.mail_user, &slurm.mail_type, &slurm.comment, &slurm.dependency}) {
    *value = "x";
  }
  slurm.exclusive = "nodes";
  slurm.segment = 1;
  return spec;
}

void add_rows(const RunSpec& spec, std::set<Cells>& rows) {
  const RunFolder folder("/runs/job-1");
  const auto options = make_sbatch_options({.spec = spec, .folder = folder, .work_dir = "/", .token = "t"});
  ASSERT_TRUE(options);
  for (const auto& option : *options) {
    std::string keys;
    for (const auto& key : option.keys) keys += (keys.empty() ? "`" : ", `") + key + "`";
    rows.insert({"`--" + option.name + "`", keys, option.why});
  }
}

TEST(SlurmPage, HasEveryOptionOfSbatchAndWhereItIsFrom) {
  std::set<Cells> rows;
  auto spec = spec_with_everything();
  add_rows(spec, rows);
  spec.fault_tolerance.requeue = true;
  options_of<SlurmOptions>(spec).gres = "gpu:2";
  add_rows(spec, rows);
  const auto documented = table("option");
  EXPECT_THAT(documented, testing::UnorderedElementsAreArray(rows));
}

TEST(SlurmPage, HasEveryVariableThatIsDropped) {
  EXPECT_THAT(first_column("variable"),
              testing::UnorderedElementsAreArray(scrubbed_variables(*find_launcher("slurm"))));
  EXPECT_THAT(first_column("variable of a tool"),
              testing::UnorderedElementsAreArray(scrubbed_tool_variables()));
}

TEST(SlurmPage, HasEveryStateOfSlurmAndWhatItMeans) {
  std::set<std::pair<std::string, std::string>> documented, known;
  for (const auto& row : table("Slurm says")) {
    for (const auto& word : code_spans(row[0])) documented.emplace(word, row[1]);
  }
  for (const auto& row : known_job_states()) known.emplace(row.word, name_of(row.state));
  EXPECT_EQ(documented, known);
}

}  // namespace
}  // namespace ddp::cli
