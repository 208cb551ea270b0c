#include "jobenv/agent/launchers/ssh/service/content_index.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "jobenv/agent/launchers/ssh/service/sha256.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

/// What is opened is a file: no link, and nothing that would wait for a writer.
FileDescriptor open_file(const fs::path& path, struct stat& status) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const bool usable = file.is_open() && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  return usable ? std::move(file) : FileDescriptor();
}

bool is_own(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string state_of(const struct stat& status) {
  std::ostringstream text;
  text << status.st_uid << ' ' << std::oct << status.st_mode << std::dec << ' ' << status.st_size << ' '
       << status.st_mtim.tv_sec << '.' << status.st_mtim.tv_nsec << ' ' << status.st_ino;
  return text.str();
}

std::string hash_of(const FileDescriptor& file) {
  Sha256 hash;
  return hash.add_rest_of(file) ? hash.finish() : std::string();
}

}  // namespace

ContentIndex::ContentIndex(fs::path folder) : folder_(std::move(folder)) {
  struct stat status {};
  const auto file = open_file(folder_ / kName, status);
  if (!file.is_open() || !is_own(status)) return;
  const auto json = parse_json(load_file(folder_ / kName).value_or(""));
  if (!json.is_object()) return;
  for (const auto& [sha256, state] : json.items())
    if (state.is_string()) states_[sha256] = state.get<std::string>();
}

bool ContentIndex::verify(const std::string& sha256, std::uint64_t size) {
  struct stat status {};
  const auto file = open_file(folder_ / sha256, status);
  if (!file.is_open() || !is_own(status) || static_cast<std::uint64_t>(status.st_size) != size) return false;
  const std::string state = state_of(status);
  if (const auto known = states_.find(sha256); known != states_.end() && known->second == state) return true;
  if (hash_of(file) != sha256) return false;
  states_[sha256] = state;
  return changed_ = true;
}

void ContentIndex::add(const std::string& sha256) {
  struct stat status {};
  if (!open_file(folder_ / sha256, status).is_open()) return;
  states_[sha256] = state_of(status);
  changed_ = true;
}

void ContentIndex::save() {
  if (!changed_) return;
  (void)save_file(folder_ / kName, nlohmann::json(states_).dump(1) + "\n", Durability::visible);
  changed_ = false;
}

}  // namespace ddp::agent
