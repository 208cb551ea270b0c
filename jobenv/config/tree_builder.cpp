#include "jobenv/config/tree_builder.hpp"

#include <algorithm>

#include "jobenv/config/config_limits.hpp"
#include "jobenv/config/last_bracket.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp {
namespace {

constexpr std::size_t kMaxErrors = 100;
constexpr std::string_view kLineBreak = "a value with a line break";
constexpr std::string_view kOneLine =
    "write it on one line; only set-up lines and arguments of a 'command' may have several lines";

std::string without(std::string text, std::string_view characters) {
  std::erase_if(text, [&](char c) { return characters.find(c) != characters.npos; });
  return text;
}

/// The length of the token that `written` begins with, up to the end of the line.
std::size_t token_length(std::string_view written, ConfigNode::Quoting quoting, const std::string& value) {
  if (quoting == ConfigNode::Quoting::plain) return value.size();
  const char quote = written.front();
  for (std::size_t i = 1; i < written.size(); ++i) {
    if (quote == '"' && written[i] == '\\')
      ++i;
    else if (written[i] == quote && quote == '\'' && written.substr(i + 1).starts_with('\''))
      ++i;
    else if (written[i] == quote)
      return i + 1;
  }
  return 0;
}

/// `&anchor ` before a value is no part of it.
std::size_t anchor_length(std::string_view written) {
  if (!written.starts_with('&')) return 0;
  const auto space = std::min(written.find(' '), written.size());
  return std::min(written.find_first_not_of(' ', space), written.size());
}

/// Whether a text in it has control characters other than those of `layout`.
bool exceeds(const ConfigNode& node, std::string_view layout) {
  if (has_control_character(without(node.scalar, layout))) return true;
  return std::ranges::any_of(node.items, [=](const auto& item) { return exceeds(item, layout); }) ||
         std::ranges::any_of(node.entries, [=](const auto& entry) { return exceeds(entry.value, layout); });
}

std::size_t count(const ConfigNode& node) {
  std::size_t nodes = 1;
  for (const ConfigNode& item : node.items) nodes += count(item);
  for (const ConfigNode::Entry& entry : node.entries) nodes += count(entry.value);
  return nodes;
}

/// "0" and "001" of `{learning_rate: 0,001}`.
bool is_decimal_comma(std::string_view whole, std::string_view fraction) {
  constexpr std::string_view kDigits = "0123456789";
  if (whole.starts_with('-')) whole.remove_prefix(1);
  const auto rest = fraction.find_first_not_of(kDigits);
  const bool has_exponent =
      rest != fraction.npos && rest > 0 && (fraction[rest] == 'e' || fraction[rest] == 'E');
  return !whole.empty() && !fraction.empty() && whole.find_first_not_of(kDigits) == whole.npos &&
         (rest == fraction.npos || has_exponent);
}

bool is_written_null(std::string_view written) {
  return written.starts_with('~') || written.starts_with("null") || written.starts_with("Null") ||
         written.starts_with("NULL");
}

}  // namespace

std::size_t TreeBuilder::offset_of(const YAML::Mark& mark) const {
  return std::min(offset_ + static_cast<std::size_t>(std::max(mark.pos, 0)), source_->text.size());
}

Place TreeBuilder::place(const YAML::Mark& mark, int length) const {
  return place_at(source_, offset_of(mark), length);
}

std::string_view TreeBuilder::text_at(const YAML::Mark& mark) const {
  const auto offset = offset_of(mark);
  const SourceLine line = line_at(*source_, offset);
  const std::string_view rest = line.text.substr(std::min(offset - line.start, line.text.size()));
  return rest.substr(anchor_length(rest));
}

void TreeBuilder::report(const Place& at, std::string message, std::string hint) {
  errors_.push_back(config_error(at, std::move(message), std::move(hint)));
  if (errors_.size() >= kMaxErrors) throw Stop{config_error(at, "too many errors", "the rest is not shown")};
}

void TreeBuilder::count_nodes(std::size_t more, const Place& at) {
  nodes_ += more;
  if (nodes_ <= kMaxConfigNodes) return;
  throw Stop{config_error(
      at, "more than " + std::to_string(kMaxConfigNodes) + " values, counting those that aliases repeat",
      "write a smaller file")};
}

bool TreeBuilder::check_tag(const std::string& tag, const Place& at) {
  if (tag.empty() || tag == "?" || tag == "!") return true;
  report(at, "tags are not supported", "remove the '!...' before the value");
  return false;
}

std::optional<Place> TreeBuilder::open_bracket(char bracket) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const Place& at = frame->node.place;
    const std::string line = at.mark().text;  // may end before the column: long lines are cut
    const auto column = static_cast<std::size_t>(at.column) - 1;
    if (column < line.size() && line[column] == bracket) return at;
  }
  return std::nullopt;
}

// The parser reads ahead: brackets that may begin a key are told as late as their end.
std::optional<TreeBuilder::Bracket> TreeBuilder::bracket_closed_at(const YAML::Mark& mark) const {
  const std::string_view text = source_->text;
  const std::size_t end = offset_of(mark);
  const char opening = end < text.size() && text[end] == '}' ? '[' : '{';
  const std::size_t begin = std::min(newest_, end);
  const auto unseen = find_last_open_bracket(text.substr(begin, end - begin));
  if (unseen && text[begin + *unseen] != opening) return std::nullopt;
  const auto at = unseen ? std::optional(place_at(source_, begin + *unseen)) : open_bracket(opening);
  if (!at) return std::nullopt;
  return Bracket{opening, *at};
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 1) return;
  throw Stop{config_error(place(mark), "a second document begins here", "keep one document in a file")};
}

