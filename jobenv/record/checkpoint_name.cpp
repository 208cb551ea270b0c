#include "jobenv/record/checkpoint_name.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

namespace ddp {
namespace {

const char* suffix_of(CheckpointName::Kind kind) {
  switch (kind) {
    case CheckpointName::Kind::removed:
      return ".removed";
    case CheckpointName::Kind::incomplete:
      return ".incomplete";
    case CheckpointName::Kind::replaced:
      return ".replaced";
    case CheckpointName::Kind::committed:
      break;
  }
  return "";
}

}  // namespace

std::string render_checkpoint_name(const CheckpointName& name) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "step-%08" PRIu64 "-a%d%s", name.step, name.attempt,
                suffix_of(name.kind));
  return text.data();
}

std::optional<CheckpointName> parse_checkpoint_name(const std::string& text) {
  CheckpointName name;
  if (std::sscanf(text.c_str(), "step-%20" SCNu64 "-a%9d", &name.step, &name.attempt) != 2)
    return std::nullopt;
  for (const auto kind : {CheckpointName::Kind::committed, CheckpointName::Kind::replaced,
                          CheckpointName::Kind::incomplete, CheckpointName::Kind::removed}) {
    name.kind = kind;
    if (render_checkpoint_name(name) == text) return name;
  }
  return std::nullopt;
}

Expected<std::vector<CheckpointName>> list_checkpoints(const std::filesystem::path& folder) {
  std::vector<CheckpointName> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto name = parse_checkpoint_name(entry->path().filename())) names.push_back(*name);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return tl::unexpected(
        fail_errno(ExitCode::not_found, "cannot list " + folder.string(), error.value()).value());
  std::sort(names.rbegin(), names.rend());
  return names;
}

}  // namespace ddp
