#include "jobenv/agent/connection/nonce.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>

namespace ddp::agent {

Expected<std::string> make_nonce() {
  constexpr std::size_t kBytes = 16;
  std::array<unsigned char, kBytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(kBytes)) {
    return fail_errno(ExitCode::run_failed, "cannot get random numbers", errno);
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace ddp::agent
