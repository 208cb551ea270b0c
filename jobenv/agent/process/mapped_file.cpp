#include "jobenv/agent/process/mapped_file.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

/// Takes the first field off `line`, and the blanks around it.
std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const auto field = line.substr(0, line.find(' '));
  line.remove_prefix(field.size());
  return field;
}

/// "7f00-7f40 r--p 0000 00:17 42    /dev/shm/a b"; nullopt: it has no file, or one without a name.
std::optional<MappedFile> parse_line(std::string_view line) {
  if (line.find('/') == line.npos || line.ends_with(kDeleted)) return std::nullopt;
  for (int skipped = 0; skipped < 3; ++skipped) take_field(line);  // range, rights, offset
  MappedFile file;
  file.device = take_field(line);
  const auto inode = take_field(line);
  std::from_chars(inode.data(), inode.data() + inode.size(), file.inode);
  file.path = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  return file.path.starts_with('/') ? std::optional(std::move(file)) : std::nullopt;
}

}  // namespace

std::vector<MappedFile> parse_mapped_files(const std::string& maps) {
  std::vector<MappedFile> files;
  for (std::string_view rest = maps; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (auto file = parse_line(line)) files.push_back(std::move(*file));
  }
  std::ranges::sort(files);
  const auto repeats = std::ranges::unique(files);
  files.erase(repeats.begin(), repeats.end());
  return files;
}

std::vector<MappedFile> mapped_files(pid_t pid) {
  return parse_mapped_files(load_proc_file("/proc/" + std::to_string(pid) + "/maps"));
}

}  // namespace ddp::agent
