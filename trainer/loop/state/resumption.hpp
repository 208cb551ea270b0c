#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/loop/step/epoch_position.hpp"

namespace ddp::trainer {

/// How an epoch was shared out before and is now.
struct Sharing {
  EpochShape before;
  EpochShape now;
};

/// The random numbers of the ranks.
enum class Generators { restored, new_ones };

/// Whether the model draws random numbers in its forward pass.
enum class Dropout { maybe, none };

/// The last step, until which the learning rate falls.
struct Decay {
  std::int64_t before = 0;
  std::int64_t now = 0;
};

/// The versions of LibTorch.
struct Upgrade {
  std::string before;
  std::string now;
};

/// What a checkpoint is read for.
enum class Purpose { training, evaluation };

/// What a run goes on from, and what is not as it was.
struct Resumption {
  std::int64_t step = 0;  ///< steps done
  Purpose purpose = Purpose::training;
  std::optional<std::string> path = {};  ///< of the checkpoint, if it is another run's
  std::optional<Sharing> sharing = {};   ///< nullopt where nothing is trained
  Generators generators = Generators::restored;
  Dropout dropout = Dropout::maybe;
  std::optional<Upgrade> libtorch = {};  ///< nullopt: the checkpoint does not say
  std::optional<Decay> decay = {};       ///< nullopt where the end has no say in the learning rate
};

/// One line for the log: where the run does not go on bit for bit, it says what differs.
[[nodiscard]] std::string describe_resumption(const Resumption& resumption);

}  // namespace ddp::trainer
