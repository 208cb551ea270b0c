#include "cli/launch/start/earlier_settings.hpp"

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

void EarlierSettings::remember(const RunFolder& folder) {
  for (const auto& path : {folder.spec(), folder.plan()}) {
    if (auto text = load_file(path)) texts_.emplace_back(path, std::move(*text));
  }
}

tl::unexpected<Error> EarlierSettings::give_up(Error error) const {
  if (error.code != ExitCode::outcome_unknown) {
    for (const auto& [path, text] : texts_) (void)save_file(path, text, Durability::visible);
  }
  return tl::unexpected(std::move(error));
}

}  // namespace ddp::cli
