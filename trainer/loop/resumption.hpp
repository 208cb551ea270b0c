#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/loop/epoch_position.hpp"

namespace ddp::trainer {

/// How an epoch was shared out before and is now.
struct Sharing {
  EpochShape before;
  EpochShape now;
};

/// The random numbers of the ranks.
enum class Generators { restored, new_ones };

/// Until when the learning rate falls: the last epoch comes after another number of steps when an epoch has
/// another number of batches.
enum class Decay { of_its_own, until_last_epoch };

/// What a checkpoint is read for.
enum class Purpose { training, evaluation };

/// What a run goes on from, and what is not as it was.
struct Resumption {
  std::int64_t step = 0;  ///< steps done
  Purpose purpose = Purpose::training;
  std::optional<std::string> path = {};  ///< of the checkpoint, if it is another run's
  std::optional<Sharing> sharing = {};   ///< nullopt where nothing is trained
  Generators generators = Generators::restored;
  Decay decay = Decay::of_its_own;
};

/// One line for the log: where the run does not go on bit for bit, it says what differs.
[[nodiscard]] std::string describe_resumption(const Resumption& resumption);

}  // namespace ddp::trainer
