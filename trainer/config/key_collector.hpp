#pragma once

#include <set>
#include <string>

#include "jobenv/config/fields.hpp"

namespace ddp::trainer {

/// Notes which keys the description of a section names, those of its sub-sections not.
class KeyCollector final : public Fields {
 public:
  [[nodiscard]] const std::set<std::string>& keys() const { return keys_; }

  void unavailable(const Key& key) override { add(key); }

 private:
  void visit_integer(const Key& key, std::optional<std::int64_t>&, IntegerRange) override { add(key); }
  void visit_number(const Key& key, std::optional<double>&, NumberRange) override { add(key); }
  void visit_flag(const Key& key, std::optional<bool>&) override { add(key); }
  void visit_text(const Key& key, std::optional<std::string>&) override { add(key); }
  void visit_path(const Key& key, std::optional<std::string>&) override { add(key); }
  void visit_duration(const Key& key, std::optional<std::chrono::seconds>&, DurationRange) override {
    add(key);
  }
  void visit_size(const Key& key, std::optional<std::uint64_t>&) override { add(key); }
  void visit_word(const Key& key, std::string&, std::span<const Word>) override { add(key); }
  void visit_texts(const Key& key, std::vector<std::string>&) override { add(key); }
  void visit_integers(const Key& key, std::vector<std::int64_t>&, IntegerRange) override { add(key); }
  void visit_numbers(const Key& key, std::vector<double>&, NumberRange) override { add(key); }
  void visit_text_map(const Key& key, std::map<std::string, std::string>&) override { add(key); }
  void visit_lists(const Key& key, std::vector<NamedList>&) override { add(key); }
  void visit_sections(const Key& key, const SectionList&) override { add(key); }
  bool wants(const Key& key) override {
    add(key);
    return false;
  }
  bool enter(const Key& key) override {
    add(key);
    return false;
  }
  void leave() override {}

  void add(const Key& key) { keys_.emplace(key.name); }

  std::set<std::string> keys_;
};

}  // namespace ddp::trainer
