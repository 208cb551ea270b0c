#include "cli/commands/prune/prune_rules.hpp"

#include <algorithm>

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

constexpr Option kOlderThan{"--older-than", "DURATION", "runs that ended longer ago than this, such as 30d"};
constexpr Option kKeepNewest{"--keep", "N", "all runs but the N newest of each name"};
constexpr Option kEndState{"--state", "STATES", "runs in one of these states, such as failed,cancelled",
                           WordKind::states};
constexpr Option kLargerThan{"--larger-than", "SIZE", "run folders larger than this, such as 10GiB"};
constexpr Option kRunName{"--name", "TEXT", "runs whose name contains this", WordKind::run_name};
constexpr Option kCheckpoints{"--checkpoints", "",
                              "delete only checkpoints, all but the newest and the best of each run"};
constexpr Option kGone{"--gone", "", "remove runs from the list whose folders no longer exist"};

template <class T>
tl::unexpected<Error> refuse_value(const Option& option, const std::string& text, const Parsed<T>& parsed,
                                   const std::string& form) {
  const auto hint = parsed || parsed.error().empty() ? form : parsed.error();
  return fail(ExitCode::usage, std::string(option.name) + ": '" + text + "' is not valid", hint);
}

/// Reads the value of an option, if it is given. The error says which form a value has.
template <class T, class Parse>
Expected<std::optional<T>> parse_value(const Arguments& arguments, const Option& option, Parse parse,
                                       const std::string& form) {
  const auto text = arguments.one(option.name);
  if (!text) return std::optional<T>();
  const Parsed<T> value = parse(*text);
  if (!value) return refuse_value(option, *text, value, form);
  return std::optional<T>(*value);
}

Parsed<std::int64_t> parse_not_negative(std::string_view text) {
  auto number = parse_integer(text);
  if (number && *number < 0) return tl::unexpected<std::string>("use 0 or more");
  return number;
}

/// A number alone is meant as days.
Parsed<std::chrono::seconds> parse_age(std::string_view text) {
  if (parse_integer(text)) return tl::unexpected<std::string>("add the unit: " + std::string(text) + "d");
  return parse_duration(text, DurationForm::units);
}

Expected<void> check_states(const RunFilter& filter) {
  const auto open = std::ranges::find_if(filter.states, [](RunState state) { return !is_final(state); });
  if (open == filter.states.end()) return {};
  return fail(ExitCode::usage, "--state: runs that are " + std::string(name_of(*open)) + " cannot be deleted",
              "only runs that have ended are deleted: succeeded, failed, timed_out, preempted, cancelled");
}

PruneTarget target_of(const Arguments& arguments) {
  if (arguments.has(kGone.name)) return PruneTarget::none;
  if (arguments.has(kCheckpoints.name)) return PruneTarget::spare_checkpoints;
  for (const auto& option : {kOlderThan, kKeepNewest, kEndState, kLargerThan, kRunName})
    if (arguments.has(option.name)) return PruneTarget::run_folders;
  return arguments.all(kPrunedRuns.name).empty() ? PruneTarget::none : PruneTarget::run_folders;
}

/// Of a run without a folder only its name and its age are known.
Expected<void> check_gone(const Arguments& arguments) {
  if (!arguments.has(kGone.name)) return {};
  for (const auto& option : {kKeepNewest, kEndState, kLargerThan, kCheckpoints}) {
    if (arguments.has(option.name))
      return fail(ExitCode::usage, "--gone cannot be used with " + std::string(option.name),
                  "remove one of them; --gone takes --name and --older-than");
  }
  return {};
}

}  // namespace

std::vector<Option> prune_options() {
  return {kOlderThan, kKeepNewest, kEndState, kLargerThan, kRunName, kCheckpoints, kGone};
}

Expected<PruneRules> parse_prune_rules(const Arguments& arguments) {
  PruneRules rules{.target = target_of(arguments)};
  rules.forgets_gone = arguments.has(kGone.name);
  if (rules.target == PruneTarget::none && !rules.forgets_gone) {
    return fail(ExitCode::usage, "prune needs to know which runs to delete",
                "name runs, or use one or more of --older-than, --keep, --state, --larger-than, --name, "
                "--checkpoints, --gone; see: ddpsubmit prune --help");
  }
  if (auto checked = check_gone(arguments); !checked) return tl::unexpected(checked.error());
  const auto age =
      parse_value<std::chrono::seconds>(arguments, kOlderThan, parse_age, "write it as 30d, 12h or 1h30m");
  if (!age) return tl::unexpected(age.error());
  const auto keep = parse_value<std::int64_t>(arguments, kKeepNewest, parse_not_negative, "write a number");
  if (!keep) return tl::unexpected(keep.error());
  const auto size =
      parse_value<std::uint64_t>(arguments, kLargerThan, parse_size, "write it as 10GiB or 500MB");
  if (!size) return tl::unexpected(size.error());
  auto filter = parse_run_filter(arguments);
  if (!filter) return tl::unexpected(filter.error());
  if (auto checked = check_states(*filter); !checked) return tl::unexpected(checked.error());
  rules.older_than = *age;
  rules.keep = *keep;
  rules.larger_than = *size;
  rules.filter = std::move(*filter);
  return rules;
}

}  // namespace ddp::cli
