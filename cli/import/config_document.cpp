#include "cli/import/config_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/spec/field_writer.hpp"

namespace ddp::cli {
namespace {

/// Keys in the order of the page of keys; behind a dot those of a section.
constexpr std::array<std::string_view, 39> kOrderOfKeys = {
    "name",
    "launcher",
    "resources.nodes",
    "resources.tasks_per_node",
    "resources.gpus_per_node",
    "resources.gpu_type",
    "resources.cpus_per_task",
    "resources.memory",
    "resources.time",
    "slurm.partition",
    "slurm.account",
    "slurm.qos",
    "slurm.reservation",
    "slurm.constraint",
    "slurm.mpi",
    "slurm.nodelist",
    "slurm.exclude",
    "slurm.gres",
    "slurm.mail_user",
    "slurm.mail_type",
    "slurm.exclusive",
    "slurm.segment",
    "slurm.comment",
    "slurm.dependency",
    "slurm.output",
    "slurm.options",
    "slurm.srun_options",
    "environment.inherit",
    "environment.set",
    "environment.pass",
    "environment.secrets",
    "environment.setup",
    "fault_tolerance.max_restarts",
    "fault_tolerance.requeue",
    "fault_tolerance.signal",
    "fault_tolerance.signal_lead",
    "command",
    "sweep",
    "sweep_options.at_once",
};

constexpr std::string_view kSetup = "environment.setup";
constexpr std::string_view kCommand = "command";
constexpr std::size_t kCommentColumn = 34;
constexpr std::size_t kLongestLine = 100;

std::string section_of_path(std::string_view path) {
  const auto dot = path.find('.');
  return dot == path.npos ? "" : std::string(path.substr(0, dot));
}

std::string with_comment(const std::string& line, const std::string& comment) {
  return comment.empty() ? line + "\n" : fmt::format("{:<{}}  # {}\n", line, kCommentColumn, comment);
}

std::string render_setup_item(const DocumentLine& line) {
  if (line.text.find('\n') == std::string::npos)
    return with_comment("    - " + render_text(line.text), line.comment);
  std::string text = with_comment("    - |", line.comment);
  std::string_view rest = line.text;
  while (!rest.empty()) {
    const auto length = std::min(rest.find('\n'), rest.size());
    text += (length == 0 ? "" : "        " + std::string(rest.substr(0, length))) + "\n";
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return text;
}

/// On one line, or a line for each word.
std::string render_command(const std::vector<std::string>& words, const std::string& comment) {
  const auto line = "command: " + render_texts(words);
  if (line.size() <= kLongestLine) return with_comment(line, comment);
  std::string text = with_comment("command:", comment);
  for (const auto& word : words) text += "  - " + render_text(word) + "\n";
  return text;
}

std::string lines_of_note(const LineNote& note) {
  return note.first == note.last ? fmt::format("line {}", note.first)
                                 : fmt::format("lines {}-{}", note.first, note.last);
}

/// "1, 13, 18-20": of the comments, of which nothing is said.
std::string lines_of_comments(const std::vector<LineNote>& notes) {
  std::vector<int> lines;
  for (const auto& note : notes) {
    const bool is_said = std::ranges::any_of(notes, [&](const LineNote& other) {
      return !other.reason.empty() && other.first <= note.first && note.first <= other.last;
    });
    if (note.reason.empty() && !is_said) lines.push_back(note.first);
  }
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    auto end = begin;
    while (end + 1 < lines.size() && lines[end + 1] == lines[end] + 1) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(lines[begin]);
    if (end > begin) text += "-" + std::to_string(lines[end]);
    begin = end + 1;
  }
  return text;
}

}  // namespace

void ConfigDocument::set(const std::string& path, std::string value, std::string comment) {
  values_[path] = {std::move(value), std::move(comment)};
}

const DocumentValue* ConfigDocument::find(const std::string& path) const {
  const auto found = values_.find(path);
  return found == values_.end() ? nullptr : &found->second;
}

void ConfigDocument::set_entry(const std::string& map, const std::string& name, std::string value,
                               std::string comment) {
  entries_[map][name] = {std::move(value), std::move(comment)};
}

void ConfigDocument::add_secret(const std::string& name, const std::string& comment) {
  const auto known = std::ranges::find(secrets_, name, &std::pair<std::string, std::string>::first);
  if (known == secrets_.end()) secrets_.emplace_back(name, comment);
  std::vector<std::string> names;
  for (const auto& secret : secrets_) names.push_back(secret.first);
  const auto* before = find("environment.secrets");
  set("environment.secrets", render_texts(names),
      before == nullptr ? comment : before->comment + ", " + comment);
}

const DocumentValue* ConfigDocument::find_entry(const std::string& map, const std::string& name) const {
  const auto entries = entries_.find(map);
  if (entries == entries_.end()) return nullptr;
  const auto found = entries->second.find(name);
  return found == entries->second.end() ? nullptr : &found->second;
}

bool ConfigDocument::cites(std::string_view comment) const {
  const auto begins = [comment](const auto& value) { return value.second.comment.starts_with(comment); };
  return std::ranges::any_of(values_, begins) || std::ranges::any_of(entries_, [&](const auto& map) {
           return std::ranges::any_of(map.second, begins);
         });
}

std::string ConfigDocument::render() const {
  std::string text = head;
  std::string section;
  for (const auto key : kOrderOfKeys) {
    const std::string path(key);
    const auto value = values_.find(path);
    const auto map = entries_.find(path);
    if (path == kCommand) {
      text += render_command(command, command_comment);
      section.clear();
      continue;
    }
    const bool has_setup = path == kSetup && !setup.empty();
    if (value == values_.end() && map == entries_.end() && !has_setup) continue;
    const auto outer = section_of_path(path);
    if (outer != section && !outer.empty()) text += outer + ":\n";
    section = outer;
    const std::string name = outer.empty() ? path : "  " + path.substr(outer.size() + 1);
    if (value != values_.end()) {
      text += with_comment(name + ": " + value->second.value, value->second.comment);
      continue;
    }
    text += name + ":\n";
    if (has_setup) {
      for (const auto& line : setup) text += render_setup_item(line);
      continue;
    }
    for (const auto& [entry, content] : map->second)
      text += with_comment("    " + render_text(entry) + ": " + content.value, content.comment);
  }
  if (notes.empty()) return text;
  text += "\n# The other lines of the script:\n";
  auto sorted = notes;
  std::ranges::stable_sort(sorted, {}, &LineNote::first);
  for (const auto& note : sorted)
    if (!note.reason.empty())
      text += fmt::format("#   {:<12} {}{}\n", lines_of_note(note) + ":",
                          note.text.empty() ? "" : note.text + ": ", note.reason);
  if (const auto lines = lines_of_comments(sorted); !lines.empty())
    text += "#   comments:    " + lines + "\n";
  return text;
}

}  // namespace ddp::cli
