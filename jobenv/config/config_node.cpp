#include "jobenv/config/config_node.hpp"

#include <algorithm>
#include <tuple>

namespace ddp {
const ConfigNode::Entry* ConfigNode::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const ConfigNode::Entry* ConfigNode::find_path(std::string_view path) const {
  const auto dot = path.find('.');
  const Entry* entry = find(path.substr(0, dot));
  if (!entry || dot == std::string_view::npos) return entry;
  return entry->value.find_path(path.substr(dot + 1));
}

Origin ConfigNode::origin() const {
  return place.source ? place.source->origin : Origin::default_value;
}

Place nearest_place(const ConfigNode& root, std::string path) {
  const ConfigNode::Entry* entry = root.find_path(path);
  while (!entry && path.find('.') != std::string::npos) {
    path.resize(path.rfind('.'));
    entry = root.find_path(path);
  }
  return entry ? entry->key_place : Place{};
}

std::string_view describe_kind(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return "null";
    case ConfigNode::Kind::scalar:
      return "a single value";
    case ConfigNode::Kind::sequence:
      return "a list";
    case ConfigNode::Kind::map:
      return "a map";
  }
  return "";
}

void merge_into(ConfigNode& base, ConfigNode over) {
  if (base.kind != ConfigNode::Kind::map || over.kind != ConfigNode::Kind::map) {
    base = std::move(over);
    return;
  }
  for (ConfigNode::Entry& entry : over.entries) {
    const auto same = std::find_if(base.entries.begin(), base.entries.end(),
                                   [&](const ConfigNode::Entry& old) { return old.key == entry.key; });
    if (same == base.entries.end()) {
      base.entries.push_back(std::move(entry));
    } else {
      same->key_place = entry.key_place;
      merge_into(same->value, std::move(entry.value));
    }
  }
}

void sort_errors(Errors& errors) {
  const auto place = [](const Error& error) {
    using Where = std::tuple<int, std::string_view, int, int>;
    if (!error.where) return Where(0, {}, 0, 0);
    const int group = error.where->line > 0 ? 1 : 2;
    return Where(group, error.where->file, error.where->line, error.where->column);
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const Error& a, const Error& b) { return place(a) < place(b); });
}

}  // namespace ddp
