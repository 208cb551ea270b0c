#include "trainer/checkpoint/checkpoint_name.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace ddp::trainer {
namespace {

const char* suffix_of(CheckpointName::Kind kind) {
  switch (kind) {
    case CheckpointName::Kind::removed:
      return ".removed";
    case CheckpointName::Kind::incomplete:
      return ".incomplete";
    case CheckpointName::Kind::replaced:
      return ".replaced";
    case CheckpointName::Kind::committed:
      break;
  }
  return "";
}

}  // namespace

std::string render_checkpoint_name(const CheckpointName& name) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "step-%08" PRIu64 "-a%d%s", name.step, name.attempt,
                suffix_of(name.kind));
  return text.data();
}

std::optional<CheckpointName> parse_checkpoint_name(const std::string& text) {
  CheckpointName name;
  if (std::sscanf(text.c_str(), "step-%20" SCNu64 "-a%9d", &name.step, &name.attempt) != 2)
    return std::nullopt;
  for (const auto kind : {CheckpointName::Kind::committed, CheckpointName::Kind::replaced,
                          CheckpointName::Kind::incomplete, CheckpointName::Kind::removed}) {
    name.kind = kind;
    if (render_checkpoint_name(name) == text) return name;
  }
  return std::nullopt;
}

}  // namespace ddp::trainer
