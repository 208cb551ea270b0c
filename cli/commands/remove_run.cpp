#include "cli/commands/remove_run.hpp"

#include <filesystem>

namespace ddp::cli {

void remove_run(const RunPointer& pointer, const Context& context) {
  std::error_code ignored;
  const std::filesystem::path folder = pointer.run_dir;
  std::filesystem::remove_all(folder, ignored);
  std::filesystem::remove(folder.parent_path(), ignored);  // only when it is empty
  if (const auto store = RunStore::open(context.environment)) store->remove(pointer.run_id);
}

}  // namespace ddp::cli
