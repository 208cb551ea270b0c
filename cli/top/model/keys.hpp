#pragma once

#include <array>
#include <span>
#include <string_view>

namespace ddp::cli {

/// A character, or a key of kKey….
using PressedKey = char32_t;

// Beyond all characters.
inline constexpr PressedKey kKeyUp = 0x110001;
inline constexpr PressedKey kKeyDown = 0x110002;
inline constexpr PressedKey kKeyPageUp = 0x110003;
inline constexpr PressedKey kKeyPageDown = 0x110004;
inline constexpr PressedKey kKeyHome = 0x110005;
inline constexpr PressedKey kKeyEnd = 0x110006;
inline constexpr PressedKey kKeyEnter = 0x110007;
inline constexpr PressedKey kKeyBackspace = 0x110008;
inline constexpr PressedKey kKeyEscape = 0x110009;
inline constexpr PressedKey kKeyRight = 0x11000a;
inline constexpr PressedKey kKeyLeft = 0x11000b;

enum class Action {
  none,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  open,
  back,
  follow_logs,
  cancel,
  rerun,
  filter,
  next_sort,
  previous_sort,
  refresh,
  help,
  quit,
};

/// In the last line of which screens a key is named: of all, of lists, or of those that lead back.
enum class KeyOf { all, lists, inner };

/// What a key does: the table makes the help screen and the last line of each screen, too.
struct KeyBinding {
  Action action = Action::none;
  std::array<PressedKey, 3> keys = {};  ///< 0: none
  std::string_view shown;               ///< the keys, for people
  std::string_view doc;
  std::string_view brief = {};  ///< for the last line; empty: it is not there
  KeyOf on = KeyOf::all;
};

[[nodiscard]] std::span<const KeyBinding> key_table();

[[nodiscard]] Action action_of(PressedKey key);

}  // namespace ddp::cli
