#include "cli/output/name_summary.hpp"

#include <map>

#include "cli/output/secret_names.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr int kMostOfAFamily = 2;

bool looks_secret(const std::string& name) {
  return secret_suspicion_of(name) != SecretSuspicion::none;
}

/// SLURM_ of SLURM_JOB_ID; a name without '_' is alone.
std::string family_of(const std::string& name) {
  const auto end = name.find('_');
  return end == name.npos ? name : name.substr(0, end + 1);
}

}  // namespace

std::string summarize_names(const std::vector<std::string>& names) {
  std::map<std::string, int> sizes;
  int hidden = 0;
  for (const auto& name : names) ++(looks_secret(name) ? hidden : sizes[family_of(name)]);
  std::vector<std::string> shown;
  for (const auto& name : names) {
    if (looks_secret(name)) continue;
    const auto family = family_of(name);
    const bool many = sizes[family] > kMostOfAFamily;
    auto text = many ? family + "* (" + std::to_string(sizes[family]) + ")" : name;
    if (shown.empty() || shown.back() != text) shown.push_back(std::move(text));
  }
  if (shown.empty()) return std::to_string(hidden) + (hidden == 1 ? " variable" : " variables");
  if (hidden == 0) return join_words(shown, " and ");
  return join_words(shown, ", ") + " and " + std::to_string(hidden) + " more";
}

}  // namespace ddp::cli
