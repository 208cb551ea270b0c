#include "cli/source/gone_files.hpp"

#include <algorithm>
#include <utility>

namespace ddp::cli {

Expected<CopiedTree> copy_gone_files(const CopiedTree& first, const TreeList& now,
                                     const std::filesystem::path& root, const std::filesystem::path& copy) {
  TreeList back = now;
  std::erase_if(back.entries, [&first](const TreeEntry& entry) {
    return std::ranges::find(first.gone, entry.name, &TreeEntry::name) == first.gone.end();
  });
  auto both = copy_tree(back, root, copy);
  if (!both) return both;
  both->files += first.files;
  both->bytes += first.bytes;
  for (const auto& entry : first.gone) {
    const auto* found = back.find(entry.name);
    if (found == nullptr || found->name != entry.name) both->gone.push_back(entry);
  }
  return both;
}

Expected<std::vector<std::string>> remark_on_gone_files(const CopiedTree& copied,
                                                        const std::filesystem::path& root) {
  std::vector<std::string> remarks;
  for (const auto& entry : copied.gone) {
    auto message = "'" + (root / entry.name).string() +
                   "' was removed while the working tree was copied (environment.snapshot)";
    if (entry.tracked)
      return fail(ExitCode::run_failed, message, "run it again, and change no files meanwhile");
    remarks.push_back(std::move(message));
  }
  return remarks;
}

}  // namespace ddp::cli
