#include "jobenv/agent/record_stream.hpp"

#include <utility>

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{200};
constexpr const char* kLogs = "logs";

}  // namespace

RecordStream::RecordStream(EventLoop& loop, RunFolder folder, Send send)
    : loop_(loop), folder_(std::move(folder)), send_(std::move(send)) {}

void RecordStream::restart() {
  under_way_.reset();
  look();
}

void RecordStream::on_taken() {
  if (const auto taken = std::exchange(under_way_, std::nullopt))
    sent_[taken->path] = taken->offset + taken->bytes.size();
  look();
}

void RecordStream::finish(std::chrono::milliseconds patience, std::function<void()> done) {
  finished_ = std::move(done);
  loop_.after(patience, [this] {
    if (finished_) std::exchange(finished_, nullptr)();
  });
  look();
}

void RecordStream::look() {
  if (under_way_) return;
  loop_.cancel(next_look_);
  under_way_ = find_piece();
  if (under_way_) return send_(*under_way_);
  if (finished_) return std::exchange(finished_, nullptr)();
  next_look_ = loop_.after(kPause, [this] { look(); });
}

std::optional<FilePiece> RecordStream::find_piece() const {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder_.root() / kLogs, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().lexically_relative(folder_.root());
    const auto known = sent_.find(path);
    const std::uint64_t offset = known == sent_.end() ? 0 : known->second;
    std::error_code ignored;
    if (!entry->is_regular_file(ignored) || entry->file_size(ignored) <= offset) continue;
    if (auto piece = load_piece(folder_.root(), path, offset); !piece.bytes.empty()) return piece;
  }
  return std::nullopt;
}

}  // namespace ddp::agent
