#include "trainer/distributed/agreement/same_settings.hpp"

#include <stdexcept>

#include "trainer/distributed/agreement/rank_agreement.hpp"

namespace ddp::trainer {

void require_same_settings(const std::vector<std::string>& settings, ProcessGroup& group) {
  if (group.size() == 1) return;
  if (const auto found = compare_with_rank_0(settings, group))
    throw std::invalid_argument(found->render("the configuration"));
}

}  // namespace ddp::trainer
