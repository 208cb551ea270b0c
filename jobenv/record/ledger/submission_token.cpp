#include "jobenv/record/ledger/submission_token.hpp"

#include <sstream>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp {
namespace {

constexpr std::string_view kCommentPrefix = "ddpsubmit:";

/// A value with blanks stands in quotes.
std::optional<std::string> token_of_directive(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  for (auto at = line.find(kCommentPrefix); at != line.npos; at = line.find(kCommentPrefix, at + 1)) {
    auto before = line.substr(0, at);
    if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
    if (before.ends_with('=')) return token_of_comment(line.substr(at));
  }
  return std::nullopt;
}

}  // namespace

std::string comment_of_token(std::string_view token) {
  return std::string(kCommentPrefix) + std::string(token);
}

std::optional<std::string> token_of_comment(std::string_view comment) {
  if (!comment.starts_with(kCommentPrefix)) return std::nullopt;
  comment.remove_prefix(kCommentPrefix.size());
  // The user's own comment stands behind it, and a site may write its own words there.
  return std::string(comment.substr(0, comment.find_first_not_of("0123456789abcdef")));
}

std::optional<std::string> load_script_token(const RunFolder& folder) {
  std::istringstream script(load_file(folder.script()).value_or(""));
  for (std::string line; std::getline(script, line);) {
    if (auto token = token_of_directive(line); token && !token->empty()) return token;
  }
  return std::nullopt;
}

}  // namespace ddp
