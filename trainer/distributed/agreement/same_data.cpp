#include "trainer/distributed/agreement/same_data.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/distributed/agreement/rank_agreement.hpp"

namespace ddp::trainer {
namespace {

std::string render(const std::vector<std::int64_t>& dims) {
  std::string text;
  for (const std::int64_t extent : dims) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

std::vector<std::string> describe(const Dataset& dataset) {
  const SampleShape shape = dataset.sample_shape();
  return {std::to_string(dataset.size()) + " samples", "samples of " + render(shape.dims),
          std::to_string(shape.classes) + " classes"};
}

}  // namespace

void require_same_data(const Dataset& dataset, std::string_view split, ProcessGroup& group) {
  if (group.size() == 1) return;
  const auto found = compare_with_rank_0(describe(dataset), group);
  if (!found) return;
  throw std::runtime_error(found->render("train.data: the " + std::string(split) + " data") +
                           ". Put the same files on every node");
}

}  // namespace ddp::trainer
