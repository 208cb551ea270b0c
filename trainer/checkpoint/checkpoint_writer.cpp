#include "trainer/checkpoint/checkpoint_writer.hpp"

#include <csignal>

namespace ddp::trainer {
namespace {

/// Signals are for the thread that trains: a write need not be interrupted.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

void CheckpointWriter::reserve(const TrainingState& like) {
  buffer_.reserve(like);
  touched_ = std::async(std::launch::async, [this] {
    block_signals();
    buffer_.touch();
  });
}

void CheckpointWriter::begin(const TrainingState& state, const Options& options) {
  if (touched_.valid()) touched_.get();
  const TrainingState& copy = buffer_.copy(state);
  options_ = options;
  writing_ = std::async(std::launch::async, [this, &copy] {
    block_signals();
    return write(copy, options_);
  });
}

bool CheckpointWriter::is_writing() const {
  return writing_.valid() && writing_.wait_for(std::chrono::seconds{0}) != std::future_status::ready;
}

std::optional<WriteEnd> CheckpointWriter::poll() {
  return is_writing() ? std::nullopt : wait();
}

std::optional<WriteEnd> CheckpointWriter::wait() {
  if (!writing_.valid()) return std::nullopt;
  return writing_.get();
}

WriteEnd CheckpointWriter::write(const TrainingState& state, const Options& options) {
  WriteEnd end{.step = state.step, .outcome = {}, .taken = {}, .error = nullptr};
  const auto began = std::chrono::steady_clock::now();
  try {
    end.outcome = store_.save(state, options.keep, options.best);
  } catch (...) {
    end.error = std::current_exception();
  }
  end.taken = std::chrono::steady_clock::now() - began;
  return end;
}

}  // namespace ddp::trainer
