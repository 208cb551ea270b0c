#include "cli/launch/preflight/training_data.hpp"

#include "jobenv/record/latest_checkpoint.hpp"
#include "trainer/config/missing_data.hpp"

namespace ddp::cli {
namespace {

/// A training that has a checkpoint of its own goes on from there.
bool goes_on(const RunSpec& spec, const RunFolder& folder) {
  return spec.train->mode == trainer::Mode::train &&
         spec.train->checkpoint.resume == trainer::Resume::automatic && find_latest_checkpoint(folder);
}

std::optional<Error> find_missing_checkpoint(const RunSpec& spec, const RunFolder& folder) {
  const auto& path = spec.train->checkpoint.path;
  if (!path || find_checkpoint(*path) || goes_on(spec, folder)) return std::nullopt;
  return Error{ExitCode::preflight_failed, "there is no checkpoint '" + *path + "'",
               "give a run's folder, or a checkpoint in it: RUN/checkpoints/step-NNNNNNNN-aN, "
               "RUN/checkpoints/LATEST or RUN/checkpoints/BEST",
               spec.origins.mark("train.checkpoint.path")};
}

}  // namespace

std::optional<Error> find_missing_training_data(const RunSpec& spec, const RunFolder& folder) {
  if (!spec.train || !spec.environment.setup.empty()) return std::nullopt;
  if (auto checkpoint = find_missing_checkpoint(spec, folder)) return checkpoint;
  auto missing = trainer::find_missing_data(*spec.train, *spec.schemas);
  if (!missing) return std::nullopt;
  auto place = spec.origins.mark(missing->option);
  // The folder is the default of this dataset.
  if (!place) place = spec.origins.mark("train.data.name");
  return Error{ExitCode::preflight_failed, std::move(missing->message), std::move(missing->hint),
               std::move(place)};
}

}  // namespace ddp::cli
