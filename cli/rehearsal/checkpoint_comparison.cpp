#include "cli/rehearsal/checkpoint_comparison.hpp"

#include <set>

namespace ddp::cli {
namespace {

using std::filesystem::path;

void add_files_of(const path& folder, std::set<std::string>& names) {
  std::error_code ignored;  // a folder that cannot be read has none
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".safetensors") names.insert(entry.path().filename());
  }
}

}  // namespace

Expected<ResultComparison> compare_checkpoints(const path& undisturbed, const path& disturbed) {
  std::set<std::string> names;
  for (const auto& folder : {undisturbed, disturbed}) add_files_of(folder, names);
  if (names.empty())
    return fail(ExitCode::run_failed, "no tensors in '" + undisturbed.string() + "'",
                "the program of train.program must write checkpoints in the format of ddptrain");
  return compare_files(undisturbed, disturbed, names);
}

}  // namespace ddp::cli
