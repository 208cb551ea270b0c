#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/rank_layout.hpp"

namespace ddp::agent {

/// Hosts in Slurm's compressed notation.
struct HostListForm {
  [[nodiscard]] nlohmann::json render(const std::vector<std::string>& hosts) const;
  [[nodiscard]] Expected<std::vector<std::string>> parse(const nlohmann::json& json) const;
};

/// A row of rank, local rank and node rank.
struct RankPlaceForm {
  [[nodiscard]] nlohmann::json render(const RankPlace& place) const;
  [[nodiscard]] Expected<RankPlace> parse(const nlohmann::json& json) const;
};

}  // namespace ddp::agent
