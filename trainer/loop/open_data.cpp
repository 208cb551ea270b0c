#include "trainer/loop/open_data.hpp"

#include <stdexcept>
#include <string>

#include "ddp/jobenv/own_progress.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/data/datasets/datasets.hpp"
#include "trainer/distributed/agreement/same_data.hpp"

namespace ddp::trainer {
namespace {

void check_classes(const Component& model, const Dataset& dataset, const std::string& split) {
  const auto outputs = model.options.find("num_classes");
  const std::int64_t classes = dataset.sample_shape().classes;
  if (outputs == model.options.end()) return;
  const auto* count = std::get_if<std::int64_t>(&outputs->second);
  if (count == nullptr || *count >= classes) return;
  throw InvalidConfiguration("train.model.num_classes: the " + split + " data has " +
                             std::to_string(classes) + " classes, up to target " +
                             std::to_string(classes - 1) + "; set num_classes: " + std::to_string(classes) +
                             ", or correct the data");
}

}  // namespace

std::unique_ptr<Dataset> open_data(const TrainConfig& config, Split split, std::span<const DatasetKind> own,
                                   ProcessGroup& group) {
  const std::string name = split == Split::train ? "training" : "test";
  auto dataset = make_dataset(config.data.source, split, config.seed, own);
  count_part();
  require_same_data(*dataset, name, group);
  if (dataset->size() <= 0)
    throw std::runtime_error("train.data: there are no samples in the " + name + " data of '" +
                             config.data.source.name + "'");
  check_classes(config.model, *dataset, name);
  return dataset;
}

}  // namespace ddp::trainer
