#include "jobenv/probe/gpu_inventory.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace ddp {
namespace {

namespace fs = std::filesystem;

bool is_version(const std::string& word) {
  return word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …"
std::string read_driver_version(const fs::path& file) {
  std::ifstream text(file);
  for (std::string word; text >> word;) {
    if (is_version(word)) return word;
  }
  return {};
}

std::string read_uuid(const fs::path& file) {
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("GPU UUID:")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::string uuid;
    words >> uuid;
    return uuid;
  }
  return {};
}

bool is_gpu(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  return name.size() > kPrefix.size() && name.starts_with(kPrefix) &&
         name.find_first_not_of("0123456789", kPrefix.size()) == name.npos;
}

}  // namespace

GpuInventory read_gpus(const fs::path& driver_folder) {
  GpuInventory found{.driver = read_driver_version(driver_folder / "version"), .uuids = {}};
  std::vector<fs::path> devices;
  std::error_code error;
  for (fs::directory_iterator entry(driver_folder / "gpus", error), end; !error && entry != end;
       entry.increment(error)) {
    devices.push_back(entry->path());
  }
  std::ranges::sort(devices);
  for (const auto& device : devices) {
    if (auto uuid = read_uuid(device / "information"); !uuid.empty()) found.uuids.push_back(std::move(uuid));
  }
  return found;
}

int count_gpus(const fs::path& devices) {
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator entry(devices, error), end; !error && entry != end; entry.increment(error)) {
    if (is_gpu(entry->path().filename().string())) ++count;
  }
  return count;
}

}  // namespace ddp
