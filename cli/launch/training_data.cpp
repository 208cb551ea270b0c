#include "cli/launch/training_data.hpp"

#include "trainer/config/missing_data.hpp"

namespace ddp::cli {

std::optional<Error> find_missing_training_data(const RunSpec& spec) {
  if (!spec.train || !spec.environment.setup.empty()) return std::nullopt;
  auto missing = trainer::find_missing_data(*spec.train, *spec.schemas);
  if (!missing) return std::nullopt;
  auto place = spec.origins.mark("train.data." + std::string(missing->option));
  // The folder is the default of this dataset.
  if (!place) place = spec.origins.mark("train.data.name");
  return Error{ExitCode::preflight_failed, std::move(missing->message), std::move(missing->hint),
               std::move(place)};
}

}  // namespace ddp::cli
