#include "cli/launch/preflight/outside_copy.hpp"

#include "cli/launch/preflight/command_script.hpp"
#include "cli/launch/preflight/setup_sources.hpp"
#include "cli/source/link_target.hpp"
#include "cli/spec/command_args.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/record/files/last_slash.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinksFollowed = 8;

/// "data/x" of "--data=data/x"; empty: the word names no path.
std::string path_in_word(const std::string& word) {
  if (!word.starts_with('-')) return word;
  const auto equals = word.find('=');
  return equals == word.npos ? std::string() : word.substr(equals + 1);
}

/// Whether ranks need a file to start, or may have no use for it.
enum class Need { to_start, maybe };

class OutsideCopy {
 public:
  OutsideCopy(const RunSpec& spec, const WorkTree& tree, const TreeList& list)
      : spec_(spec), tree_(tree), list_(list) {}

  [[nodiscard]] Preflight take() { return std::move(found_); }

  void look_at_command(const std::vector<std::string>& command, const std::string& key) {
    const auto script = script_of_command(command);
    for (std::size_t at = 0; at < command.size(); ++at) {
      const auto need = at == 0 || (script && script->word == at) ? Need::to_start : Need::maybe;
      const auto path = path_in_word(command[at]);
      if (at == 0 && path.find('/') == path.npos) continue;  // it is looked up in PATH
      auto where = spec_.origins.mark_item(key, at);
      if (path.starts_with('/')) {
        if (need == Need::to_start) look_at_absolute(path, where);
      } else if (is_only_outside(path)) {
        report(path, need, "name it by its absolute path, " + place_of(path).string(), std::move(where));
      }
    }
  }

  void look_at_source_lines(const std::vector<std::string>& setup, const EnvMap& environment) {
    for (const auto& file : files_sourced_by(setup, environment)) {
      if (file.starts_with('/') || !is_only_outside(file)) continue;
      report(file, Need::to_start, "write: source \"$DDPSUBMIT_SUBMIT_DIR\"/" + file,
             spec_.origins.mark("environment.setup"));
    }
  }

 private:
  [[nodiscard]] fs::path place_of(const std::string& path) const {
    return without_last_slash((tree_.root / tree_.folder / path).lexically_normal());
  }

  [[nodiscard]] bool is_only_outside(const std::string& path) const {
    std::error_code error;
    return !path.empty() && fs::exists(place_of(path), error) && !is_in_copy(place_of(path), path);
  }

  [[nodiscard]] bool is_in_copy(const fs::path& place, const std::string& path) const {
    const bool is_pushed = !shares_folder(spec_) && spec_.launcher->copies_file != nullptr &&
                           spec_.launcher->copies_file(spec_, path);
    return is_pushed || (lies_inside(place, tree_.root) &&
                         holds(place.lexically_relative(tree_.root), kMostLinksFollowed));
  }

  /// Also what is behind a link. `name` is below the root.
  [[nodiscard]] bool holds(const fs::path& name, int most_links) const {
    if (name == "." || list_.find(name) != nullptr) return true;
    fs::path rest;
    for (fs::path part = name; part.has_relative_path(); part = part.parent_path()) {
      const auto* entry = list_.find(part);
      if (entry != nullptr && entry->name == part && entry->kind == EntryKind::link)
        return most_links > 0 && leads_into_copy(part, rest, most_links);
      rest = rest.empty() ? part.filename() : part.filename() / rest;
    }
    return false;
  }

  [[nodiscard]] bool leads_into_copy(const fs::path& link, const fs::path& rest, int most_links) const {
    std::error_code error;
    const auto target = target_in_copy(list_, tree_.root, link, read_link_target(tree_.root, link, error));
    if (error) return false;
    if (target.is_absolute()) return true;  // to where the original leads
    return holds((link.parent_path() / target / rest).lexically_normal(), most_links - 1);
  }

  [[nodiscard]] std::string explain(const std::string& path) const {
    if (!lies_inside(place_of(path), tree_.root)) return "it is outside of '" + tree_.root.string() + "'";
    std::error_code error;
    if (fs::is_directory(place_of(path), error)) return "it has no file that is copied";
    return tree_.kind == TreeKind::git ? "git ignores it" : "it is left out";
  }

  void report(const std::string& path, Need need, const std::string& advice,
              std::optional<SourceMark> where) {
    const auto message = "'" + path + "' is not in the copy of the working tree in which the run starts " +
                         "(environment.snapshot): " + explain(path);
    const bool is_ignored = lies_inside(place_of(path), tree_.root) && tree_.kind == TreeKind::git;
    const auto hint = advice + (is_ignored ? ", or take it out of .gitignore" : "");
    if (need == Need::to_start) {
      found_.errors.push_back({ExitCode::preflight_failed, message, hint, std::move(where)});
    } else {
      found_.warnings.push_back((where ? render_place(*where) + ": " : "") + message + "; " + hint);
    }
  }

  void look_at_absolute(const fs::path& path, const std::optional<SourceMark>& where) {
    const auto place = path.lexically_normal();
    if (!lies_inside(place, tree_.root) || list_.find(place.lexically_relative(tree_.root)) == nullptr)
      return;
    found_.warnings.push_back((where ? render_place(*where) + ": " : "") + "'" + path.string() +
                              "' is in the working tree, so the run uses the original, and not its copy "
                              "(environment.snapshot): name it by a relative path");
  }

  const RunSpec& spec_;
  const WorkTree& tree_;
  const TreeList& list_;
  Preflight found_;
};

}  // namespace

Preflight find_outside_copy(const RunSpec& spec, const WorkTree& tree, const TreeList& list,
                            const EnvMap& environment) {
  OutsideCopy search(spec, tree, list);
  const auto setup = all_setup(spec);
  if (!may_make_files(setup)) search.look_at_command(command_of(spec), "command");
  search.look_at_command(spec.notify.command, "notify.command");
  search.look_at_source_lines(setup, environment);
  return search.take();
}

}  // namespace ddp::cli
