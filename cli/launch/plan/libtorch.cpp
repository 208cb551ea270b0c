#include "cli/launch/plan/libtorch.hpp"

#include <fstream>
#include <sstream>
#include <utility>

#include "cli/launch/plan/python_environment.hpp"
#include "cli/launch/plan/trainer_path.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

bool holds_libtorch(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "lib" / "libtorch_cpu.so", error);
}

/// A wheel says it in version.py, `__version__ = '2.11.0+cu130'`; a LibTorch alone in build-version,
/// `2.11.0+cpu`.
std::string load_version(const fs::path& folder) {
  for (const char* const name : {"version.py", "build-version"}) {
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
      const bool told = name == std::string_view("build-version") || line.starts_with("__version__");
      const auto begin = told ? line.find_first_of("0123456789") : std::string::npos;
      if (begin != std::string::npos)
        return line.substr(begin, line.find_first_not_of("0123456789.", begin) - begin);
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
  LibTorch libtorch;
  std::string origin;
};

/// Set-up lines, as `module load libtorch`, are what the user has written down; an active environment may be
/// there by chance.
bool may_set_up_libtorch(const RunSpec& spec) {
  return !spec.environment.setup.empty() || has_setup_of_launcher(spec);
}

bool leads_to_libtorch(const std::string& library_path) {
  std::istringstream folders(library_path);
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / "libtorch_cpu.so", error)) return true;
  }
  return false;
}

std::optional<Finding> find_in_environments(const RunSpec& spec, const fs::path& own_folder,
                                            const EnvMap& environment) {
  const fs::path own = own_folder.parent_path();
  if (auto found = look_in_environment(own))
    return Finding{std::move(*found), "the environment of ddpsubmit"};
  if (may_set_up_libtorch(spec)) return std::nullopt;
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = environment.get(variable);
    if (!prefix || prefix->empty()) continue;
    if (auto found = look_in_environment(*prefix)) return Finding{std::move(*found), variable};
  }
  return std::nullopt;
}

void set_libtorch(const Finding& found, RunSpec& spec) {
  spec.train->libtorch = found.libtorch.folder.string();
  spec.origins.by_path["train.libtorch"] = Place{std::make_shared<const SourceText>(SourceText{
      .name = found.origin, .folder = {}, .text = {}, .line_starts = {}, .origin = Origin::environment})};
}

}  // namespace

std::string LibTorch::minor_version() const {
  const auto first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

std::optional<LibTorch> look_for_libtorch(const fs::path& folder) {
  for (const auto& candidate : {folder, folder / "torch"}) {
    if (holds_libtorch(candidate)) return LibTorch{candidate, load_version(candidate)};
  }
  return std::nullopt;
}

std::optional<LibTorch> libtorch_of(const RunSpec& spec) {
  return spec.train && spec.train->libtorch ? look_for_libtorch(*spec.train->libtorch) : std::nullopt;
}

void resolve_libtorch(RunSpec& spec, const fs::path& own_folder, const EnvMap& environment) {
  if (!spec.train) return;
  auto& wanted = spec.train->libtorch;
  if (wanted) {
    const auto found = look_for_libtorch(*wanted);
    if (found) wanted = fs::absolute(found->folder).lexically_normal().string();
    return;  // what is not there the preflight tells
  }
  if (spec.train->program != trainer::TrainConfig{}.program) return;
  const fs::path trainer = locate_trainer(spec.train->program, own_folder, {}, environment);
  if (spec.environment.set.contains(kLibraryPath) || holds_libtorch(trainer.parent_path() / "libtorch") ||
      leads_to_libtorch(environment.get(kLibraryPath).value_or("")))
    return;
  if (const auto found = find_in_environments(spec, own_folder, environment)) set_libtorch(*found, spec);
}

}  // namespace ddp::cli
