#include "cli/launchers/ssh/connection/libssh_api.hpp"

#include <dlfcn.h>

#include <string>

namespace ddp::cli {
namespace {

constexpr const char* kLibrary = "libssh.so.4";

template <class Function>
void find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && missing.empty()) missing = name;
}

Expected<LibSsh> load() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ExitCode::preflight_failed, std::string("launcher 'ssh' needs libssh: ") + dlerror(),
                "install it: apt-get install libssh-4");
  }
  LibSsh functions;
  std::string missing;
#define DDP_FIND(name) find(library, #name, functions.name, missing);
  DDP_LIBSSH_FUNCTIONS(DDP_FIND)
#undef DDP_FIND
  if (missing.empty()) return functions;
  return fail(ExitCode::preflight_failed, std::string(kLibrary) + " has no function " + missing,
              "libssh 0.10 or later is needed");
}

}  // namespace

Expected<const LibSsh*> load_libssh() {
  static const Expected<LibSsh> functions = load();
  if (!functions) return tl::unexpected(functions.error());
  return &*functions;
}

std::string base64_of(const LibSsh& library, ssh_key key) {
  char* text = nullptr;
  if (key == nullptr || library.ssh_pki_export_pubkey_base64(key, &text) != SSH_OK) return {};
  std::string base64 = text;
  library.ssh_string_free_char(text);
  return base64;
}

}  // namespace ddp::cli
