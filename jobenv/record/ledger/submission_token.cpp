#include "jobenv/record/ledger/submission_token.hpp"

#include <sstream>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp {
namespace {

std::string find_token(std::string_view line) {
  const auto prefix = line.find(kCommentPrefix);
  if (!line.starts_with('#') || prefix == std::string_view::npos) return {};
  const auto begin = prefix + kCommentPrefix.size();
  return std::string(line.substr(begin, line.find_first_not_of("0123456789abcdef", begin) - begin));
}

}  // namespace

std::optional<std::string> load_script_token(const RunFolder& folder) {
  std::istringstream script(load_file(folder.script()).value_or(""));
  for (std::string line; std::getline(script, line);) {
    if (auto token = find_token(line); !token.empty()) return token;
  }
  return std::nullopt;
}

}  // namespace ddp
