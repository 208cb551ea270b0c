#pragma once

#include <openssl/sha.h>

#include <string>
#include <string_view>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// The SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// What a descriptor has up to the end of its file. Whether it could be read.
  [[nodiscard]] bool add_rest_of(const FileDescriptor& file);
  /// Of all that was added, in hex. Nothing may be added after it.
  [[nodiscard]] std::string finish();

 private:
  SHA256_CTX state_;
};

}  // namespace ddp::agent
