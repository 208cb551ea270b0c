#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/text_keys.hpp"

namespace ddp {

/// Builds a ConfigNode from yaml-cpp's events and enforces the limits of parse_yaml. Private to ddp_config.
class TreeBuilder final : public YAML::EventHandler {
 public:
  /// Thrown out of an event when reading on makes no sense.
  struct Stop {
    Error error;
  };

  /// Where in the source the document is.
  struct Start {
    std::size_t offset = 0;  ///< event marks count from here
    std::string path = {};   ///< of the value that it is, dotted; empty: the root
  };

  TreeBuilder(std::shared_ptr<const SourceText> source, Start start, TextKeys texts)
      : source_(std::move(source)), offset_(start.offset), path_(std::move(start.path)), texts_(texts) {}

  [[nodiscard]] ConfigNode take_root() { return std::move(root_); }
  [[nodiscard]] Errors take_errors() { return std::move(errors_); }
  [[nodiscard]] Place place(const YAML::Mark& mark, int length = 1) const;
  /// Of the innermost list or map that is open and begins with `bracket`; nullopt: none is.
  [[nodiscard]] std::optional<Place> open_bracket(char bracket) const;
  struct Bracket {
    char opening;  ///< '[' or '{'
    Place place;
  };
  /// The bracket that the one at `mark`, of the other kind, would close; nullopt: none is open.
  [[nodiscard]] std::optional<Bracket> bracket_closed_at(const YAML::Mark& mark) const;

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  /// A container that is being filled.
  struct Frame {
    ConfigNode node;
    YAML::anchor_t anchor = 0;
    std::map<std::string, int> key_lines = {};
    bool expects_key = false;
    std::string key = {};
    Place key_place = {};
    bool key_is_duplicate = false;
  };

  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const;
  [[nodiscard]] std::string_view text_at(const YAML::Mark& mark) const;
  [[nodiscard]] bool expects_key() const { return !frames_.empty() && frames_.back().expects_key; }
  void open(ConfigNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
  void close();
  void add(ConfigNode node, YAML::anchor_t anchor);
  void set_key(const Place& at, const std::string& key);
  void count_nodes(std::size_t more, const Place& at);
  bool check_tag(const std::string& tag, const Place& at);
  void check_value(const Place& at, std::string_view written, ConfigNode::Quoting quoting,
                   const std::string& value);
  /// Of the value that comes next; that of an item is that of its list.
  [[nodiscard]] std::string path() const;
  /// The control characters that it may hold.
  [[nodiscard]] std::string_view layout() const;
  void report_missing_value(const Frame& frame, const YAML::Mark& mark);
  void report(const Place& at, std::string message, std::string hint);

  std::shared_ptr<const SourceText> source_;
  std::size_t offset_;
  std::size_t newest_ = offset_;  ///< offset of what the last event told
  std::string path_;
  TextKeys texts_;
  ConfigNode root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, ConfigNode> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  Errors errors_;
};

}  // namespace ddp
