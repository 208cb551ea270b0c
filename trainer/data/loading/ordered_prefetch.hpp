#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace ddp::trainer {

/// Makes numbered items in threads of its own and hands them out in the order of their numbers, a bounded
/// number ahead of who takes them.
template <class T>
class OrderedPrefetch {
 public:
  struct Plan {
    std::int64_t first = 0;  ///< number of the first item
    std::int64_t end = 0;    ///< one past the last
    int threads = 1;
    std::int64_t ahead = 1;  ///< items that are made or being made and not taken, at most
  };

  /// `make` is called by several threads at once, once for each number. What it refers to must outlive this
  /// object. Throws std::system_error when the threads cannot be started.
  OrderedPrefetch(const Plan& plan, std::function<T(std::int64_t)> make)
      : make_(std::move(make)),
        made_(plan.first),
        taken_(plan.first),
        end_(plan.end),
        slots_(static_cast<std::size_t>(plan.ahead)) {
    try {
      for (int i = 0; i < plan.threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (...) {
      join();
      throw;
    }
  }
  OrderedPrefetch(const OrderedPrefetch&) = delete;
  OrderedPrefetch& operator=(const OrderedPrefetch&) = delete;

  /// Waits for the items that are being made; those that nobody has taken are dropped.
  ~OrderedPrefetch() { join(); }

  /// The next item; at most end - first times, by one thread. Throws what `make` threw for this item.
  [[nodiscard]] T next() {
    Slot taken;
    {
      std::unique_lock lock(mutex_);
      Slot& slot = slot_of(taken_);
      ready_.wait(lock, [&] { return slot.item || slot.fault; });
      taken = std::exchange(slot, {});
      ++taken_;
    }
    room_.notify_one();
    if (taken.fault) std::rethrow_exception(taken.fault);
    return std::move(*taken.item);
  }

 private:
  struct Slot {
    std::optional<T> item;
    std::exception_ptr fault;
  };

  Slot& slot_of(std::int64_t number) { return slots_[static_cast<std::size_t>(number) % slots_.size()]; }

  void join() {
    {
      const std::scoped_lock lock(mutex_);
      end_ = made_;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void work() {
    while (const auto number = take_number()) {
      Slot made;
      try {
        made.item.emplace(make_(*number));
      } catch (...) {
        made.fault = std::current_exception();
      }
      {
        const std::scoped_lock lock(mutex_);
        slot_of(*number) = std::move(made);
      }
      ready_.notify_one();
    }
  }

  /// The number of the item to make now; waits for room. None: there is nothing more to do.
  std::optional<std::int64_t> take_number() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return made_ == end_ || made_ < taken_ + std::ssize(slots_); });
    if (made_ == end_) return std::nullopt;
    return made_++;
  }

  std::function<T(std::int64_t)> make_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::int64_t made_;   // number of the next item to make
  std::int64_t taken_;  // number of the next item to take
  std::int64_t end_;
  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace ddp::trainer
