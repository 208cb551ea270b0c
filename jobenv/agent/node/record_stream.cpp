#include "jobenv/agent/node/record_stream.hpp"

#include <algorithm>
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
  if (under_way_) {
    last_path_ = under_way_->path;
    return send_(*under_way_);
  }
  if (finished_) return std::exchange(finished_, nullptr)();
  next_look_ = loop_.after(kPause, [this] { look(); });
}

std::uint64_t RecordStream::sent(const std::string& path) const {
  const auto known = sent_.find(path);
  return known == sent_.end() ? 0 : known->second;
}

std::vector<std::string> RecordStream::find_grown() const {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder_.root() / kLogs, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().lexically_relative(folder_.root());
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && entry->file_size(ignored) > sent(path)) paths.push_back(path);
  }
  std::ranges::sort(paths);
  return paths;
}

std::optional<FilePiece> RecordStream::find_piece() const {
  auto paths = find_grown();
  std::ranges::rotate(paths, std::ranges::upper_bound(paths, last_path_));
  for (const std::string& path : paths) {
    if (auto piece = load_piece(folder_.root(), path, sent(path)); !piece.bytes.empty()) return piece;
  }
  return std::nullopt;
}

}  // namespace ddp::agent
