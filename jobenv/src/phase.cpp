#include "ddp/jobenv/phase.hpp"

#include <algorithm>
#include <array>

namespace ddp {
namespace {

constexpr std::array<std::string_view, kPhases> kNames = {"start", "step", "checkpoint", "evaluate", "done"};

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

std::string_view name_of(Phase phase) {
  const auto index = static_cast<std::size_t>(phase);
  return index < kNames.size() ? kNames[index] : "unknown";
}

PhaseName::PhaseName(Phase phase) : text_(name_of(phase)) {}

std::optional<PhaseName> PhaseName::parse(std::string_view text) {
  if (text.empty() || text.size() > kLongest || !std::ranges::all_of(text, is_printable)) return std::nullopt;
  return PhaseName(std::string(text));
}

std::optional<Phase> PhaseName::known() const {
  const auto found = std::ranges::find(kNames, text_);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Phase>(found - kNames.begin());
}

}  // namespace ddp
