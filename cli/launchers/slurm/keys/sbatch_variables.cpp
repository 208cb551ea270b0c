#include "cli/launchers/slurm/keys/sbatch_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

struct Variable {
  const char* name;
  std::string_view section;
  std::string_view key;
};

constexpr auto kVariables = std::to_array<Variable>({
    {"SBATCH_ACCOUNT", "slurm", "account"},
    {"SBATCH_PARTITION", "slurm", "partition"},
    {"SBATCH_QOS", "slurm", "qos"},
    {"SBATCH_RESERVATION", "slurm", "reservation"},
    {"SBATCH_CONSTRAINT", "slurm", "constraint"},
    {"SBATCH_TIMELIMIT", "resources", "time"},
});

Place place_of(const std::string& variable, const std::string& value) {
  auto source = std::make_shared<const SourceText>(SourceText{.name = variable,
                                                              .folder = {},
                                                              .text = variable + "=" + value,
                                                              .line_starts = {},
                                                              .origin = Origin::environment});
  const int length = static_cast<int>(source->text.size());
  return {.source = std::move(source), .column = 1, .length = length};
}

/// What is wrong with a value is told when it is read.
std::string value_of(const Variable& variable, const std::string& text) {
  return variable.key == "time" ? duration_of_sbatch(text).value_or(text) : text;
}

}  // namespace

ConfigNode read_sbatch_variables(const EnvMap& submitter) {
  ConfigNode root{.kind = ConfigNode::Kind::map, .entries = {}};
  for (const Variable& variable : kVariables) {
    const auto text = submitter.get(variable.name);
    if (!text || text->empty() || (variable.key == "time" && is_no_time_limit(*text))) continue;
    const Place place = place_of(variable.name, *text);
    ConfigNode value{
        .kind = ConfigNode::Kind::scalar, .scalar = value_of(variable, *text), .entries = {}, .place = place};
    ConfigNode section{.kind = ConfigNode::Kind::map, .entries = {}, .place = place};
    section.entries.push_back({std::string(variable.key), place, std::move(value)});
    ConfigNode layer{.kind = ConfigNode::Kind::map, .entries = {}};
    layer.entries.push_back({std::string(variable.section), place, std::move(section)});
    merge_into(root, std::move(layer));
  }
  return root;
}

bool is_no_time_limit(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool is_zero = !text.empty() && text.find_first_not_of("0:") == text.npos;
  return text == "UNLIMITED" || text == "INFINITE" || text == "-1" || is_zero;
}

std::optional<std::string> duration_of_sbatch(const std::string& text) {
  if (const auto minutes = parse_whole_number(text)) return fmt::format("{}m", *minutes);
  if (!parse_duration(text, DurationForm::units_or_slurm)) return std::nullopt;
  return text;
}

}  // namespace ddp::cli
