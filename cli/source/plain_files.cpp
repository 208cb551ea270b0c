#include "cli/source/plain_files.hpp"

#include <algorithm>
#include <array>

#include "cli/source/run_folders.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> kLeftOutNames{
    ".git",        ".hg",           ".svn",        "__pycache__",        "node_modules", ".tox",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", ".nox"};

bool is_python_environment(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "pyvenv.cfg", error) || fs::exists(folder / "conda-meta", error);
}

}  // namespace

bool is_left_out_by_name(std::string_view name) {
  return std::ranges::find(kLeftOutNames, name) != kLeftOutNames.end() || name.ends_with(".pyc");
}

/// Links are not followed. Sockets, pipes and devices are left out.
Expected<std::vector<fs::path>> list_plain_files(const fs::path& root, std::size_t most) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    const auto status = entry->symlink_status(error);
    if (error) break;
    const bool is_folder = fs::is_directory(status);
    if (is_left_out_by_name(path.filename().string()) ||
        (is_folder && (is_python_environment(path) || is_run_folder(path)))) {
      entry.disable_recursion_pending();
    } else if (fs::is_regular_file(status) || fs::is_symlink(status)) {
      files.push_back(path.lexically_relative(root));
      if (files.size() > most) return files;
    }
  }
  if (!error) return files;
  return fail(ExitCode::preflight_failed, "cannot list '" + root.string() + "': " + error.message(),
              "make its folders readable, or turn environment.snapshot off");
}

}  // namespace ddp::cli
