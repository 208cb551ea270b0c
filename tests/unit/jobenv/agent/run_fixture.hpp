#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/use_launcher.hpp"

namespace ddp::agent {

/// A plan of `ranks` ranks on this machine that run /bin/sh with `script`.
inline LaunchPlan make_plan(const std::filesystem::path& run_dir, int ranks, const std::string& script) {
  LaunchPlan plan;
  plan.run_id = run_dir.filename();
  plan.run_dir = run_dir;
  use_launcher(plan, "local");
  plan.tasks_per_node = ranks;
  plan.program = ProgramKind::command;
  plan.argv = {"/bin/sh", "-c", script};
  plan.work_dir = plan.submit_dir = run_dir;
  plan.agent = "/nowhere/ddp-agent";
  return plan;
}

/// Empty also where reading fails, as that of /proc/PID/stat does when the process ends after the open.
inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

/// The numbers in a file, one a line.
inline std::vector<int> read_numbers(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<int> numbers;
  for (int number = 0; file >> number;) numbers.push_back(number);
  return numbers;
}

/// Whether the process still does anything: a zombie does not.
inline bool is_running(int pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

/// A run folder for one test.
class RunFixture {
 public:
  RunFixture() : folder_(temporary_ / "run") { (void)folder_.create(); }

  [[nodiscard]] const RunFolder& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path path() const { return folder_.root(); }
  /// For files beside the run.
  [[nodiscard]] std::filesystem::path beside(const std::string& name) const { return temporary_ / name; }

  void save(const LaunchPlan& plan) const { std::ofstream(folder_.plan()) << to_json(plan).dump(); }

  [[nodiscard]] ExitRecord exit_record(int rank) const {
    const auto json = nlohmann::json::parse(read_file(folder_.exit_record(0, rank)), nullptr, false);
    return parse_exit_record(json).value_or(ExitRecord{});
  }

  [[nodiscard]] std::vector<LedgerEvent> events(const std::string& name) const {
    std::vector<LedgerEvent> found;
    const auto all = load_ledger(folder_);
    for (const LedgerEvent& event : all.value_or(std::vector<LedgerEvent>{})) {
      if (event.event == name) found.push_back(event);
    }
    return found;
  }

  /// The fields of the run's last word; an empty object before it is spoken.
  [[nodiscard]] nlohmann::json run_end() const {
    const auto ends = events("run_ended");
    return ends.empty() ? nlohmann::json::object() : ends.back().fields;
  }

 private:
  TemporaryFolder temporary_;
  RunFolder folder_;
};

}  // namespace ddp::agent
