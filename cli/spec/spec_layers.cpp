#include "cli/spec/spec_layers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/spec/config_file_names.hpp"
#include "cli/spec/include_path.hpp"
#include "cli/spec/setup_lines.hpp"
#include "cli/spec/shell_script.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

constexpr std::string_view kIncludeArgument = "+include=";
constexpr int kMaxFiles = 64;

bool file_exists(const path& file) {
  std::error_code unreadable;
  return std::filesystem::exists(file, unreadable);
}

/// KEY=VALUE in the place of the file.
bool looks_like_value(std::string_view word) {
  return word.find('=') < word.find('/');
}

ConfigNode empty_map() {
  return {.kind = ConfigNode::Kind::map, .entries = {}};
}

/// Takes the entry `include` out of a file's tree.
ConfigNode take_include(ConfigNode& root) {
  const auto entry = std::ranges::find(root.entries, std::string_view("include"), &ConfigNode::Entry::key);
  if (entry == root.entries.end()) return {};
  ConfigNode include = std::move(entry->value);
  root.entries.erase(entry);
  return include;
}

class LayerReader {
 public:
  explicit LayerReader(const SpecSources& sources)
      : sources_(sources),
        user_folder_(user_config_folder(sources.environment)),
        include_path_(user_folder_, sources.installed_folder) {}

  tl::expected<ConfigNode, Errors> read() {
    path user_file = user_folder_.empty() ? path() : user_folder_ / "user.yaml";
    if (!file_exists(user_file)) user_file.clear();
    const path file = absolute(sources_.file);

    ConfigNode included = empty_map();
    ConfigNode own = sources_.tree ? *sources_.tree
                                   : read_file(file, sources_.file.string(), Origin::config_file, included);
    ConfigNode user = user_file.empty()
                          ? empty_map()
                          : read_file(user_file, user_file.string(), Origin::user_file, included);
    merge_into(included, std::move(user));
    merge_into(included, std::move(own));
    apply_arguments(included);
    sort_errors(errors_);
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return included;
  }

 private:
  [[nodiscard]] path absolute(const path& file) const {
    return (sources_.current_folder / file).lexically_normal();
  }

  /// The file's own tree; what it includes is merged into `included` before it returns.
  ConfigNode read_file(const path& file, const std::string& name, Origin origin, ConfigNode& included) {
    auto root = load_file(file, name, origin);
    if (!root) {
      errors_.insert(errors_.end(), root.error().begin(), root.error().end());
      return empty_map();
    }
    open_files_.push_back(file);
    read_includes(take_include(*root), file.parent_path(), path(name).parent_path(), included);
    open_files_.pop_back();
    return std::move(*root);
  }

  static tl::expected<ConfigNode, Errors> load_file(const path& file, const std::string& name,
                                                    Origin origin) {
    auto source = load_source_text(file, name, origin);
    if (!source) return tl::unexpected(advise_on_missing(std::move(source.error()), file, name));
    auto root = parse_yaml(*source, kTextKeys);
    if (root) return root;
    if (auto script = recognise_shell_script(*source)) return tl::unexpected(Errors{std::move(*script)});
    return root;
  }

  static Errors advise_on_missing(Errors errors, const path& file, const std::string& name) {
    for (Error& error : errors) {
      auto hint = looks_like_value(name) ? "the configuration file comes first: CONFIG " + name
                                         : suggest_config_file(file, name);
      if (error.code == ExitCode::not_found && !hint.empty()) error.hint = std::move(hint);
    }
    return errors;
  }

  void read_includes(const ConfigNode& list, const path& folder, const path& shown_folder,
                     ConfigNode& included) {
    if (list.kind == ConfigNode::Kind::null) return;
    if (list.kind != ConfigNode::Kind::sequence)
      return report(list.place, "'include' must be a list of files", "write include: [a.yaml]");
    for (const ConfigNode& item : list.items) {
      if (item.kind == ConfigNode::Kind::scalar)
        include(item.scalar, item.place, folder, shown_folder, included);
      else
        report(item.place, "each item of 'include' must be a file", "write include: [a.yaml]");
    }
  }

  void include(const std::string& file, const Place& place, const path& folder, const path& shown_folder,
               ConfigNode& base) {
    const path found = include_path_.find(file, folder);
    if (found.empty()) {
      return report(place, "there is no file '" + file + "' to include", include_path_.hint(file, folder));
    }
    if (std::ranges::find(open_files_, found) != open_files_.end()) {
      return report(place, "'" + file + "' includes itself", "remove one of the includes: " + chain(found));
    }
    if (++included_files_ > kMaxFiles) {
      if (included_files_ == kMaxFiles + 1)
        report(place, "more than " + std::to_string(kMaxFiles) + " included files", "include fewer");
      return;
    }
    const bool is_beside = found == (folder / file).lexically_normal();
    const std::string name = is_beside ? (shown_folder / file).lexically_normal().string() : found.string();
    ConfigNode under = empty_map();
    ConfigNode own = read_file(found, name, Origin::included_file, under);
    merge_into(base, std::move(under));
    merge_into(base, std::move(own));
  }

  [[nodiscard]] std::string chain(const path& again) const {
    std::string text;
    for (const path& file : open_files_) text += file.filename().string() + " -> ";
    return text + again.filename().string();
  }

  /// Files first: KEY=VALUE wins over them wherever it stands.
  void apply_arguments(ConfigNode& root) {
    const auto is_include = [](const std::string& argument) {
      return argument.starts_with(kIncludeArgument);
    };
    for (const std::string& argument : sources_.arguments) {
      if (is_include(argument)) apply_include(argument, root);
    }
    for (const std::string& argument : sources_.arguments) {
      if (!is_include(argument)) apply_value(argument, root);
    }
  }

  void apply_include(const std::string& argument, ConfigNode& root) {
    const auto parsed = parse_argument(argument);
    if (!parsed) return;
    const ConfigNode& value = parsed->entries.front().value;
    include(value.scalar, value.place, sources_.current_folder, {}, root);
  }

  void apply_value(const std::string& argument, ConfigNode& root) {
    auto layer = parse_argument(argument);
    if (!layer) return;
    const ConfigNode::Entry& entry = layer->entries.front();
    if (entry.key == "include")
      return report(entry.key_place, "an argument cannot set 'include'", "use +include=FILE");
    merge_into(root, std::move(*layer));
  }

  std::optional<ConfigNode> parse_argument(const std::string& argument) {
    auto parsed = parse_override(argument, sources_.current_folder.string(), kTextKeys);
    if (parsed) return std::move(*parsed);
    errors_.insert(errors_.end(), parsed.error().begin(), parsed.error().end());
    return std::nullopt;
  }

  void report(const Place& place, std::string message, std::string hint) {
    errors_.push_back(config_error(place, std::move(message), std::move(hint)));
  }

  const SpecSources& sources_;
  path user_folder_;
  IncludePath include_path_;
  std::vector<path> open_files_;
  int included_files_ = 0;
  Errors errors_;
};

}  // namespace

tl::expected<ConfigNode, Errors> merge_layers(const SpecSources& sources) {
  return LayerReader(sources).read();
}

}  // namespace ddp::cli
