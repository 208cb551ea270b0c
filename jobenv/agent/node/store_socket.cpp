#include "jobenv/agent/node/store_socket.hpp"

#include <cerrno>

#include "jobenv/agent/connection/socket_address.hpp"

namespace ddp::agent {

Expected<StoreSocket> bind_store_socket(const std::string& address, ProgramKind program) {
  const auto target = SocketAddress::parse(address, 0);
  if (!target) return tl::unexpected(target.error());
  const auto failed = [&](const char* verb) {
    return fail_errno(ExitCode::run_failed,
                      std::string("cannot ") + verb + " a port of " + address + " for the store", errno);
  };
  StoreSocket store{FileDescriptor(socket(target->family(), SOCK_STREAM | SOCK_CLOEXEC, 0))};
  const int number = store.descriptor.get();
  if (!store.descriptor.is_open() || bind(number, target->data(), target->size()) != 0) return failed("bind");
  const int on = 1;
  setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (program == ProgramKind::trainer && listen(number, SOMAXCONN) != 0) return failed("listen on");
  const auto bound = SocketAddress::local_end(number);
  if (!bound) return failed("read");
  store.port = bound->port();
  return store;
}

}  // namespace ddp::agent
