#include "cli/launch/preflight/missing_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launch/preflight/command_script.hpp"
#include "cli/launch/preflight/setup_sources.hpp"
#include "cli/launch/preflight/training_data.hpp"
#include "cli/spec/command_args.hpp"
#include "cli/system/command_runner.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown) || unknown;
}

/// The interpreter that a script names, if its first line ends as lines end on Windows: "bash\r" is no
/// program.
std::optional<std::string> interpreter_of_windows(const fs::path& script) {
  std::error_code error;
  if (!fs::is_regular_file(script, error)) return std::nullopt;
  std::ifstream file(script, std::ios::binary);
  std::array<char, 256> text{};
  file.read(text.data(), text.size());
  const std::string_view line(text.data(), static_cast<std::size_t>(file.gcount()));
  const std::size_t end = line.find("\r\n");
  if (!line.starts_with("#!") || end == line.npos || line.find('\n') < end) return std::nullopt;
  return std::string(line.substr(2, end - 2));
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos;
}

class MissingFiles {
 public:
  MissingFiles(const RunSpec& spec, const RunFolder& folder, const fs::path& work_dir,
               const EnvMap& environment)
      : spec_(spec),
        folder_(folder),
        work_dir_(work_dir),
        environment_(environment),
        setup_(all_setup(spec)),
        command_(command_of(spec)) {}

  [[nodiscard]] Preflight take() { return std::move(found_); }
  [[nodiscard]] bool setup_may_bring_it() const { return may_make_files(setup_); }
  [[nodiscard]] bool here() const { return spec_.launcher->ranks_run == RanksRun::here; }

  void look_for_program() {
    look_for_program_of(command_, "command");
    look_for_program_of(spec_.notify.command, "notify.command");
  }

  void look_for_script() {
    look_for_script_of(command_, "command");
    look_for_script_of(spec_.notify.command, "notify.command");
  }

  void look_for_sources() {
    for (const auto& file : files_sourced_by(setup_, environment_)) {
      const std::string key = spec_.environment.setup.empty() ? "" : "environment.setup";
      look_for(file, key, spec_.origins.mark(key));
    }
  }

  void look_for_data() {
    if (here() || !shares_folder(spec_) || setup_may_bring_it()) return;
    auto without_setup = spec_;
    without_setup.environment.setup.clear();
    const auto missing = find_missing_training_data(without_setup, folder_);
    if (missing) warn(missing->where, missing->message + " on this host; the nodes may have it");
  }

 private:
  void look_for_program_of(const std::vector<std::string>& command, const std::string& key) {
    look_at_line_ends(command, key);
    if (here() || command.empty() || setup_may_bring_it()) return;
    const std::string& program = command[0];
    const auto where = spec_.origins.mark_item(key, 0);
    if (is_path(program)) return look_for(program, key, where);
    if (knows_path() && !resolve_program(program, environment_))
      warn(where, "program '" + program + "' is not in PATH on this host; the nodes may have it");
  }

  void look_at_line_ends(const std::vector<std::string>& command, const std::string& key) {
    if (command.empty() || !is_path(command[0])) return;
    const auto interpreter = interpreter_of_windows(work_dir_ / command[0]);
    if (!interpreter) return;
    found_.errors.push_back({ExitCode::preflight_failed,
                             "'" + command[0] + "' has the line ends of Windows: its first line names '" +
                                 *interpreter + "\\r', which does not exist",
                             "convert it: sed -i 's/\\r$//' " + command[0], spec_.origins.mark_item(key, 0)});
  }

  void look_for_script_of(const std::vector<std::string>& command, const std::string& key) {
    const auto script = script_of_command(command);
    if (!script || setup_may_bring_it() || may_be_in_path(*script)) return;
    if (shares_folder(spec_) && is_there(work_dir_ / script->name)) return;
    auto where = spec_.origins.mark_item(key, script->word);
    if (!here()) return look_for(script->name, key, where);
    found_.errors.push_back({ExitCode::preflight_failed,
                             "'" + script->name + "' was not found" + looked_in(script->name),
                             advise_on_script(script->name, key), std::move(where)});
  }

  [[nodiscard]] bool may_be_in_path(const CommandScript& script) const {
    if (!script.sought_in_path || is_path(script.name)) return false;
    return !knows_path() ||
           std::ranges::any_of(find_programs(script.name, *environment_.get("PATH")), is_there);
  }

