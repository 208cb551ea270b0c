#include "cli/top/model/keys.hpp"

#include <algorithm>
#include <array>

namespace ddp::cli {
namespace {

constexpr auto kKeys = std::to_array<KeyBinding>({
    {Action::open,
     {kKeyEnter, kKeyRight},
     "Enter",
     "open the run: its ranks, attempts and logs",
     "open",
     KeyOf::lists},
    {Action::back,
     {kKeyEscape, kKeyBackspace, kKeyLeft},
     "Esc",
     "go back, or show all runs again; Backspace does the same",
     "back",
     KeyOf::inner},
    {Action::follow_logs, {U'l'}, "l", "follow the logs of the run, or of the chosen rank", "logs"},
    {Action::cancel,
     {U'c', U'x'},
     "c",
     "cancel the run, with a checkpoint first; asks before it does",
     "cancel"},
    {Action::rerun, {U'r'}, "r", "start an ended run again, from its newest checkpoint; asks", "rerun"},
    {Action::filter,
     {U'/'},
     "/",
     "show only runs with a text in id, state, launcher or job",
     "filter",
     KeyOf::lists},
    {Action::next_sort,
     {U's', U'>'},
     "s, >",
     "next order: activity, age, name, progress, time left, loss",
     "sort",
     KeyOf::lists},
    {Action::previous_sort, {U'<'}, "<", "the order before", "", KeyOf::lists},
    {Action::up, {kKeyUp, U'k'}, "Up, k", "one row up, or the rank before"},
    {Action::down, {kKeyDown, U'j'}, "Down, j", "one row down, or the next rank"},
    {Action::page_up, {kKeyPageUp}, "PgUp", "one page up"},
    {Action::page_down, {kKeyPageDown, U' '}, "PgDn, Space", "one page down"},
    {Action::home, {kKeyHome, U'g'}, "Home, g", "the first row"},
    {Action::end, {kKeyEnd, U'G'}, "End, G", "the last row"},
    {Action::refresh, {U'u'}, "u", "ask Slurm now"},
    {Action::help, {U'?', U'h'}, "?", "this help", "help"},
    {Action::quit, {U'q', U'Q'}, "q", "quit; Ctrl-C does the same", "quit"},
});

}  // namespace

std::span<const KeyBinding> key_table() {
  return kKeys;
}

Action action_of(PressedKey key) {
  const auto row = std::ranges::find_if(kKeys, [key](const KeyBinding& known) {
    return key != 0 && std::ranges::find(known.keys, key) != known.keys.end();
  });
  return row == kKeys.end() ? Action::none : row->action;
}

}  // namespace ddp::cli
