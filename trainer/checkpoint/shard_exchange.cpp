#include "trainer/checkpoint/shard_exchange.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "trainer/checkpoint/format/manifest.hpp"
#include "trainer/ranks/rank_list.hpp"

namespace ddp::trainer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{50};

// Kinds of keys, and what their values are. The key of each has the number of the checkpoint and a rank.
constexpr const char* kBytes = "bytes";    // a number
constexpr const char* kFolder = "folder";  // kDone or kFailed; of rank 0
constexpr const char* kReport = "report";  // kDone and sums, or kFailed and a sentence

constexpr char kDone = '+';
constexpr char kFailed = '-';

std::string key_of(std::uint64_t number, const char* kind, int rank) {
  return std::to_string(number) + "/" + kind + "/" + std::to_string(rank);
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

RankSilent silence_of(const std::vector<int>& ranks) {
  return RankSilent("the run has failed before " + render_rank_list(ranks) + " had done " +
                    (ranks.size() == 1 ? "its" : "their") + " part of the checkpoint");
}

class Flag {
 public:
  explicit Flag(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  ~Flag() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

ShardExchange::ShardExchange(c10::intrusive_ptr<c10d::Store> store, int rank, int ranks,
                             milliseconds patience)
    : store_(std::move(store)), rank_(rank), ranks_(ranks), patience_(patience) {}

std::vector<std::string> ShardExchange::keys_of_others(const char* kind) const {
  std::vector<std::string> keys;
  for (int rank = 1; rank < ranks_; ++rank) keys.push_back(key_of(number_, kind, rank));
  return keys;
}

void ShardExchange::begin(std::uint64_t bytes) {
  if (rank_ != 0) forget_own_keys();  // rank 0 has read them, or else will not
  ++number_;
  own_bytes_ = bytes;
  if (rank_ != 0) store_->set(key_of(number_, kBytes, rank_), std::to_string(bytes));
}

void ShardExchange::forget_own_keys() {
  if (number_ == 0) return;
  for (const char* kind : {kBytes, kReport}) store_->deleteKey(key_of(number_, kind, rank_));
}

std::uint64_t ShardExchange::total_bytes() {
  std::uint64_t bytes = own_bytes_;
  for (const std::string& text : read_others(kBytes)) bytes += std::stoull(text);
  // Every rank has come past that.
  if (number_ > 1) store_->deleteKey(key_of(number_ - 1, kFolder, 0));
  return bytes;
}

void ShardExchange::open() {
  store_->set(key_of(number_, kFolder, 0), std::string(1, kDone));
}

void ShardExchange::refuse() {
  store_->set(key_of(number_, kFolder, 0), std::string(1, kFailed));
}

ShardExchange::Reports ShardExchange::collect() {
  Reports reports;
  const auto texts = read_others(kReport);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    const std::string rest = text.substr(1);
    const std::string rank = "rank " + std::to_string(i + 1);
    if (text.front() == kFailed) {
      reports.faults.push_back(rank + ": " + rest);
      continue;
    }
    auto sums = parse_file_sums(rest);
    if (!sums) throw std::runtime_error("the report of " + rank + " " + sums.error());
    reports.sums.merge(*sums);
  }
  return reports;
}

bool ShardExchange::await_folder() {
  const std::string folder = key_of(number_, kFolder, 0);
  await({folder});
  return text_of(store_->get(folder)).front() == kDone;
}

void ShardExchange::report(const FileSums& sums) {
  store_->set(key_of(number_, kReport, rank_), kDone + render_file_sums(sums));
}

void ShardExchange::report_failure(const std::string& why) {
  store_->set(key_of(number_, kReport, rank_), kFailed + why);
}

std::vector<std::string> ShardExchange::read_others(const char* kind) {
  const auto keys = keys_of_others(kind);
  if (keys.empty()) return {};
  await(keys);
  std::vector<std::string> texts;
  for (const auto& value : store_->multiGet(keys)) texts.push_back(text_of(value));
  return texts;
}

// Not Store::wait(), which may hold the lock of the store for as long as it waits.
void ShardExchange::await(const std::vector<std::string>& keys) {
  const Flag waiting(is_waiting_);
  milliseconds pause = kFirstPause;
  std::optional<Clock::time_point> hurried_since;
  while (!store_->check(keys)) {
    if (hurried_ && !hurried_since) hurried_since = Clock::now();
    if (hurried_since && Clock::now() - *hurried_since >= patience_) {
      const auto silent = ranks_without(keys);
      if (silent.empty()) return;  // the last of them has answered just now
      throw silence_of(silent);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

std::vector<int> ShardExchange::ranks_without(const std::vector<std::string>& keys) {
  std::vector<int> ranks;
  for (const std::string& key : keys)
    if (!store_->check({key})) ranks.push_back(std::stoi(key.substr(key.rfind('/') + 1)));
  return ranks;
}

void ShardExchange::hurry() noexcept {
  hurried_ = true;
}

}  // namespace ddp::trainer
