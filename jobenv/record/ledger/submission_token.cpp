#include "jobenv/record/ledger/submission_token.hpp"

#include "jobenv/record/files/durable_file.hpp"

namespace ddp {

std::optional<std::string> load_script_token(const RunFolder& folder) {
  const std::string text = load_file(folder.script()).value_or("");
  const std::string before = "#SBATCH --comment=" + std::string(kCommentPrefix);
  const auto place = text.find(before);
  if (place == std::string::npos) return std::nullopt;
  const auto begin = place + before.size();
  std::string token = text.substr(begin, text.find_first_not_of("0123456789abcdef", begin) - begin);
  return token.empty() ? std::nullopt : std::optional(std::move(token));
}

}  // namespace ddp
