#include "cli/source/link_target.hpp"

#include "cli/source/work_tree.hpp"
#include "jobenv/record/files/last_slash.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path read_link_target(const fs::path& root, const fs::path& name, std::error_code& error) {
  auto target = fs::read_symlink(root / name, error);
  if (error || target.is_relative()) return target;
  const auto place = without_last_slash(target.lexically_normal());
  if (lies_inside(place, root)) return target;
  std::error_code unknown;
  auto real = fs::canonical(place.parent_path(), unknown) / place.filename();
  return !unknown && lies_inside(real, root) ? real : target;
}

fs::path target_in_copy(const TreeList& list, const fs::path& root, const fs::path& name,
                        const fs::path& target) {
  const auto folder = (root / name).parent_path();
  auto place = without_last_slash((folder / target).lexically_normal());
  const bool is_inside = lies_inside(place, root);
  if (target.is_relative()) return is_inside ? target : place;
  const bool is_copied = is_inside && (place == root || list.find(place.lexically_relative(root)) != nullptr);
  return is_copied ? place.lexically_relative(folder) : target;
}

}  // namespace ddp::cli
