#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp {

/// The records of one training out of those of its attempts: at most one of a kind and step, sorted by step,
/// then train, evaluate, checkpoint, other kinds. Steps that a later attempt did again, or has still to do
/// again, have no records of earlier attempts. Numbers that one attempt logged for the same step in several
/// records are in one. Records that hold no metrics (first_step, steps, checkpoint_failed) are not among
/// them.
///
/// A record takes some fifty bytes and a dozen for each number, a tenth of a MetricsRecord: a long training
/// has millions. It is made anew each time it is read.
class MergedMetrics {
 public:
  class Iterator;

  MergedMetrics() = default;
  MergedMetrics(std::initializer_list<MetricsRecord> records);
  MergedMetrics(const std::vector<MetricsRecord>& records);

  /// In the order of the file. Not after the records have been looked at.
  void add(const MetricsRecord& record);
  /// Between the last `add` and the first look.
  void finish();

  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] bool empty() const { return begins_.empty(); }
  [[nodiscard]] MetricsRecord operator[](std::size_t index) const;
  [[nodiscard]] MetricsRecord back() const { return (*this)[size() - 1]; }
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

 private:
  struct Packed {
    std::int64_t step = 0, time = 0, epoch = 0;  ///< kNone: not told
    std::uint32_t first_number = 0, first_rank = 0;
    std::int32_t attempt = 0;
    std::uint32_t kind = 0, message = 0;  ///< places in names_
  };
  struct Number {
    std::uint32_t name = 0;  ///< in metrics_fields(), and behind them in names_
    std::uint32_t bits[2] = {};
  };

  void note_begin(const MetricsRecord& record);
  void pack(const MetricsRecord& record);
  [[nodiscard]] MetricsRecord unpack(std::size_t place) const;
  [[nodiscard]] std::uint32_t place_of(const std::string& name);
  [[nodiscard]] bool is_lost(const Packed& record) const;
  [[nodiscard]] bool comes_before(std::uint32_t left, std::uint32_t right) const;
  [[nodiscard]] bool is_of_one_step(std::uint32_t left, std::uint32_t right) const;

  std::deque<Packed> packed_;
  std::deque<Number> numbers_;
  std::deque<RankStepTime> ranks_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> places_;
  std::map<std::int32_t, std::int64_t> begins_of_attempts_;  ///< the lowest step that an attempt began with
  int newest_ = 0;
  bool begin_is_known_ = false;
  std::vector<std::uint32_t> order_;   ///< of packed_
  std::vector<std::uint32_t> begins_;  ///< in order_: of the records that are one
};

/// Makes the record that it stands at.
class MergedMetrics::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = MetricsRecord;
  using difference_type = std::ptrdiff_t;
  using pointer = const MetricsRecord*;
  using reference = MetricsRecord;

  Iterator(const MergedMetrics& records, std::size_t index) : records_(&records), index_(index) {}
  MetricsRecord operator*() const { return (*records_)[index_]; }
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  bool operator==(const Iterator& other) const { return index_ == other.index_; }

 private:
  const MergedMetrics* records_;
  std::size_t index_;
};

inline MergedMetrics::Iterator MergedMetrics::begin() const {
  return {*this, 0};
}
inline MergedMetrics::Iterator MergedMetrics::end() const {
  return {*this, size()};
}

}  // namespace ddp
