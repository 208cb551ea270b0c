#pragma once

#include <nlohmann/json.hpp>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/phase.hpp"

namespace ddp {

/// The name of a phase, as a field of a record or a message.
struct PhaseForm {
  [[nodiscard]] nlohmann::json render(const PhaseName& phase) const { return phase.text(); }
  [[nodiscard]] Expected<PhaseName> parse(const nlohmann::json& found) const {
    const auto phase = found.is_string() ? PhaseName::parse(found.get<std::string>()) : std::nullopt;
    if (!phase) return fail(ExitCode::run_failed, "is not the name of a phase");
    return *phase;
  }
};

}  // namespace ddp
