#include "cli/source/source_revision.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "cli/source/work_tree.hpp"
#include "jobenv/record/files/durable_file.hpp"

// gitrepository-layout(5) says where these files are.
namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 4u << 20;  // of packed-refs
constexpr std::string_view kReference = "ref: ";
constexpr std::string_view kBranch = "refs/heads/";

/// Its first line.
std::string load_line(const fs::path& file) {
  const auto text = load_file(file, kMostBytes).value_or("");
  return text.substr(0, text.find('\n'));
}

bool is_commit(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

std::string find_in_packed(const fs::path& file, const std::string& reference) {
  std::istringstream lines(load_file(file, kMostBytes).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(" " + reference)) return line.substr(0, line.find(' '));
  }
  return {};
}

/// What work trees share is in another folder.
std::string load_reference(const fs::path& git, const std::string& reference) {
  const auto common = load_line(git / "commondir");
  for (const auto& folder : {git, common.empty() ? git : git / common}) {
    if (auto commit = load_line(folder / reference); is_commit(commit)) return commit;
    if (auto commit = find_in_packed(folder / "packed-refs", reference); is_commit(commit)) return commit;
  }
  return {};
}

std::optional<SourceRevision> read_head(const fs::path& git) {
  const auto head = load_line(git / "HEAD");
  if (is_commit(head)) return SourceRevision{head, {}};
  if (!head.starts_with(kReference)) return std::nullopt;
  const auto reference = head.substr(kReference.size());
  const auto commit = load_reference(git, reference);
  if (commit.empty()) return std::nullopt;
  return SourceRevision{commit,
                        reference.starts_with(kBranch) ? reference.substr(kBranch.size()) : reference};
}

}  // namespace

std::optional<SourceRevision> find_source_revision(fs::path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (const auto git = find_git_folder(folder); !git.empty()) return read_head(git);
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace ddp::cli
