#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

/// What can be said of the options of Slurm's programs: those that a file hands to them, and, for import,
/// those of a batch script.
namespace ddp::cli {

/// Whether an option takes a value.
enum class ValueUse { required, optional, none, unknown };

struct OptionName {
  std::string_view name;
  char letter = 0;  ///< of its one-letter form; 0: none
  ValueUse value = ValueUse::unknown;
  std::string_view problem = {};  ///< why it is refused; empty: it is not
  std::string_view remedy = {};
};

constexpr OptionName free_option(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::required};
}

constexpr OptionName optional_value(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::optional};
}

constexpr OptionName flag_option(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::none};
}

/// Of a version whose program was not at hand.
constexpr OptionName newer_option(std::string_view name) {
  return {name};
}

constexpr OptionName refused_option(std::string_view name, char letter, std::string_view problem,
                                    std::string_view remedy, ValueUse value = ValueUse::required) {
  return {name, letter, value, problem, remedy};
}

constexpr OptionName own_option(std::string_view name, char letter = 0, ValueUse value = ValueUse::required) {
  return refused_option(name, letter, "is set by ddpsubmit itself", "remove it", value);
}

constexpr OptionName with_key(std::string_view name, char letter, std::string_view remedy,
                              ValueUse value = ValueUse::required) {
  return refused_option(name, letter, "has a key of its own", remedy, value);
}

/// What to use in place of a limit of memory in another unit.
inline constexpr std::string_view kMemoryOfNode = "use resources.memory, the memory per node";

/// The long options of one program.
struct ProgramOptions {
  std::string_view program;
  std::span<const OptionName> options;
};

/// The option with that whole name. nullptr: it is not known.
[[nodiscard]] const OptionName* find_option_name(std::string_view name, const ProgramOptions& known);

/// The option with that one-letter form, which is not 0. nullptr: there is none.
[[nodiscard]] const OptionName* find_option_letter(char letter, const ProgramOptions& known);

/// The whole names that begin so.
[[nodiscard]] std::vector<std::string_view> option_names_that_begin(std::string_view beginning,
                                                                    const ProgramOptions& known);

/// Whether `name` can be handed to the program as a long option. Refused with ExitCode::config_invalid: what
/// its row refuses, and all short forms, because the programs take every unambiguous beginning of a long
/// option for the option. A name that is not known is good: newer versions of Slurm and a site's plug-ins
/// have more, and the program at hand refuses what it does not know.
[[nodiscard]] Expected<void> check_option_name(std::string_view name, const ProgramOptions& known);

/// Says that an option which check_option_name lets pass is not known here, and what is likely meant.
/// nullopt: it is known, or nothing is near it, such as to an option of a plug-in.
[[nodiscard]] std::optional<std::string> doubt_option_name(std::string_view name,
                                                           const ProgramOptions& known);

/// Whether the option of that name takes `value`; an empty one stands for none. Without a value that it needs
/// an option would take the next one for it.
[[nodiscard]] Expected<void> check_option_value(std::string_view name, std::string_view value,
                                                const ProgramOptions& known);

}  // namespace ddp::cli
