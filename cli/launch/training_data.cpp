#include "cli/launch/training_data.hpp"

#include <filesystem>

#include "trainer/config/missing_data.hpp"

namespace ddp::cli {
namespace {

std::optional<Error> find_missing_checkpoint(const RunSpec& spec) {
  const auto& path = spec.train->checkpoint.path;
  std::error_code error;
  if (!path || std::filesystem::exists(*path, error)) return std::nullopt;
  return Error{ExitCode::preflight_failed, "there is no checkpoint '" + *path + "'",
               "give the folder of one (RUN/checkpoints/step-NNNNNNNN-aN), or LATEST or BEST beside it",
               spec.origins.mark("train.checkpoint.path")};
}

}  // namespace

std::optional<Error> find_missing_training_data(const RunSpec& spec) {
  if (!spec.train || !spec.environment.setup.empty()) return std::nullopt;
  if (auto checkpoint = find_missing_checkpoint(spec)) return checkpoint;
  auto missing = trainer::find_missing_data(*spec.train, *spec.schemas);
  if (!missing) return std::nullopt;
  auto place = spec.origins.mark(missing->option);
  // The folder is the default of this dataset.
  if (!place) place = spec.origins.mark("train.data.name");
  return Error{ExitCode::preflight_failed, std::move(missing->message), std::move(missing->hint),
               std::move(place)};
}

}  // namespace ddp::cli
