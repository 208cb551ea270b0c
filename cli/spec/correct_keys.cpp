#include "cli/spec/correct_keys.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace ddp::cli {
namespace {

/// A dotted path: the section that it lies in, which is empty at the top level, and the key there.
struct SplitPath {
  std::string_view section;
  std::string_view key;
};

SplitPath split_path(std::string_view path) {
  const auto dot = path.rfind('.');
  if (dot == path.npos) return {{}, path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// The section at a dotted path; nullptr: it is not there, or is no map.
ConfigNode* find_section(ConfigNode& root, std::string_view path) {
  ConfigNode* node = &root;
  while (!path.empty() && node->kind == ConfigNode::Kind::map) {
    const auto dot = std::min(path.find('.'), path.size());
    const auto entry = std::ranges::find(node->entries, path.substr(0, dot), &ConfigNode::Entry::key);
    if (entry == node->entries.end()) return nullptr;
    node = &entry->value;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node->kind == ConfigNode::Kind::map ? node : nullptr;
}

std::optional<ConfigNode::Entry> take_entry(ConfigNode& root, std::string_view path) {
  const auto [section_path, key] = split_path(path);
  ConfigNode* section = find_section(root, section_path);
  if (section == nullptr) return std::nullopt;
  const auto entry = std::ranges::find(section->entries, key, &ConfigNode::Entry::key);
  if (entry == section->entries.end()) return std::nullopt;
  ConfigNode::Entry taken = std::move(*entry);
  section->entries.erase(entry);
  return taken;
}

bool correct_key(const FieldReader::Misspelling& misspelling, ConfigNode& root) {
  const auto [section_path, key] = split_path(misspelling.meant);
  ConfigNode* section = find_section(root, section_path);
  if (section == nullptr || section->find(key) != nullptr) return false;
  auto entry = take_entry(root, misspelling.path);
  if (!entry) return false;
  entry->key = key;
  // The entry may have stood before the section.
  find_section(root, section_path)->entries.push_back(std::move(*entry));
  return true;
}

}  // namespace

Errors correct_keys(const std::vector<FieldReader::Misspelling>& misspellings, ConfigNode& root) {
  Errors errors;
  for (const auto& misspelling : misspellings) {
    if (correct_key(misspelling, root)) errors.push_back(misspelling.error);
  }
  return errors;
}

}  // namespace ddp::cli
