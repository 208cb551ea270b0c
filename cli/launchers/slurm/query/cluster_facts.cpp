#include "cli/launchers/slurm/query/cluster_facts.hpp"

#include <cctype>
#include <charconv>

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kNothing = "(null)";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "4", "2K": Slurm counts in steps of 1024.
std::optional<std::int64_t> count_of(std::string_view text) {
  constexpr std::string_view kSteps = "KMGT";
  const auto step = text.empty() ? kSteps.npos : kSteps.find(static_cast<char>(std::toupper(text.back())));
  if (step != kSteps.npos) text.remove_suffix(1);
  const auto number = number_of<std::int64_t>(text);
  const int shift = step == kSteps.npos ? 0 : 10 * static_cast<int>(step + 1);
  if (!number || *number < 0 || *number > (std::int64_t{1} << 62) >> shift) return std::nullopt;
  return *number << shift;
}

std::optional<GresCount> parse_one_gres(std::string_view text) {
  for (const std::string_view prefix : {"gres:", "gres/"}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  auto parts = split(text.substr(0, text.find('(')), ':');
  std::erase(parts, "no_consume");
  if (parts.empty() || parts.front().empty() || parts.size() > 3) return std::nullopt;
  GresCount gres{.name = std::string(parts.front()), .type = {}, .count = 1};
  const auto count = count_of(parts.back());
  if (parts.size() == 3 && !count) return std::nullopt;
  if (parts.size() > 1 && count) gres.count = *count;
  if (parts.size() == 3 || (parts.size() == 2 && !count)) gres.type = parts[1];
  return gres;
}

/// "1-4", "1-infinite", "4".
std::optional<int> most_of_range(std::string_view text) {
  const auto dash = text.find('-');
  return number_of<int>(dash == text.npos ? text : text.substr(dash + 1));
}

std::optional<std::chrono::seconds> time_of(std::string_view text) {
  const auto parsed = parse_duration(text, DurationForm::units_or_slurm);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

std::vector<std::string> features_of(std::string_view text) {
  std::vector<std::string> features;
  if (text == kNothing) return features;
  for (const auto feature : split(text, ',')) features.emplace_back(feature);
  return features;
}

std::optional<NodeGroup> parse_group(std::string_view line) {
  const auto fields = split(line, '|');
  if (fields.size() != 9) return std::nullopt;
  const auto nodes = number_of<int>(fields[4]);
  const auto cpus = number_of<int>(fields[5]);
  const auto memory = number_of<std::uint64_t>(fields[6]);
  if (!nodes || !cpus || !memory) return std::nullopt;
  NodeGroup group{.partition = std::string(fields[0]),
                  .is_default = fields[0].ends_with('*'),
                  .availability = std::string(fields[1]),
                  .time_limit = time_of(fields[2]),
                  .most_nodes = most_of_range(fields[3]),
                  .nodes = *nodes,
                  .cpus = *cpus,
                  .memory_mib = *memory,
                  .features = features_of(fields[7]),
                  .gres = parse_gres(fields[8])};
  if (group.is_default) group.partition.pop_back();
  return group;
}

}  // namespace

std::vector<GresCount> parse_gres(std::string_view text) {
  std::vector<GresCount> list;
  if (text == kNothing || text == "none" || text == "NONE") return list;
  // A comma can stand in brackets, too: gpu:2(S:0,1).
  for (std::size_t begin = 0, depth = 0, at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++depth;
    if (at < text.size() && text[at] == ')' && depth > 0) --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    if (auto gres = parse_one_gres(text.substr(begin, at - begin))) list.push_back(std::move(*gres));
    begin = at + 1;
  }
  return list;
}

std::vector<NodeGroup> parse_node_groups(std::string_view text) {
  std::vector<NodeGroup> groups;
  for (const auto line : split(text, '\n')) {
    if (auto group = parse_group(line)) groups.push_back(std::move(*group));
  }
  return groups;
}

std::map<std::string, int> parse_partition_sizes(std::string_view text) {
  std::map<std::string, int> sizes;
  for (const auto line : split(text, '\n')) {
    std::string name;
    for (const auto field : split(line, ' ')) {
      const auto equals = field.find('=');
      if (equals == field.npos) continue;
      if (field.substr(0, equals) == "PartitionName") name = field.substr(equals + 1);
      if (field.substr(0, equals) != "TotalNodes" || name.empty()) continue;
      if (const auto nodes = number_of<int>(field.substr(equals + 1))) sizes[name] = *nodes;
    }
  }
  return sizes;
}

}  // namespace ddp::cli
