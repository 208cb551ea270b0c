#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

std::vector<OptionSchema> with_warmup(std::vector<OptionSchema> options) {
  options.push_back(
      {.key = "warmup_steps",
       .default_value = std::int64_t{0},
       .doc = "number of steps at the start in which the learning rate grows linearly; 0: no warm-up",
       .integers = {.min = 0}});
  options.push_back({.key = "warmup_start_factor",
                     .default_value = 0.01,
                     .doc = "factor of the learning rate in the first step of the warm-up",
                     .numbers = {.min = 0, .max = 1}});
  options.push_back({.key = "reference_batch_size",
                     .default_value = std::int64_t{0},
                     .doc = "global batch size that learning_rate is meant for; it is scaled linearly to the "
                            "global batch size of the run; 0: no scaling",
                     .integers = {.min = 0}});
  return options;
}

OptionSchema gamma_option() {
  return {.key = "gamma",
          .default_value = 0.1,
          .doc = "factor that the learning rate is multiplied by at each decay",
          .numbers = {.min = 0, .max = 1}};
}

OptionSchema unit_option() {
  return {.key = "unit",
          .default_value = std::string("epochs"),
          .doc = "what to count from the start of the run: epochs or steps",
          .words = {"epochs", "steps"}};
}

std::string milestones_conflict(const Component& schedule) {
  const auto& milestones = schedule.get<std::vector<std::int64_t>>("milestones");
  if (milestones.empty()) return "multistep needs milestones";
  for (std::size_t i = 1; i < milestones.size(); ++i) {
    if (milestones[i] > milestones[i - 1]) continue;
    return "milestones must increase, but " + std::to_string(milestones[i]) + " comes after " +
           std::to_string(milestones[i - 1]);
  }
  return {};
}

}  // namespace

ComponentSchema constant_schema() {
  return {.name = "constant", .doc = "constant learning rate after the warm-up", .options = with_warmup({})};
}

ComponentSchema step_schema() {
  return {.name = "step",
          .doc = "decay every step_size epochs or steps, as StepLR",
          .options = with_warmup({{.key = "step_size",
                                   .default_value = std::int64_t{1},
                                   .doc = "number of epochs or steps between two decays",
                                   .integers = {.min = 1}},
                                  gamma_option(),
                                  unit_option()})};
}

ComponentSchema multistep_schema() {
  return {.name = "multistep",
          .doc = "decay at each milestone, as MultiStepLR",
          .options = with_warmup(
              {{.key = "milestones",
                .default_value = std::vector<std::int64_t>{},
                .doc = "epochs or steps after which the learning rate decays, in increasing order",
                .integers = {.min = 1}},
               gamma_option(),
               unit_option()}),
          .conflict = milestones_conflict};
}

ComponentSchema cosine_schema() {
  return {.name = "cosine",
          .doc =
              "decrease along half a cosine from the end of the warm-up to the end of the run, as "
              "CosineAnnealingLR",
          .options = with_warmup({{.key = "min_learning_rate",
                                   .default_value = 0.0,
                                   .doc = "learning rate at the end of the run",
                                   .numbers = {.min = 0}}})};
}

ComponentSchema linear_schema() {
  return {.name = "linear",
          .doc = "linear decrease from the end of the warm-up to the end of the run, as LinearLR",
          .options = with_warmup({{.key = "end_factor",
                                   .default_value = 0.0,
                                   .doc = "factor of the learning rate at the end of the run",
                                   .numbers = {.min = 0, .max = 1}}})};
}

}  // namespace ddp::trainer
