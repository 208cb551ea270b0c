#pragma once

#include <memory>
#include <thread>

#include "cli/system/pipe.hpp"

namespace ddp::cli {

/// What rank 0 of a followed run reads as its stdin: the pipe or file that is the stdin of ddpsubmit, or
/// where that is a terminal, a terminal of its own, into which this object types what a person types here, as
/// long as it lives. So a rank never takes what is meant for the shell behind ddpsubmit. Its lines are not
/// echoed: the real terminal does it.
class RankInput {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<RankInput>> open();
  RankInput(const RankInput&) = delete;
  RankInput& operator=(const RankInput&) = delete;
  ~RankInput();

  /// To be passed on; closed on exec.
  [[nodiscard]] int descriptor() const { return input_.get(); }

 private:
  RankInput() = default;
  [[nodiscard]] Expected<void> open_terminal();
  void type();

  FileDescriptor input_;
  FileDescriptor keyboard_;  ///< the other end of a terminal
  Pipe stop_;
  std::thread typing_;
};

}  // namespace ddp::cli
