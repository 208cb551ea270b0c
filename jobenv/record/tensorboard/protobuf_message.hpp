#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace ddp::tensorboard {

/// The bytes of one message of Protocol Buffers, field by field, in the order of the calls. Only the parts of
/// the encoding that event files need: each field is a key (its number, and how its value is stored), then
/// the value; numbers are little-endian, or variable in length with seven bits per byte; texts and messages
/// within a message have their length before them.
class ProtobufMessage {
 public:
  ProtobufMessage& integer(unsigned field, std::uint64_t value) {
    key(field, Stored::variable);
    variable(value);
    return *this;
  }
  ProtobufMessage& number(unsigned field, double value) {
    key(field, Stored::eight_bytes);
    little_endian(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  ProtobufMessage& single_precision(unsigned field, float value) {
    key(field, Stored::four_bytes);
    little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  ProtobufMessage& text(unsigned field, std::string_view value) {
    key(field, Stored::with_length);
    variable(value.size());
    bytes_.append(value);
    return *this;
  }
  ProtobufMessage& message(unsigned field, const ProtobufMessage& value) { return text(field, value.bytes_); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  enum class Stored : std::uint8_t { variable = 0, eight_bytes = 1, with_length = 2, four_bytes = 5 };

  void key(unsigned field, Stored stored) {
    variable(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(stored));
  }
  void variable(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void little_endian(std::unsigned_integral auto value) {
    for (std::size_t i = 0; i < sizeof value; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
  }

  std::string bytes_;
};

}  // namespace ddp::tensorboard