void TreeBuilder::report_missing_value(const Frame& frame, const YAML::Mark& mark) {
  if (frame.node.kind != ConfigNode::Kind::map)
    return report(place(mark), "this list item has no value", "write a value, or null for the default");
  const auto* before = frame.node.entries.empty() ? nullptr : &frame.node.entries.back().value;
  if (before != nullptr && is_decimal_comma(before->scalar, frame.key)) {
    return report(frame.key_place,
                  "the comma in '" + before->scalar + "," + frame.key + "' separates two entries",
                  "write a decimal point: " + before->scalar + "." + frame.key);
  }
  report(frame.key_place, "'" + frame.key + "' has no value", "write a value, or null for the default");
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  newest_ = offset_of(mark);
  if (expects_key()) throw Stop{config_error(place(mark), "a key must be a text", "put the key in quotes")};
  const bool written = is_written_null(text_at(mark));
  if (!written && !frames_.empty()) report_missing_value(frames_.back(), mark);
  add({.kind = ConfigNode::Kind::null,
       .entries = {},
       .place = place(mark, written && text_at(mark).front() == '~' ? 1 : 4)},
      anchor);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  newest_ = offset_of(mark);
  if (expects_key()) throw Stop{config_error(place(mark), "a key must be a text", "write the key out")};
  const auto anchored = anchors_.find(anchor);
  if (anchored == anchors_.end()) {
    throw Stop{
        config_error(place(mark), "this alias is inside the value that it refers to", "write the value out")};
  }
  count_nodes(count(anchored->second), place(mark));
  if (exceeds(anchored->second, layout()))
    report(place(mark), "this alias refers to a text with a line break or a tab, which is not allowed here",
           std::string(kOneLine));
  add(anchored->second, 0);
}

void TreeBuilder::check_value(const Place& at, std::string_view written, ConfigNode::Quoting quoting,
                              const std::string& value) {
  const bool is_block = written.starts_with('|') || written.starts_with('>');
  if (quoting == ConfigNode::Quoting::plain && !written.starts_with(value)) {
    report(at, "a value without quotes continues on the next line",
           "write it on one line, or check the indentation");
  } else if (quoting == ConfigNode::Quoting::quoted && !is_block &&
             token_length(written, quoting, value) == 0) {
    report(at, "the quote is not closed on this line", "write the value on one line");
  } else if (const auto unwanted = without(value, layout()); unwanted.find('\n') != std::string::npos) {
    report(at, std::string(kLineBreak), std::string(kOneLine));
  } else if (has_control_character(unwanted)) {
    report(at, "a control character in a value", "remove it");
  }
}

std::string TreeBuilder::path() const {
  std::string path = path_;
  for (const Frame& frame : frames_) {
    if (frame.node.kind == ConfigNode::Kind::map) path += (path.empty() ? "" : ".") + frame.key;
  }
  return path;
}

std::string_view TreeBuilder::layout() const {
  if (texts_.empty() || expects_key()) return {};
  const auto text = std::ranges::find(texts_, path(), &TextKey::path);
  return text == texts_.end() ? std::string_view() : text->layout;
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  newest_ = offset_of(mark);
  const std::string_view written = text_at(mark);
  const bool quoted = written.starts_with('"') || written.starts_with('\'') || written.starts_with('|') ||
                      written.starts_with('>');
  const auto quoting = quoted ? ConfigNode::Quoting::quoted : ConfigNode::Quoting::plain;
  const std::size_t length = quoted ? token_length(written, quoting, value) : value.size();
  const Place at = place(
      mark, static_cast<int>(std::clamp<std::size_t>(length, 1, std::max<std::size_t>(written.size(), 1))));
  if (check_tag(tag, at)) check_value(at, written, quoting, value);
  if (expects_key()) return set_key(at, value);
  add({.kind = ConfigNode::Kind::scalar, .scalar = value, .quoting = quoting, .entries = {}, .place = at},
      anchor);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  open(ConfigNode::Kind::sequence, mark, tag, anchor);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  open(ConfigNode::Kind::map, mark, tag, anchor);
}

void TreeBuilder::open(ConfigNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor) {
  const Place at = place(mark);
  if (expects_key()) {
    throw Stop{config_error(at, "a list or map stands where a key is expected, or a bracket is not closed",
                            "close the bracket, or quote the text")};
  }
  if (frames_.size() >= static_cast<std::size_t>(kMaxConfigDepth)) {
    throw Stop{nested_too_deeply(at)};
  }
  check_tag(tag, at);
  frames_.push_back({.node = {.kind = kind, .entries = {}, .place = at},
                     .anchor = anchor,
                     .expects_key = kind == ConfigNode::Kind::map});
}

void TreeBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  add(std::move(frame.node), frame.anchor);
}

void TreeBuilder::set_key(const Place& at, const std::string& key) {
  Frame& frame = frames_.back();
  const auto [first, is_new] = frame.key_lines.emplace(key, at.line);
  if (!is_new) {
    report(at, "the key '" + key + "' appears twice",
           "the first is on line " + std::to_string(first->second));
  } else if (key == "<<") {
    report(at, "merge keys are not supported", "use include, or write the keys out");
  }
  frame.key = key;
  frame.key_place = at;
  frame.key_is_duplicate = !is_new;
  frame.expects_key = false;
}

void TreeBuilder::add(ConfigNode node, YAML::anchor_t anchor) {
  count_nodes(1, node.place);
  if (anchor != 0) {
    count_nodes(count(node), node.place);
    anchors_[anchor] = node;
  }
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.node.kind == ConfigNode::Kind::sequence) {
    frame.node.items.push_back(std::move(node));
    return;
  }
  if (!frame.key_is_duplicate) {
    frame.node.entries.push_back({std::move(frame.key), frame.key_place, std::move(node)});
  }
  frame.expects_key = true;
}

}  // namespace ddp
