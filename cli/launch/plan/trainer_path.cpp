#include "cli/launch/plan/trainer_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// There is a folder for each version of torch: libexec/ddpsubmit/torch-2.11.0/ddptrain.
fs::path trainers_folder(const fs::path& own_folder) {
  return own_folder.parent_path() / "libexec" / "ddpsubmit";
}

constexpr std::string_view kOfTorch = "torch-";

/// 2.9.1 is lower than 2.11.0.
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  std::istringstream parts(version);
  for (std::string part; std::getline(parts, part, '.');) numbers.push_back(std::atoi(part.c_str()));
  return numbers;
}

/// That for `torch`; else the newest, about which the preflight says what it lacks. Empty: none is installed.
fs::path installed_trainer(const fs::path& own_folder, const std::string& program, const std::string& torch) {
  const auto versions = trainer_versions(own_folder, program);
  if (versions.empty()) return {};
  const auto fitting = std::ranges::find(versions, torch);
  const std::string& version = fitting != versions.end() ? *fitting : versions.back();
  return trainer_folder(own_folder, version) / program;
}

}  // namespace

fs::path trainer_folder(const fs::path& own_folder, const std::string& torch) {
  return trainers_folder(own_folder) / (std::string(kOfTorch) + torch);
}

std::string torch_of_trainer(const fs::path& trainer) {
  const fs::path folder = trainer.parent_path();
  const std::string name = folder.filename();
  const bool is_installed = name.starts_with(kOfTorch) && folder.parent_path().filename() == "ddpsubmit";
  return is_installed ? name.substr(kOfTorch.size()) : std::string();
}

std::vector<std::string> trainer_versions(const fs::path& own_folder, const std::string& program) {
  std::vector<std::string> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(trainers_folder(own_folder), error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kOfTorch) && access((entry.path() / program).c_str(), X_OK) == 0)
      versions.push_back(name.substr(kOfTorch.size()));
  }
  std::ranges::sort(versions, {}, numbers_of);
  return versions;
}

std::string locate_trainer(const std::string& program, const fs::path& own_folder, const fs::path& work_dir,
                           const EnvMap& environment, const std::string& torch) {
  if (program.find('/') != std::string::npos) return (work_dir / program).lexically_normal();
  const auto beside = own_folder / program;
  if (access(beside.c_str(), X_OK) == 0) return beside;
  if (const auto installed = installed_trainer(own_folder, program, torch); !installed.empty())
    return installed;
  const auto in_path = resolve_program(program, environment);
  return in_path ? fs::absolute(*in_path) : beside;
}

}  // namespace ddp::cli
