#pragma once

#include <sys/types.h>

#include <string>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// What connections to head's port say that know nothing of the run.
enum class Stranger { idle, half_a_nonce, garbage, slow };
/// Whether they stay as they are, or each is closed and made anew again and again, without a pause.
enum class Insistence { stays, reconnects };

/// A thousand connections to head, from a process of their own. It ends with this object, and by itself after
/// a minute, or a hundred thousand connections.
class Strangers {
 public:
  Strangers(const std::string& endpoint, Stranger kind, Insistence insistence);
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;
  ~Strangers();

  /// Whether all have connected. Does not wait for it.
  [[nodiscard]] bool are_there();

 private:
  pid_t pid_ = -1;
  FileDescriptor word_;
  bool there_ = false;
};

}  // namespace ddp::agent
