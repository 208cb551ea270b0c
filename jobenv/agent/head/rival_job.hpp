#pragma once

#include <optional>
#include <string>

#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// Another job of the scheduler than `own`, in which a head has claimed the newest attempt of the run and has
/// told neither its end nor a requeue; nullopt: there is none. It may run: a site's own sbatch may have
/// submitted the run twice.
[[nodiscard]] std::optional<std::string> find_rival_job(const RunFolder& folder, const std::string& own);

}  // namespace ddp::agent
