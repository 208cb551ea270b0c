#include "cli/output/name_summary.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostShown = 3;
constexpr std::array<std::string_view, 8> kSecretParts{"KEY",  "TOKEN", "SECRET", "PASS",
                                                       "CRED", "AUTH",  "JWT",    "CERT"};

bool looks_secret(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::ranges::any_of(kSecretParts,
                             [name](std::string_view part) { return name.find(part) != name.npos; });
}

}  // namespace

std::string summarize_names(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const auto& name : names) {
    if (shown.size() < kMostShown && !looks_secret(name)) shown.push_back(name);
  }
  const auto others = names.size() - shown.size();
  if (shown.empty()) return std::to_string(others) + (others == 1 ? " variable" : " variables");
  std::string text = join_words(shown, others > 0 ? ", " : " and ");
  return others > 0 ? text + " and " + std::to_string(others) + " more" : text;
}

}  // namespace ddp::cli
