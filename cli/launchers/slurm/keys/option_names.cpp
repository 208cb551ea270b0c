#include "cli/launchers/slurm/keys/option_names.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using OptionRows = std::span<const OptionName>;

std::string without_dashes(std::string_view name) {
  return std::string(name.substr(std::min(name.find_first_not_of('-'), name.size())));
}

bool is_long_option(std::string_view name) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  return name.size() > 1 && name.front() != '-' && std::ranges::all_of(name, fits);
}

/// The options that the program could take `name` for, which is not the whole name of any.
std::vector<OptionName> written_short(std::string_view name, const ProgramOptions& known) {
  const auto* by_letter = name.size() == 1 ? find_option_letter(name.front(), known) : nullptr;
  if (by_letter != nullptr) return {*by_letter};
  std::vector<OptionName> options;
  std::ranges::copy_if(known.options, std::back_inserter(options), [name](const OptionName& option) {
    return !name.empty() && option.name.starts_with(name);
  });
  return options;
}

std::vector<std::string> names_of(OptionRows options) {
  std::vector<std::string> names;
  for (const OptionName& option : options) names.emplace_back(option.name);
  return names;
}

tl::unexpected<Error> refuse(std::string message, std::string hint) {
  return fail(ExitCode::config_invalid, std::move(message), std::move(hint));
}

std::string call_option(std::string_view program, std::string_view name) {
  return std::string(program) + "'s '--" + std::string(name) + "'";
}

Expected<void> refuse_short_form(const std::string& name, const std::vector<OptionName>& meant,
                                 std::string_view program) {
  if (meant.size() > 1) {
    return refuse("'" + name + "' is an abbreviation of several options of " + std::string(program),
                  "write the full name: " + join_words(names_of(meant)));
  }
  const OptionName& option = meant.front();
  const std::string message = "'" + name + "' is an abbreviation of " + call_option(program, option.name);
  if (option.problem.empty()) return refuse(message, "write it out: " + std::string(option.name));
  return refuse(message + ", which " + std::string(option.problem), std::string(option.remedy));
}

Expected<void> refuse_malformed(const std::string& name, const std::string& bare,
                                const ProgramOptions& known) {
  const auto suggestion = suggest(bare, names_of(known.options));
  return refuse("'" + name + "' is not a long option of " + std::string(known.program),
                suggestion.empty() ? "write it without the dashes: verbose: \"\"" : suggestion);
}

constexpr std::size_t kMostTypos = 2;

}  // namespace

const OptionName* find_option_name(std::string_view name, const ProgramOptions& known) {
  const auto row = std::ranges::find(known.options, name, &OptionName::name);
  return row == known.options.end() ? nullptr : &*row;
}

const OptionName* find_option_letter(char letter, const ProgramOptions& known) {
  const auto row = std::ranges::find(known.options, letter, &OptionName::letter);
  return row == known.options.end() ? nullptr : &*row;
}

std::vector<std::string_view> option_names_that_begin(std::string_view beginning,
                                                      const ProgramOptions& known) {
  std::vector<std::string_view> names;
  for (const auto& option : known.options)
    if (option.name.starts_with(beginning)) names.push_back(option.name);
  return names;
}

std::optional<std::string> doubt_option_name(std::string_view name, const ProgramOptions& known) {
  const auto distance = [name](const OptionName& option) { return edit_distance(name, option.name); };
  const auto nearest = std::ranges::min_element(known.options, {}, distance);
  if (nearest == known.options.end() || distance(*nearest) == 0 || distance(*nearest) > kMostTypos)
    return std::nullopt;
  const std::string doubt = std::string(known.program) + "'s manual has no option '--" + std::string(name) +
                            "'; did you mean '" + std::string(nearest->name) + "'?";
  return nearest->problem.empty()
             ? doubt
             : doubt + " It " + std::string(nearest->problem) + ": " + std::string(nearest->remedy);
}

Expected<void> check_option_name(std::string_view name, const ProgramOptions& known) {
  const std::string bare = without_dashes(name);
  const auto* row = find_option_name(bare, known);
  const bool is_known = row != nullptr;
  if (is_known && !row->problem.empty()) {
    return refuse(call_option(known.program, bare) + " " + std::string(row->problem),
                  std::string(row->remedy));
  }
  if (const auto meant = written_short(bare, known); !is_known && !meant.empty())
    return refuse_short_form(std::string(name), meant, known.program);
  if (!is_long_option(name)) return refuse_malformed(std::string(name), bare, known);
  return {};
}

Expected<void> check_option_value(std::string_view name, std::string_view value,
                                  const ProgramOptions& known) {
  const auto* row = find_option_name(name, known);
  if (row == nullptr) return {};
  const std::string called = call_option(known.program, name);
  if (value.empty() && row->value == ValueUse::required)
    return refuse(called + " needs a value", "write one, or remove it");
  if (!value.empty() && row->value == ValueUse::none)
    return refuse(called + " takes no value", "write " + std::string(name) + ": \"\"");
  return {};
}

}  // namespace ddp::cli
