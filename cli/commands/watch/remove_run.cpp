#include "cli/commands/watch/remove_run.hpp"

#include <unistd.h>

#include <filesystem>

namespace ddp::cli {

void remove_run(const RunPointer& pointer, const Context& context) {
  std::error_code ignored;
  const std::filesystem::path folder = pointer.run_dir;
  std::filesystem::remove_all(folder, ignored);
  rmdir(folder.parent_path().c_str());  // only when it is empty, and no link
  if (const auto store = RunStore::open(context.environment)) store->remove(pointer.run_id);
}

}  // namespace ddp::cli
