// These functions alone bring none of OpenSSL's providers into a program that is copied to every host.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "jobenv/agent/launchers/ssh/service/sha256.hpp"

#include <array>

namespace ddp::agent {

Sha256::Sha256() {
  SHA256_Init(&state_);
}

void Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_, bytes.data(), bytes.size());
}

bool Sha256::add_rest_of(const FileDescriptor& file) {
  std::array<char, 65536> buffer{};
  while (true) {
    const auto size = read_up_to(file.get(), buffer.data(), buffer.size());
    if (size <= 0) return size == 0;
    add({buffer.data(), static_cast<std::size_t>(size)});
  }
}

std::string Sha256::finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &state_);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

}  // namespace ddp::agent
