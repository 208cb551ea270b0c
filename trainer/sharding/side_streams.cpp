#include "trainer/sharding/side_streams.hpp"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

namespace ddp::trainer {
namespace {

enum class Priority { usual, high };

c10::Stream make_stream(c10::Device device, Priority priority) {
  return c10::impl::VirtualGuardImpl(device.type())
      .getStreamFromGlobalPool(device, priority == Priority::high);
}

}  // namespace

SideStreams::SideStreams(c10::Device device)
    : copy_in(make_stream(device, Priority::high)),
      gather(make_stream(device, Priority::high)),
      reduce(make_stream(device, Priority::high)),
      all_reduce(make_stream(device, Priority::usual)) {}

void SideStreams::join() const noexcept {
  try {
    const c10::Stream current = current_stream(copy_in.device());
    for (const c10::Stream& side : {copy_in, gather, reduce, all_reduce}) queue_after(current, side);
    for (const c10::Stream& side : {copy_in, gather, reduce, all_reduce}) queue_after(side, current);
  } catch (const c10::Error&) {
    return;
  }
}

std::optional<c10::Stream> pick_stream(const std::optional<SideStreams>& streams,
                                       c10::Stream SideStreams::*member) {
  return streams ? std::optional((*streams).*member) : std::nullopt;
}

c10::Stream current_stream(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

void queue_after(const c10::Stream& stream, const c10::Stream& earlier) {
  c10::Event reached(earlier.device_type());
  reached.record(earlier);
  reached.block(stream);
}

}  // namespace ddp::trainer
