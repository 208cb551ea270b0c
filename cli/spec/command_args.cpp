#include "cli/spec/command_args.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kOpening = "{args.";

bool belongs_to_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

struct Placeholder {
  std::size_t begin = 0;  ///< in the word
  std::size_t size = 0;   ///< with the braces
  std::string name;
};

/// In their order. Braces around anything else are text.
std::vector<Placeholder> placeholders_in(std::string_view word) {
  std::vector<Placeholder> found;
  for (auto begin = word.find(kOpening); begin != word.npos; begin = word.find(kOpening, begin + 1)) {
    const auto name = begin + kOpening.size();
    auto end = name;
    while (end < word.size() && belongs_to_name(word[end])) ++end;
    if (end == name || end == word.size() || word[end] != '}') continue;
    found.push_back({begin, end + 1 - begin, std::string(word.substr(name, end - name))});
  }
  return found;
}

std::string fill_in(const std::string& word, const std::map<std::string, std::string>& args) {
  std::string filled;
  std::size_t taken = 0;
  for (const auto& [begin, size, name] : placeholders_in(word)) {
    const auto value = args.find(name);
    filled += word.substr(taken, begin - taken);
    filled += value == args.end() ? word.substr(begin, size) : value->second;
    taken = begin + size;
  }
  return filled + word.substr(taken);
}

Place place_in(const RunSpec& spec, const std::string& path) {
  const auto& places = spec.origins.by_path;
  const auto place = places.find(path);
  return place == places.end() ? Place{} : place->second;
}

std::string advise_on_name(const std::string& name, const RunSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [known, value] : spec.args) names.push_back(known);
  const auto meant = suggest(name, names);
  return meant.empty() ? "set args." + name + ", or sweep over it" : meant;
}

void report_unused(const std::string& name, const RunSpec& spec, Errors& errors) {
  const std::string path = "args." + name;
  if (!std::ranges::all_of(name, belongs_to_name)) {
    errors.push_back(config_error(place_in(spec, path), "'" + name + "' is not a valid argument name",
                                  "use letters, digits, '_' and '-'"));
    return;
  }
  errors.push_back(config_error(place_in(spec, path), "'" + path + "' is not used",
                                spec.train ? "args are for a 'command'; 'train' has keys of its own"
                                           : "write {" + path +
                                                 "} in an argument of 'command': [python, train.py, --" +
                                                 name + ", \"{" + path + "}\"]"));
}

}  // namespace

std::vector<std::string> command_of(const RunSpec& spec) {
  auto words = spec.command;
  for (auto& word : words) word = fill_in(word, spec.args);
  return words;
}

void check_args(const RunSpec& spec, Errors& errors) {
  if (spec.args.empty()) return;
  std::set<std::string> used;
  for (std::size_t index = 0; index < spec.command.size(); ++index) {
    for (const auto& [begin, size, name] : placeholders_in(spec.command[index])) {
      used.insert(name);
      if (spec.args.contains(name)) continue;
      errors.push_back(config_error(place_in(spec, item_path("command", index)),
                                    "'{args." + name + "}' has no value", advise_on_name(name, spec)));
    }
  }
  for (const auto& [name, value] : spec.args)
    if (!used.contains(name)) report_unused(name, spec, errors);
}

std::vector<std::string> warn_of_args(const RunSpec& spec) {
  std::vector<std::string> warnings;
  for (std::size_t index = 0; spec.args.empty() && index < spec.command.size(); ++index) {
    const auto mark = spec.origins.mark(item_path("command", index));
    for (const auto& placeholder : placeholders_in(spec.command[index]))
      warnings.push_back((mark ? render_place(*mark) + ": " : "") + "{args." + placeholder.name +
                         "} has no value, so it is passed to the program unchanged; set args." +
                         placeholder.name + ", or sweep over it");
  }
  return warnings;
}

}  // namespace ddp::cli
