#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <optional>

namespace ddp::trainer {

/// Streams of a CUDA device for what is done beside the computation: those of Python's FSDP2, with its
/// priorities. c10 has streams and events for every device, so nothing of them is in libddp_cuda.so, which
/// must only have been loaded. The host waits for none of them. Used by one thread at a time.
struct SideStreams {
  explicit SideStreams(c10::Device device);

  /// Whatever is queued from now on, on these and on the current stream, comes after all that is queued
  /// there. Does nothing after an error of CUDA, when nothing is done any more.
  void join() const noexcept;

  c10::Stream copy_in;     ///< own rows are copied into the message of an all-gather
  c10::Stream gather;      ///< all-gathers
  c10::Stream reduce;      ///< reduce-scatters, and what is computed of their results
  c10::Stream all_reduce;  ///< likewise, where there are replicas
};

/// The stream that `member` names; none where there are no such streams, as on the CPU.
[[nodiscard]] std::optional<c10::Stream> pick_stream(const std::optional<SideStreams>& streams,
                                                     c10::Stream SideStreams::*member);

/// Of this thread.
[[nodiscard]] c10::Stream current_stream(c10::Device device);

/// What is queued on `stream` from now on comes after what is queued on `earlier`.
void queue_after(const c10::Stream& stream, const c10::Stream& earlier);

}  // namespace ddp::trainer
