#include "cli/commands/watch/remove_run.hpp"

#include <unistd.h>

#include <filesystem>

#include "cli/launch/launchers.hpp"

namespace ddp::cli {

void remove_run(const RunPointer& pointer, const Context& context) {
  if (const auto launcher = make_launcher(pointer.launcher, context.seams()))
    (void)(*launcher)->remove_copies(RunFolder(pointer.run_dir));
  std::error_code ignored;
  const std::filesystem::path folder = pointer.run_dir;
  std::filesystem::remove_all(folder, ignored);
  rmdir(folder.parent_path().c_str());  // only when it is empty, and no link
  if (const auto store = RunStore::open(context.environment)) store->remove(pointer.run_id);
}

}  // namespace ddp::cli
