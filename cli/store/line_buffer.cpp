#include "cli/store/line_buffer.hpp"

#include <utility>

namespace ddp::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 18;
constexpr char kRewrite = '\r';

/// Behind the last carriage return that text follows.
std::size_t begin_of_state(std::string_view text) {
  const auto last = text.find_last_not_of(kRewrite);
  const auto before = last == text.npos ? text.npos : text.rfind(kRewrite, last);
  return before == text.npos ? 0 : before + 1;
}

std::string_view last_state(std::string_view text) {
  text.remove_prefix(begin_of_state(text));
  return text.substr(0, text.find_last_not_of(kRewrite) + 1);
}

}  // namespace

void LineBuffer::append(std::string_view bytes, std::vector<std::string>& lines) {
  for (auto end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    text_ += bytes.substr(0, end);
    lines.push_back(take());
    bytes.remove_prefix(end + 1);
  }
  text_ += bytes;
  forget_earlier_states();
  if (text_.size() > kLongestLine) lines.push_back(take());
}

void LineBuffer::forget_earlier_states() {
  rewritten_ = rewritten_ || text_.find(kRewrite) != text_.npos;
  text_.erase(0, begin_of_state(text_));
}

bool LineBuffer::is_empty() const {
  return text_.empty() || (rewritten_ && text_.find_first_not_of(" \r") == text_.npos);
}

std::string LineBuffer::unfinished() const {
  return std::string(last_state(text_));
}

std::string LineBuffer::take() {
  auto line = unfinished();
  text_.clear();
  rewritten_ = false;
  return line;
}

}  // namespace ddp::cli
