#include "cli/output/secret_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ddp::cli {
namespace {

enum class PartIs { anywhere, last_word };

struct SecretPart {
  std::string_view text;
  PartIs place;
  SecretSuspicion suspicion;
};

/// The first row that fits counts.
constexpr auto kSecretParts = std::to_array<SecretPart>({
    {"TOKEN", PartIs::anywhere, SecretSuspicion::likely},
    {"SECRET", PartIs::anywhere, SecretSuspicion::likely},
    {"PASSWORD", PartIs::anywhere, SecretSuspicion::likely},
    {"PASSWD", PartIs::anywhere, SecretSuspicion::likely},
    {"PASSPHRASE", PartIs::anywhere, SecretSuspicion::likely},
    {"APIKEY", PartIs::anywhere, SecretSuspicion::likely},
    {"CREDENTIAL", PartIs::anywhere, SecretSuspicion::likely},
    {"PRIVATE", PartIs::anywhere, SecretSuspicion::likely},
    {"WEBHOOK", PartIs::anywhere, SecretSuspicion::likely},
    {"KEY", PartIs::last_word, SecretSuspicion::likely},
    {"PASS", PartIs::last_word, SecretSuspicion::likely},
    {"KEY", PartIs::anywhere, SecretSuspicion::possible},
    {"PASS", PartIs::anywhere, SecretSuspicion::possible},
    {"CRED", PartIs::anywhere, SecretSuspicion::possible},
    {"AUTH", PartIs::anywhere, SecretSuspicion::possible},
    {"JWT", PartIs::anywhere, SecretSuspicion::possible},
    {"CERT", PartIs::anywhere, SecretSuspicion::possible},
});

bool has_secret_part(std::string_view upper, const SecretPart& part) {
  if (part.place == PartIs::anywhere) return upper.find(part.text) != upper.npos;
  return upper.substr(upper.rfind('_') + 1) == part.text;  // npos + 1 is 0
}

}  // namespace

SecretSuspicion secret_suspicion_of(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
  const auto* const part = std::ranges::find_if(
      kSecretParts, [&](const SecretPart& each) { return has_secret_part(upper, each); });
  return part == kSecretParts.end() ? SecretSuspicion::none : part->suspicion;
}

}  // namespace ddp::cli