  /// That of nodes whose environment is their own is not known, nor what set-up lines make of it.
  [[nodiscard]] bool knows_path() const {
    return spec_.launcher->environment == EnvironmentOf::submitter && setup_.empty() &&
           !spec_.environment.set.contains("PATH") && environment_.has("PATH");
  }

  [[nodiscard]] std::string looked_in(const std::string& file) const {
    return file.starts_with('/') ? "" : " (looked in " + work_dir_.string() + ")";
  }

  /// The folder of the file that has `key`, if that file has `file` beside it; empty: it has not.
  [[nodiscard]] fs::path folder_beside(const std::string& file, const std::string& key) const {
    const auto place = spec_.origins.by_path.find(key);
    if (place == spec_.origins.by_path.end() || !place->second.source || file.starts_with('/')) return {};
    const fs::path folder(place->second.source->folder);
    const bool is_other = folder.is_absolute() && folder.lexically_normal() != work_dir_.lexically_normal();
    std::error_code unknown;
    return is_other && fs::exists(folder / file, unknown) ? folder : fs::path();
  }

  /// The ranks start in the current folder, and not in that of the configuration.
  [[nodiscard]] std::string advise_on_folder(const fs::path& folder, const std::string& file) const {
    return "it is in " + folder.string() +
           ", beside the configuration, but ranks start in the current folder: " + "call ddpsubmit in " +
           folder.string() + ", or write " + (folder / file).lexically_relative(work_dir_).string();
  }

  [[nodiscard]] std::string advise_on_script(const std::string& script, const std::string& key) const {
    const auto folder = folder_beside(script, key);
    return folder.empty() ? "check the arguments of '" + key + ":'" : advise_on_folder(folder, script);
  }

  /// In the folder of the run, if it is shared with the nodes.
  void look_for(const std::string& file, const std::string& key, const std::optional<SourceMark>& where) {
    if (!shares_folder(spec_)) return look_for_copied(file, where);
    if (is_there(work_dir_ / file)) return;
    const auto folder = folder_beside(file, key);
    const auto what = here()           ? ""
                      : folder.empty() ? "; the nodes may have it"
                                       : "; " + advise_on_folder(folder, file);
    warn(where, "'" + file + "' was not found on this host" + looked_in(file) + what);
  }

  /// A run that is started again has what was copied when it began.
  void look_for_copied(const std::string& file, const std::optional<SourceMark>& where) {
    if (file.starts_with('/') || spec_.keeps_snapshot()) return;
    const auto copies = spec_.launcher->copies_file;
    if (copies == nullptr || !copies(spec_, file)) {
      warn(where,
           "'" + file +
               "' is not copied to the hosts (ssh.stage is push): add it to ssh.push, or name a path that "
               "the hosts have");
    } else if (!is_there(work_dir_ / file) && !is_there(folder_.pushed_files())) {
      warn(where, "'" + file + "' was not found, so it is not copied to the hosts" + looked_in(file));
    }
  }

  void warn(const std::optional<SourceMark>& where, const std::string& text) {
    found_.warnings.push_back((where ? render_place(*where) + ": " : "") + text);
  }

  const RunSpec& spec_;
  const RunFolder& folder_;
  const fs::path& work_dir_;
  const EnvMap& environment_;
  std::vector<std::string> setup_;
  std::vector<std::string> command_;
  Preflight found_;
};

}  // namespace

Preflight find_missing_files(const RunSpec& spec, const RunFolder& folder, const fs::path& work_dir,
                             const EnvMap& environment) {
  MissingFiles files(spec, folder, work_dir, environment);
  files.look_for_program();
  files.look_for_script();
  files.look_for_sources();
  files.look_for_data();
  return files.take();
}

std::vector<std::string> warn_of_missing_files(const RunSpec& spec, const RunFolder& folder,
                                               const fs::path& work_dir, const EnvMap& submitter) {
  const auto base = job_base_environment(submitter, spec.environment, *spec.launcher).environment;
  std::vector<std::string> warnings;
  const auto add = [&](const RunSpec& run) {
    for (auto& warning : find_missing_files(run, folder, work_dir, base).warnings) {
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(std::move(warning));
    }
  };
  if (spec.points.empty()) add(spec);
  for (const RunSpec& point : spec.points) add(point);
  return warnings;
}

}  // namespace ddp::cli
