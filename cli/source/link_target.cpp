#include "cli/source/link_target.hpp"

#include "cli/source/work_tree.hpp"

namespace ddp::cli {

std::filesystem::path target_in_copy(const std::filesystem::path& root, const std::filesystem::path& name,
                                     const std::filesystem::path& target) {
  if (target.is_absolute()) return target;
  auto place = (root / name.parent_path() / target).lexically_normal();
  return lies_inside(place, root) ? target : place;
}

}  // namespace ddp::cli
