#include "variable_reader.hpp"

#include <algorithm>

#include "ddp/jobenv/host_list.hpp"
#include "ddp/jobenv/rank_layout.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp {
namespace {

/// One line of text, whatever is in it.
std::string printable(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string shown;
  for (const char c : text.substr(0, kShown))
    shown += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return text.size() > kShown ? shown + "…" : shown;
}

/// The nonce lets a process join the run: it stays out of logs.
bool is_confidential(std::string_view variable) {
  return variable.find("NONCE") != std::string_view::npos;
}

/// CUDA's rule: an index, or a UUID. The first entry that is neither hides itself and all that follow.
bool is_gpu(std::string_view entry) {
  return parse_whole_number(entry).has_value() || entry.starts_with("GPU-") || entry.starts_with("MIG-");
}

}  // namespace

std::optional<std::string> VariableReader::look_up(const std::string& variable) {
  if (std::find(seen_.begin(), seen_.end(), variable) == seen_.end()) seen_.push_back(variable);
  auto value = env_.get(variable);
  return value && !value->empty() ? value : std::nullopt;
}

std::optional<std::string> VariableReader::find(const std::string& variable, Need need) {
  auto value = look_up(variable);
  expect(value.has_value() || need == Need::optional, variable + " is not set");
  return value;
}

void VariableReader::expect(bool holds, const std::string& problem) {
  if (!holds) problems_.push_back(problem);
}

void VariableReader::set_origin(const char* field, const std::string& variable) {
  job_.origins[field] = variable;
}

void VariableReader::read_text(std::string& value, const char* field, const std::string& variable,
                               Need need) {
  auto text = find(variable, need);
  if (!text) return;
  value = std::move(*text);
  set_origin(field, variable);
}

std::optional<int> VariableReader::number_of(const std::string& variable, Need need, int least, int most) {
  const auto text = find(variable, need);
  if (!text) return std::nullopt;
  const auto number = parse_whole_number(*text);
  if (number && *number >= least && *number <= most) return static_cast<int>(*number);
  const std::string range = most == std::numeric_limits<int>::max()
                                ? "from " + std::to_string(least)
                                : std::to_string(least) + " to " + std::to_string(most);
  problems_.push_back(variable + " is '" + printable(*text) + "', not a whole number " + range);
  return std::nullopt;
}

void VariableReader::read_number(int& value, const char* field, const std::string& variable, Need need,
                                 int least, int most) {
  const auto number = number_of(variable, need, least, most);
  if (!number) return;
  value = *number;
  set_origin(field, variable);
}

void VariableReader::read_layout(const std::string& variable, Need need) {
  const auto text = find(variable, need);
  if (!text) return;
  set_origin("tasks_per_node", variable);
  const auto layout = RankLayout::parse(*text);
  if (!layout) return expect(false, variable + ": " + layout.error().message);
  job_.tasks_per_node = layout->tasks_per_node();
}

void VariableReader::read_hostnames(const std::string& variable, Need need) {
  const auto text = find(variable, need);
  if (!text) return;
  set_origin("hostnames", variable);
  const auto hosts = HostList::parse(*text);
  if (!hosts) return expect(false, variable + ": " + hosts.error().message);
  job_.hostnames = hosts->hosts();
}

void VariableReader::read_deadline(const std::string& variable) {
  const auto text = find(variable, Need::optional);
  if (!text) return;
  set_origin("deadline", variable);
  constexpr std::int64_t kLatest = 253'402'300'799;  // end of the year 9999
  const auto seconds = parse_whole_number(*text);
  if (!seconds || *seconds > kLatest) {
    return expect(false, variable + " is '" + printable(*text) + "', not a time in seconds since 1970");
  }
  job_.deadline = std::chrono::system_clock::time_point(std::chrono::seconds(*seconds));
}

void VariableReader::read_gpus() {
  const auto text = find("CUDA_VISIBLE_DEVICES", Need::optional);
  if (!text) return;
  set_origin("gpus", "CUDA_VISIBLE_DEVICES");
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    const std::string entry = text->substr(begin, end - begin);
    if (!is_gpu(entry)) return;
    job_.gpus.push_back({static_cast<int>(job_.gpus.size()), entry});
    begin = end + 1;
  }
}

Error VariableReader::error(const std::string& subject, const std::string& hint) const {
  std::string message = subject + ": ";
  for (std::size_t i = 0; i < problems_.size(); ++i) message += (i > 0 ? "; " : "") + problems_[i];
  std::size_t width = 0;
  for (const std::string& variable : seen_) width = std::max(width, variable.size());
  for (const std::string& variable : seen_) {
    const auto value = env_.get(variable);
    const std::string shown = !value ? "(not set)" : is_confidential(variable) ? "(set)" : printable(*value);
    message.append("\n  ").append(variable).append(width - variable.size() + 2, ' ').append(shown);
  }
  return Error{ExitCode::config_invalid, message, hint};
}

}  // namespace ddp
