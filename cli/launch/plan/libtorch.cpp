#include "cli/launch/plan/libtorch.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launch/plan/python_environment.hpp"
#include "cli/launch/plan/trainer_path.hpp"
#include "jobenv/record/files/trusted_path.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

bool holds_libtorch(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "lib" / "libtorch_cpu.so", error);
}

/// Its first three numbers: 2.11.0 of 2.11.0.dev20260101+cpu.
std::string three_numbers(const std::string& text) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(R"([0-9]+\.[0-9]+\.[0-9]+)")) ? found.str()
                                                                                 : std::string();
}

/// A wheel says it in version.py, `__version__ = '2.11.0+cu130'`; a LibTorch alone in build-version,
/// `2.11.0+cpu`.
std::string load_version(const fs::path& folder) {
  for (const char* const name : {"version.py", "build-version"}) {
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
      const bool told = name == std::string_view("build-version") || line.starts_with("__version__");
      if (told) return three_numbers(line);
    }
  }
  return {};
}

std::optional<LibTorch> look_in_environment(const fs::path& prefix) {
  for (const auto& folder : package_folders(prefix)) {
    if (auto found = look_for_libtorch(folder)) return found;
  }
  return look_for_libtorch(prefix);  // `pip install --target` puts packages and programs into one folder
}

struct Finding {
  std::string folder;
  Place origin;
};

/// `name` is what a message says, `text` is its excerpt.
std::optional<Finding> find_in(const fs::path& prefix, std::string name, std::string text) {
  const auto found = look_in_environment(prefix);
  if (!found) return std::nullopt;
  const auto length = static_cast<int>(text.size());
  auto source = std::make_shared<const SourceText>(SourceText{.name = std::move(name),
                                                              .folder = {},
                                                              .text = std::move(text),
                                                              .line_starts = {},
                                                              .origin = Origin::environment});
  return Finding{found->folder, {.source = std::move(source), .column = 1, .length = length}};
}

std::optional<Finding> find_in_active_environment(const EnvMap& environment) {
  for (const std::string variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = environment.get(variable);
    if (!prefix || prefix->empty()) continue;
    if (auto found = find_in(*prefix, variable, variable + "=" + *prefix)) return found;
  }
  return std::nullopt;
}

/// Without a look into Python environments.
bool leads_to_libtorch(const RunSpec& spec, const fs::path& own_folder, const EnvMap& submitter) {
  const auto job = job_base_environment(submitter, spec.environment, *spec.launcher).environment;
  const fs::path trainer = locate_trainer(spec.train->program, own_folder, {}, job);
  return spec.environment.set.contains(kLibraryPath) ||
         look_for_libtorch(trainer.parent_path() / "libtorch") || libtorch_in_library_path(spec, job);
}

/// What nobody has named is taken only where nothing speaks against it. On hosts with folders of their own,
/// set-up lines are about what is there.
bool can_be_spare(const RunSpec& spec, const fs::path& folder) {
  return shares_folder(spec) && !find_unsafe_character(folder) &&
         follow_path(folder / "lib" / "libtorch_cpu.so", Way::shared);
}

}  // namespace

std::optional<LibTorch> look_for_libtorch(const fs::path& folder) {
  for (const auto& candidate : {folder, folder / "torch"}) {
    if (holds_libtorch(candidate)) return LibTorch{candidate, load_version(candidate)};
  }
  return std::nullopt;
}

std::optional<LibTorch> libtorch_in_library_path(const RunSpec& spec, const EnvMap& environment) {
  const auto set = spec.environment.set.find(kLibraryPath);
  std::string path =
      set != spec.environment.set.end() ? set->second : environment.get(kLibraryPath).value_or("");
  std::ranges::replace(path, ';', ':');
  std::istringstream folders(path);
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty() || !fs::exists(fs::path(folder) / "libtorch_cpu.so", error)) continue;
    const fs::path around = fs::canonical(folder, error).parent_path();
    const bool is_torch = around.filename() == "torch" || fs::exists(around / "build-version", error);
    return LibTorch{around, is_torch ? load_version(around) : ""};
  }
  return std::nullopt;
}

std::optional<LibTorch> libtorch_of(const RunSpec& spec, const EnvMap& environment) {
  if (!spec.train) return std::nullopt;
  if (spec.train->libtorch) return look_for_libtorch(*spec.train->libtorch);
  if (!spec.spare_libtorch.empty()) return look_for_libtorch(spec.spare_libtorch);
  if (!shares_folder(spec)) return std::nullopt;  // the path is one of the hosts
  return libtorch_in_library_path(spec, environment);
}

std::optional<char> find_unsafe_character(const fs::path& folder) {
  const auto at = folder.string().find_first_of(":;$");
  if (at == std::string::npos) return std::nullopt;
  return folder.string()[at];
}

void resolve_libtorch(RunSpec& spec, const fs::path& own_folder, const EnvMap& submitter) {
  if (!spec.train) return;
  auto& wanted = spec.train->libtorch;
  if (wanted) {
    const auto found = look_for_libtorch(*wanted);
    if (found) wanted = fs::absolute(found->folder).lexically_normal().string();
    return;  // what is not there the preflight tells
  }
  if (spec.train->program != trainer::TrainConfig{}.program || leads_to_libtorch(spec, own_folder, submitter))
    return;
  const auto take = [&spec](const Finding& found, auto& target) {
    target = found.folder;
    spec.origins.by_path["train.libtorch"] = found.origin;
  };
  const fs::path own = own_folder.parent_path();
  if (const auto found = find_in(own, "the environment of ddpsubmit", own)) return take(*found, wanted);
  const auto active = find_in_active_environment(submitter);
  if (!active) return;
  if (!has_setup(spec)) return take(*active, wanted);
  // Set-up lines, as `module load libtorch`, are what the user has written down; an active environment may be
  // there by chance.
  if (can_be_spare(spec, active->folder)) take(*active, spec.spare_libtorch);
}

}  // namespace ddp::cli
