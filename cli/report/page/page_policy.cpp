#include "cli/report/page/page_policy.hpp"

#include <fmt/format.h>

#include <charconv>

#include "cli/report/page/page_parts.hpp"
#include "jobenv/record/files/base64.hpp"

namespace ddp::cli {
namespace {

std::string render_hash(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return "'sha256-" + encode_base64(bytes) + "'";
}

}  // namespace

std::string page_policy() {
  return fmt::format("default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
                     render_hash(page_style().sha256), render_hash(page_script().sha256));
}

}  // namespace ddp::cli
