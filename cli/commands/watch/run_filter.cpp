#include "cli/commands/watch/run_filter.hpp"

#include <algorithm>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

std::string without_outer_blanks(const std::string& text) {
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);  // npos + 1 is 0
}

/// Also as tables show it: "timed out".
Expected<RunState> parse_state(const std::string& word) {
  auto name = word;
  std::ranges::replace(name, ' ', '_');
  const auto names = run_state_names();
  if (std::ranges::find(names, name) != names.end()) return parse_run_state(name);
  return fail(ExitCode::usage, "--state: there is no state '" + word + "'",
              "the states are " + join_words(names, " and "));
}

Expected<std::set<RunState>> parse_states(const std::string& text) {
  std::set<RunState> states;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto state = parse_state(without_outer_blanks(text.substr(begin, end - begin)));
    if (!state) return tl::unexpected(state.error());
    states.insert(*state);
    begin = end + 1;
  }
  return states;
}

}  // namespace

bool RunFilter::wants_name_of(const RunPointer& run) const {
  return run.name.find(name_part) != std::string::npos;
}

std::string RunFilter::render_no_match() const {
  if (states.empty() && name_part.empty()) return "no run has been started yet";
  const auto name = "has '" + name_part + "' in its name";
  if (states.empty()) return "no run " + name;
  std::vector<std::string> names;
  for (const auto state : states) names.push_back(words_of(state));
  const auto state = "in state " + join_words(names);
  return name_part.empty() ? "no run is " + state : "no run " + state + " " + name;
}

bool RunFilter::wants_state_of(const RunStatus& run) const {
  return states.empty() || states.contains(run.state);
}

Expected<RunFilter> parse_run_filter(const Arguments& arguments) {
  RunFilter filter{.name_part = arguments.one(kNameOption.name).value_or("")};
  const auto text = arguments.one(kStateOption.name);
  if (!text) return filter;
  auto states = parse_states(*text);
  if (!states) return tl::unexpected(states.error());
  filter.states = std::move(*states);
  return filter;
}

}  // namespace ddp::cli
