#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ddp {

/// What a rank is doing. Programs may add phases of their own; those have a PhaseName alone.
enum class Phase : std::uint32_t { start, step, checkpoint, evaluate, done };
inline constexpr std::size_t kPhases = 5;
[[nodiscard]] std::string_view name_of(Phase phase);

/// A phase by its name: one of Phase, or what a program calls its own. Part of the exit record of a rank.
class PhaseName {
 public:
  static constexpr std::size_t kLongest = 31;  ///< bytes of a name

  PhaseName(Phase phase = Phase::start);  // NOLINT(google-explicit-constructor): each Phase has a name
  /// nullopt: `text` is empty, too long, or has characters other than printable ASCII.
  [[nodiscard]] static std::optional<PhaseName> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// nullopt: it is a phase of the program's own.
  [[nodiscard]] std::optional<Phase> known() const;

  auto operator<=>(const PhaseName&) const = default;

 private:
  explicit PhaseName(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace ddp
