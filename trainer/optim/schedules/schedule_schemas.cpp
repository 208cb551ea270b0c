#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

std::vector<OptionSchema> with_warmup(std::vector<OptionSchema> options) {
  options.push_back({.key = "warmup_steps",
                     .default_value = std::int64_t{0},
                     .doc = "steps at the start in which the learning rate grows linearly; 0: none",
                     .integers = {.min = 0}});
  options.push_back({.key = "warmup_start_factor",
                     .default_value = 0.01,
                     .doc = "the first step has this part of the learning rate",
                     .numbers = {.min = 0, .max = 1}});
  options.push_back(
      {.key = "reference_batch_size",
       .default_value = std::int64_t{0},
       .doc = "the global batch that learning_rate is meant for; it grows linearly with the one of the "
              "run. 0: it is taken as it is",
       .integers = {.min = 0}});
  return options;
}

OptionSchema gamma_option() {
  return {.key = "gamma",
          .default_value = 0.1,
          .doc = "what the learning rate is multiplied by",
          .numbers = {.min = 0, .max = 1}};
}

OptionSchema unit_option() {
  return {.key = "unit",
          .default_value = std::string("epochs"),
          .doc = "what is counted, from the start of the run",
          .words = {"epochs", "steps"}};
}

std::string milestones_conflict(const Component& schedule) {
  const auto& milestones = schedule.get<std::vector<std::int64_t>>("milestones");
  if (milestones.empty()) return "multistep needs milestones";
  for (std::size_t i = 1; i < milestones.size(); ++i) {
    if (milestones[i] > milestones[i - 1]) continue;
    return "milestones have to increase, and " + std::to_string(milestones[i]) + " comes after " +
           std::to_string(milestones[i - 1]);
  }
  return {};
}

}  // namespace

ComponentSchema constant_schema() {
  return {
      .name = "constant", .doc = "the same learning rate from the warm-up on", .options = with_warmup({})};
}

ComponentSchema step_schema() {
  return {
      .name = "step",
      .doc = "a decay after every so many epochs or steps, as StepLR",
      .options = with_warmup(
          {{.key = "step_size", .default_value = std::int64_t{1}, .doc = "how many", .integers = {.min = 1}},
           gamma_option(),
           unit_option()})};
}

ComponentSchema multistep_schema() {
  return {.name = "multistep",
          .doc = "a decay at each of the milestones, as MultiStepLR",
          .options = with_warmup({{.key = "milestones",
                                   .default_value = std::vector<std::int64_t>{},
                                   .doc = "after how many, in increasing order",
                                   .integers = {.min = 1}},
                                  gamma_option(),
                                  unit_option()}),
          .conflict = milestones_conflict};
}

ComponentSchema cosine_schema() {
  return {.name = "cosine",
          .doc = "half a cosine from the end of the warm-up to the end of the run, as CosineAnnealingLR",
          .options = with_warmup({{.key = "min_learning_rate",
                                   .default_value = 0.0,
                                   .doc = "at the end of the run",
                                   .numbers = {.min = 0}}})};
}

ComponentSchema linear_schema() {
  return {.name = "linear",
          .doc = "a straight line from the end of the warm-up to the end of the run, as LinearLR",
          .options = with_warmup({{.key = "end_factor",
                                   .default_value = 0.0,
                                   .doc = "what is left of the learning rate at the end of the run",
                                   .numbers = {.min = 0, .max = 1}}})};
}

}  // namespace ddp::trainer
