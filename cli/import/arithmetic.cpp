#include "cli/import/arithmetic.hpp"

#include <algorithm>

#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

using Number = std::optional<std::int64_t>;

class ArithmeticReader {
 public:
  ArithmeticReader(std::string_view text, const std::function<Number(const std::string&)>& value_of)
      : text_(text), value_of_(value_of) {}

  Number read() {
    const auto value = read_sum();
    return next() == '\0' ? value : std::nullopt;
  }

 private:
  char next() {
    const auto blanks = std::min(text_.find_first_not_of(" \t\n"), text_.size());
    text_.remove_prefix(blanks);
    return text_.empty() ? '\0' : text_.front();
  }

  Number read_sum() {
    auto value = read_product();
    while (value && (next() == '+' || next() == '-')) {
      const char sign = next();
      text_.remove_prefix(1);
      const auto other = read_product();
      if (!other) return std::nullopt;
      value = sign == '+' ? *value + *other : *value - *other;
    }
    return value;
  }

  Number read_product() {
    auto value = read_factor();
    while (value && (next() == '*' || next() == '/' || next() == '%')) {
      const char sign = next();
      text_.remove_prefix(1);
      const auto other = read_factor();
      if (!other || (sign != '*' && *other == 0)) return std::nullopt;
      value = sign == '*' ? *value * *other : sign == '/' ? *value / *other : *value % *other;
    }
    return value;
  }

  Number read_factor() {
    if (next() == '-') {
      text_.remove_prefix(1);
      const auto value = read_factor();
      return value ? Number(-*value) : std::nullopt;
    }
    if (next() == '(') {
      text_.remove_prefix(1);
      const auto value = read_sum();
      if (next() != ')') return std::nullopt;
      text_.remove_prefix(1);
      return value;
    }
    return read_operand();
  }

  /// A number, NAME, $NAME or ${NAME}.
  Number read_operand() {
    (void)next();
    const bool is_braced = text_.starts_with("${");
    if (text_.starts_with('$')) text_.remove_prefix(is_braced ? 2 : 1);
    const auto length = is_braced ? text_.find('}') : text_.find_first_of(" \t\n+-*/%()<>=!&|?:,^~");
    const std::string word(text_.substr(0, length));
    text_.remove_prefix(std::min(text_.size(), word.size() + (is_braced ? 1 : 0)));
    if (word.empty()) return std::nullopt;
    return word[0] >= '0' && word[0] <= '9' ? parse_whole_number(word) : value_of_(word);
  }

  std::string_view text_;
  const std::function<Number(const std::string&)>& value_of_;
};

}  // namespace

std::optional<std::int64_t> evaluate_arithmetic(
    std::string_view expression,
    const std::function<std::optional<std::int64_t>(const std::string&)>& value_of) {
  return ArithmeticReader(expression, value_of).read();
}

}  // namespace ddp::cli
