#include "jobenv/agent/head/live_file.hpp"

#include <utility>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::agent {

void LiveFile::take(const RunEvent& event) {
  if (stopped_ || !view_.take(event, std::chrono::system_clock::now())) return;
  changed_ = true;
  if (!timer_) write();
}

void LiveFile::stop() {
  stopped_ = true;
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
}

/// A reader that looks at it misses nothing else: a full disk is told once.
void LiveFile::write() {
  timer_.reset();
  if (!std::exchange(changed_, false)) return;
  const auto text = to_json(view_.make_record(std::chrono::system_clock::now())).dump() + "\n";
  const auto saved = save_file(folder_.live(), text, Durability::visible);
  if (!saved && !std::exchange(failed_, true)) log_(saved.error().message);
  timer_ = loop_.after(interval_, [this] { write(); });
}

}  // namespace ddp::agent
