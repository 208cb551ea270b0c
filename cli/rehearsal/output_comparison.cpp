#include "cli/rehearsal/output_comparison.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace ddp::cli {

using std::filesystem::path;

namespace {

Expected<std::set<std::string>> list_files(const path& folder) {
  std::set<std::string> names;
  std::error_code error, ignored;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (const std::filesystem::recursive_directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    if (std::filesystem::is_regular_file(entry->symlink_status(ignored)))
      names.insert(entry->path().lexically_relative(folder));
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return fail(ExitCode::run_failed, "cannot read '" + folder.string() + "': " + error.message(),
                "check the disk, then rehearse again");
  return names;
}

}  // namespace

Expected<std::set<std::string>> find_output_files(const path& folder) {
  auto names = list_files(folder);
  if (names && names->empty())
    return fail(ExitCode::run_failed, "the program has written no file into '" + folder.string() + "'",
                "write the results into ddpsubmit.job().output_dir, or into $DDPSUBMIT_OUTPUT_DIR");
  return names;
}

Expected<ResultComparison> compare_outputs(const path& undisturbed, const path& disturbed) {
  const auto names = find_output_files(undisturbed);
  if (!names) return tl::unexpected(names.error());
  const auto others = list_files(disturbed);
  if (!others) return tl::unexpected(others.error());
  auto result = compare_files(undisturbed, disturbed, *names);
  if (result) std::ranges::set_difference(*others, *names, std::back_inserter(result->extra));
  return result;
}

}  // namespace ddp::cli
