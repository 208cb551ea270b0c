#include "cli/store/run_id.hpp"

#include <fmt/format.h>

#include <random>

namespace ddp::cli {
namespace {

// Lower-case letters and digits without i, l, o and u, which are misread.
constexpr char kDigits[] = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr int kCharacters = 4;

std::string render_base32(std::uint64_t value) {
  std::string text(kCharacters, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value /= 32) *digit = kDigits[value % 32];
  return text;
}

}  // namespace

std::string make_run_id(const std::string& name, std::chrono::system_clock::time_point now,
                        std::uint32_t random) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return name + "-" + render_base32(static_cast<std::uint64_t>(seconds)) + render_base32(random);
}

std::string name_in_run_id(const std::string& run_id) {
  constexpr std::size_t kEnd = 1 + 2 * kCharacters;  // of the id behind the name
  const bool has_name = run_id.size() > kEnd && run_id[run_id.size() - kEnd] == '-';
  return has_name ? run_id.substr(0, run_id.size() - kEnd) : run_id;
}

std::string make_token(std::uint64_t random) {
  return fmt::format("{:016x}", random);
}

std::uint64_t random_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace ddp::cli
