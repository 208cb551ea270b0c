#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "trainer/checkpoint/format/file_sum.hpp"

namespace ddp::trainer {

/// A rank has not answered in time, after ShardExchange::hurry().
struct RankSilent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the ranks that write a checkpoint together tell each other, through a store that all of them have:
/// they need no collective, which the training would have to wait for.
///
/// Each of them calls begin() for the same checkpoints in the same order. Then rank 0 calls total_bytes(),
/// open() and collect(), or refuse() in place of the last two; the others call await_folder() and, if it says
/// so, report() or report_failure(). Waits have no limit: a rank may take any time to write. Used by one
/// thread, but for hurry() and is_waiting(). Its functions throw what the store throws when rank 0, which
/// serves it, is gone.
class ShardExchange {
 public:
  /// For ranks that live: they have about as much to write as this one, which is done with its own part.
  static constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(5);

  /// What the other ranks have reported.
  struct Reports {
    FileSums sums;                    ///< of their files
    std::vector<std::string> faults;  ///< "rank 2: …", of each that could not write
  };

  /// `ranks` ranks write, the first of the run. `store` is for this alone. Other threads may use a store
  /// below it at the same time: c10d's stores lock each request, and no request of this object makes the
  /// store wait for a key that is not there.
  ShardExchange(c10::intrusive_ptr<c10d::Store> store, int rank, int ranks,
                std::chrono::milliseconds patience = kPatience);

  [[nodiscard]] int rank() const { return rank_; }

  /// Begins the next checkpoint, of which this rank writes tensors of `bytes` bytes. Every other rank has
  /// ended with the one before, or soon will.
  void begin(std::uint64_t bytes);

  /// The bytes of all ranks. For rank 0. Throws RankSilent.
  [[nodiscard]] std::uint64_t total_bytes();

  /// Says that the folder is there. For rank 0.
  void open();

  /// Says that there will be no folder. For rank 0.
  void refuse();

  /// Waits until every other rank has reported. For rank 0. Throws RankSilent.
  [[nodiscard]] Reports collect();

  /// Waits for open(), and returns true, or for refuse(). For the other ranks. Throws RankSilent.
  [[nodiscard]] bool await_folder();

  /// Says that the files of this rank are written, and what they are. For the other ranks.
  void report(const FileSums& sums);

  /// Says that they could not be written. For the other ranks.
  void report_failure(const std::string& why);

  /// From now on each wait gives up after the patience of this object. For any thread.
  void hurry() noexcept;

  /// Whether another thread is in one of the waits just now. For any thread.
  [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::vector<std::string> keys_of_others(const char* kind) const;
  [[nodiscard]] std::vector<std::string> read_others(const char* kind);
  void await(const std::vector<std::string>& keys);
  [[nodiscard]] std::vector<int> ranks_without(const std::vector<std::string>& keys);
  void forget_own_keys();

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  int ranks_;
  std::chrono::milliseconds patience_;
  std::uint64_t own_bytes_ = 0;
  std::uint64_t number_ = 0;  // of the checkpoint, from 1 on
  std::atomic<bool> hurried_ = false;
  std::atomic<bool> is_waiting_ = false;
};

}  // namespace ddp::trainer
