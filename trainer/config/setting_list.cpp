#include "trainer/config/setting_list.hpp"

#include <array>
#include <charconv>
#include <sstream>

#include "jobenv/config/fields.hpp"
#include "trainer/config/train_fields.hpp"

namespace ddp::trainer {
namespace {

/// Writes each field that it visits as a line.
class SettingCollector final : public Fields {
 public:
  explicit SettingCollector(FilePlaces places) : places_(places) {}

  [[nodiscard]] std::vector<std::string> take() { return std::move(settings_); }

  void unavailable(const Key&) override {}

 private:
  void visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange) override {
    add_optional(key, value);
  }
  void visit_number(const Key& key, std::optional<double>& value, NumberRange) override {
    add_optional(key, value);
  }
  void visit_flag(const Key& key, std::optional<bool>& value) override {
    add(key, value ? *value ? "true" : "false" : kNone);
  }
  void visit_text(const Key& key, std::optional<std::string>& value) override {
    if (key.name != "program") add_optional(key, value);
  }
  void visit_path(const Key& key, std::optional<std::string>& value) override {
    if (places_ == FilePlaces::listed) add_optional(key, value);
  }
  void visit_duration(const Key& key, std::optional<std::chrono::seconds>& value, DurationRange) override {
    add(key, value ? std::to_string(value->count()) + "s" : kNone);
  }
  void visit_size(const Key& key, std::optional<std::uint64_t>& bytes) override { add_optional(key, bytes); }
  void visit_word(const Key& key, std::string& value, std::span<const Word>) override { add(key, value); }
  void visit_texts(const Key& key, std::vector<std::string>& values) override { add_all(key, values); }
  void visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange) override {
    add_all(key, values);
  }
  void visit_numbers(const Key& key, std::vector<double>& values, NumberRange) override {
    add_all(key, values);
  }
  // `train:` has none of these.
  void visit_text_map(const Key&, std::map<std::string, std::string>&) override {}
  void visit_lists(const Key&, std::vector<NamedList>&) override {}
  void visit_sections(const Key&, const SectionList&) override {}
  bool wants(const Key&) override { return false; }
  bool enter(const Key& key) override {
    path_.emplace_back(key.name);
    return true;
  }
  void leave() override { path_.pop_back(); }

  template <class T>
  static const T& shown(const T& value) {
    return value;
  }
  /// Checkpoints have numbers in this form, and a resume compares their texts.
  static std::string shown(double value) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? std::string(text.data(), end) : std::string();
  }
  template <class T>
  void add_optional(const Key& key, const std::optional<T>& value) {
    value ? add_all(key, std::vector<T>{*value}) : add(key, kNone);
  }
  template <class T>
  void add_all(const Key& key, const std::vector<T>& values) {
    std::ostringstream text;
    for (const T& value : values) text << (&value == values.data() ? "" : ", ") << shown(value);
    add(key, text.str());
  }
  void add(const Key& key, const std::string& value) {
    std::string line = "train";
    for (const auto& section : path_) line += "." + section;
    settings_.push_back(line + "." + std::string(key.name) + ": " + value);
  }

  static constexpr const char* kNone = "nothing";

  FilePlaces places_;
  std::vector<std::string> path_;
  std::vector<std::string> settings_;
};

}  // namespace

std::vector<std::string> list_settings(TrainConfig config, const ComponentSchemas& schemas,
                                       FilePlaces places) {
  SettingCollector collector(places);
  describe_train(collector, config, schemas);
  return collector.take();
}

}  // namespace ddp::trainer
