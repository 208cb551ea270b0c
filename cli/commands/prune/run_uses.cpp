#include "cli/commands/prune/run_uses.hpp"

#include <algorithm>
#include <cctype>

#include "cli/spec/setup_lines.hpp"
#include "cli/store/state/run_records.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using KeyAndText = std::pair<std::string, std::string>;

void collect_values(const ConfigNode& node, const std::string& key, std::vector<KeyAndText>& values) {
  if (node.kind == ConfigNode::Kind::scalar) values.emplace_back(key, node.scalar);
  for (const auto& item : node.items) collect_values(item, key, values);
  for (const auto& entry : node.entries)
    collect_values(entry.value, key.empty() ? entry.key : key + "." + entry.key, values);
}

/// Of a path that exists.
fs::path find_place(const std::string& text, const fs::path& work_dir) {
  if (text.find('/') == text.npos || text.find('\n') != text.npos) return {};
  std::error_code error;
  auto place = fs::canonical(work_dir / parse_path(text).value_or(text), error);
  return error ? fs::path() : place;
}

bool lies_in_folder(const fs::path& place, const fs::path& folder) {
  const auto parts = std::ranges::mismatch(folder, place);
  return parts.in1 == folder.end();
}

bool belongs_to_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

/// Whether `text` contains `id`, and no longer name around it.
bool contains_id(const std::string& text, const std::string& id) {
  for (auto at = text.find(id); at != text.npos; at = text.find(id, at + 1)) {
    const auto end = at + id.size();
    const bool begins = at == 0 || !belongs_to_name(text[at - 1]);
    if (begins && (end == text.size() || !belongs_to_name(text[end]))) return true;
  }
  return false;
}

bool is_present_file(const fs::path& file) {
  const auto text = load_file(file);
  return text || text.error().code != ExitCode::not_found;
}

bool cannot_be_loaded(const fs::path& file) {
  const auto text = load_file(file);
  return !text && text.error().code != ExitCode::not_found;
}

}  // namespace

RunUses RunUses::load(const RunPointer& run) {
  RunUses uses;
  uses.run_id_ = run.run_id;
  const RunFolder folder(run.run_dir);
  uses.add_settings(folder.root());
  const auto sweep = load_sweep_record(folder);
  for (std::size_t point = 0; sweep && point < sweep->points.size(); ++point)
    uses.add_settings(folder.point_folder(static_cast<int>(point)).root());
  return uses;
}

void RunUses::add_settings(const fs::path& run_dir) {
  const RunFolder folder(run_dir);
  std::vector<KeyAndText> found;
  const auto spec = load_yaml(folder.spec(), folder.spec(), Origin::config_file, kTextKeys);
  if (spec) collect_values(*spec, {}, found);
  if (!spec && is_present_file(folder.spec())) unreadable_ = folder.spec();
  if (cannot_be_loaded(folder.plan())) unreadable_ = folder.plan();
  const auto plan = load_run_plan(folder);
  if (plan) found.emplace_back("working folder", plan->work_dir);
  const fs::path work_dir = plan ? plan->work_dir : run_dir.string();
  for (auto& [key, text] : found) {
    auto place = find_place(text, work_dir);
    values_.push_back({std::move(key), std::move(text), std::move(place)});
  }
}

std::optional<std::string> RunUses::key_that_needs(const RunPointer& other) const {
  if (other.run_id == run_id_) return std::nullopt;
  std::error_code error;
  const auto folder = fs::canonical(other.run_dir, error);
  const auto needed = std::ranges::find_if(values_, [&](const Value& value) {
    const bool leads_there = !folder.empty() && !value.place.empty() && lies_in_folder(value.place, folder);
    return leads_there || contains_id(value.text, other.run_id);
  });
  return needed == values_.end() ? std::nullopt : std::optional(needed->key);
}

}  // namespace ddp::cli
