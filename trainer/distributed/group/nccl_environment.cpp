#include "trainer/distributed/group/nccl_environment.hpp"

#include <algorithm>
#include <cstdlib>

#include "jobenv/record/run_folder.hpp"

namespace ddp::trainer {

// A watchdog that is slow to load a kernel, or to take memory, does not hang.
constexpr std::chrono::seconds kShortestHeartbeat{60};

constexpr const char* kTraces = "TORCH_FR_DUMP_TEMP_FILE";
constexpr const char* kOldTraces = "TORCH_NCCL_DEBUG_INFO_TEMP_FILE";  // LibTorch prefers the new name

std::vector<std::pair<std::string, std::string>> nccl_environment(const JobEnvironment& job,
                                                                  std::chrono::milliseconds timeout) {
  const auto heartbeat = std::max(kShortestHeartbeat, std::chrono::ceil<std::chrono::seconds>(timeout));
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", std::to_string(heartbeat.count())}};
  if (!job.run_dir.empty()) {
    // LibTorch appends the rank.
    variables.emplace_back(kTraces, RunFolder(job.run_dir).logs(job.attempt) / "nccl-trace-");
  }
  return variables;
}

void set_nccl_environment(const JobEnvironment& job, std::chrono::milliseconds timeout) {
  constexpr int kKeepWhatIsSet = 0;
  for (const auto& [name, value] : nccl_environment(job, timeout)) {
    if (name == kTraces && std::getenv(kOldTraces) != nullptr) continue;
    setenv(name.c_str(), value.c_str(), kKeepWhatIsSet);
  }
}

}  // namespace ddp::trainer
