#include "trainer/checkpoint/checkpoint_writer.hpp"

#include <csignal>
#include <memory>
#include <utility>

#include "trainer/checkpoint/writes_in_flight.hpp"

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
  if (given_ != nullptr) return;
  if (touched_.valid()) touched_.get();
  if (buffer_.reserve(like) == StateBuffer::Memory::held) return;
  touched_ = std::async(std::launch::async, [this] {
    block_signals();
    buffer_.touch();
  });
}

void CheckpointWriter::begin(const TrainingState& state, const Options& options) {
  if (touched_.valid()) touched_.get();
  given_ = &buffer_.begin(state);
  options_ = options;
  std::promise<void> copied;
  copied_ = copied.get_future();
  start([this, copied = std::move(copied)]() mutable {
    buffer_.finish();
    copied.set_value();
  });
}

void CheckpointWriter::await_copy() {
  if (copied_.valid()) copied_.get();
}

void CheckpointWriter::begin_in_place(const TrainingState& state, const Options& options) {
  in_place_ = state;
  given_ = &in_place_;
  options_ = options;
  begin_again();
}

void CheckpointWriter::begin_again() {
  start([] {});
}

template <class Before>
void CheckpointWriter::start(Before before) {
  writing_ = std::async(std::launch::async,
                        [this, before = std::move(before),
                         flight = std::make_unique<WriteInFlight>([this] { hurry(); })]() mutable {
                          block_signals();
                          before();
                          WriteEnd end = write();
                          flight.reset();
                          return end;
                        });
}

bool CheckpointWriter::wait_for(std::chrono::milliseconds limit) const {
  return !writing_.valid() || writing_.wait_for(limit) == std::future_status::ready;
}

std::optional<WriteEnd> CheckpointWriter::poll() {
  return is_writing() ? std::nullopt : wait();
}

std::optional<WriteEnd> CheckpointWriter::wait() {
  if (!writing_.valid()) return std::nullopt;
  return writing_.get();
}

WriteEnd CheckpointWriter::write() {
  WriteEnd end;
  const auto began = std::chrono::steady_clock::now();
  try {
    end.outcome = saver_->save(*given_, options_);
  } catch (...) {
    end.error = std::current_exception();
  }
  end.taken = std::chrono::steady_clock::now() - began;
  return end;
}

}  // namespace ddp::trainer
