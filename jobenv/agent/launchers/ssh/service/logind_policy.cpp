#include "jobenv/agent/launchers/ssh/service/logind_policy.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

/// The first one wins where several have a file of the same name.
constexpr std::array<const char*, 4> kFolders = {"etc/systemd", "run/systemd", "usr/local/lib/systemd",
                                                 "usr/lib/systemd"};

using Settings = std::map<std::string, std::string>;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

void read_settings(const fs::path& file, Settings& settings) {
  std::istringstream lines(load_file(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto text = trimmed(line);
    const auto equals = text.find('=');
    if (text.empty() || text.front() == '#' || text.front() == ';' || equals == std::string_view::npos)
      continue;
    settings[std::string(trimmed(text.substr(0, equals)))] = trimmed(text.substr(equals + 1));
  }
}

void read_main_file(const fs::path& root, Settings& settings) {
  std::error_code error;
  for (const char* folder : kFolders) {
    const fs::path file = root / folder / "logind.conf";
    if (fs::exists(file, error)) return read_settings(file, settings);
  }
}

/// In the order of their names, whatever folders they are in.
void read_drop_ins(const fs::path& root, Settings& settings) {
  std::map<std::string, fs::path> files;
  for (const char* folder : kFolders) {
    std::error_code error;
    for (fs::directory_iterator entry(root / folder / "logind.conf.d", error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".conf") files.emplace(entry->path().filename(), entry->path());
    }
  }
  for (const auto& [name, file] : files) read_settings(file, settings);
}

bool is_yes(const std::string& value) {
  constexpr std::array<std::string_view, 6> kYes = {"1", "yes", "y", "true", "t", "on"};
  return std::ranges::find(kYes, value) != kYes.end();
}

bool names(const std::string& list, const std::string& user) {
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    if (word == user) return true;
  }
  return false;
}

/// "0::/user.slice/user-1000.slice/session-3.scope"
bool is_in_session(const fs::path& root) {
  const std::string groups = load_proc_file((root / "proc/self/cgroup").string());
  return groups.find("/session-") != std::string::npos && groups.find(".scope") != std::string::npos;
}

}  // namespace

bool ends_with_session(const std::string& user, const fs::path& root) {
  if (!is_in_session(root)) return false;
  Settings settings = {{"KillExcludeUsers", "root"}};
  read_main_file(root, settings);
  read_drop_ins(root, settings);
  const std::string& only = settings["KillOnlyUsers"];
  return is_yes(settings["KillUserProcesses"]) && !names(settings["KillExcludeUsers"], user) &&
         (only.empty() || names(only, user));
}

}  // namespace ddp::agent
