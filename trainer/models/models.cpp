#include "trainer/models/models.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "trainer/models/convnet.hpp"
#include "trainer/models/mlp.hpp"
#include "trainer/models/resnet.hpp"

namespace ddp::trainer {
namespace {

struct ModelRow {
  std::string_view name;
  std::shared_ptr<Model> (*make)(const Component&);
};

constexpr std::array kModels = {
    ModelRow{"convnet", make_convnet},   ModelRow{"mlp", make_mlp},
    ModelRow{"resnet18", make_resnet18}, ModelRow{"resnet34", make_resnet34},
    ModelRow{"resnet50", make_resnet50},
};

}  // namespace

std::shared_ptr<Model> make_model(const Component& model, std::span<const ModelKind> own) {
  for (const ModelKind& kind : own) {
    if (kind.schema.name != model.name) continue;
    if (auto made = kind.make(model)) return made;
    throw std::runtime_error("make() of the model '" + model.name + "' returned nullptr");
  }
  const auto* row = std::ranges::find(kModels, model.name, &ModelRow::name);
  if (row == kModels.end()) throw std::logic_error("no model is named '" + model.name + "'");
  return row->make(model);
}

}  // namespace ddp::trainer
