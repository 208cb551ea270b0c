#include "cli/output/run/state_text.hpp"

#include <algorithm>

namespace ddp::cli {

std::string render_state(RunState state) {
  return render_state(name_of(state));
}

std::string render_state(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace ddp::cli
