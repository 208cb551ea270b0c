#pragma once

#include <libssh/libssh.h>

#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// The functions of libssh that are used, loaded when the first ssh host is wanted: a `ddpsubmit` that needs
/// none starts without it, and on machines that lack it.
struct LibSsh {
// clang-format off
#define DDP_LIBSSH_FUNCTIONS(each) \
  each(ssh_new) \
  each(ssh_free) \
  each(ssh_connect) \
  each(ssh_disconnect) \
  each(ssh_get_error) \
  each(ssh_options_set) \
  each(ssh_string_free_char) \
  each(ssh_known_hosts_parse_line) \
  each(ssh_knownhosts_entry_free) \
  each(ssh_get_server_publickey) \
  each(ssh_key_free) \
  each(ssh_pki_export_pubkey_base64) \
  each(ssh_pki_export_privkey_to_pubkey) \
  each(ssh_pki_import_privkey_file) \
  each(ssh_pki_import_pubkey_file) \
  each(ssh_key_type) \
  each(ssh_key_type_to_char) \
  each(ssh_get_publickey_hash) \
  each(ssh_get_fingerprint_hash) \
  each(ssh_clean_pubkey_hash) \
  each(ssh_set_agent_socket) \
  each(ssh_userauth_agent) \
  each(ssh_userauth_list) \
  each(ssh_userauth_none) \
  each(ssh_userauth_publickey) \
  each(ssh_userauth_try_publickey) \
  each(ssh_channel_new) \
  each(ssh_channel_free) \
  each(ssh_channel_open_session) \
  each(ssh_channel_request_exec) \
  each(ssh_channel_write) \
  each(ssh_channel_read_timeout) \
  each(ssh_channel_is_eof)
// clang-format on
#define DDP_DECLARE(name) decltype(&::name) name = nullptr;
  DDP_LIBSSH_FUNCTIONS(DDP_DECLARE)
#undef DDP_DECLARE
};

/// Thread-safe. The error says what to install.
[[nodiscard]] Expected<const LibSsh*> load_libssh();

/// The public key, as files of keys have it. Empty for nullptr, and for a key that libssh cannot write.
[[nodiscard]] std::string base64_of(const LibSsh& library, ssh_key key);

}  // namespace ddp::cli
