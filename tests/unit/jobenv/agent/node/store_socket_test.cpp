#include "jobenv/agent/node/store_socket.hpp"

#include <gtest/gtest.h>

#include "jobenv/agent/connection/socket_address.hpp"

namespace ddp::agent {
namespace {

enum class Reuse { no, yes };

/// Whether a program can bind the port of `store` and listen there.
bool can_take(const StoreSocket& store, Reuse reuse) {
  const auto address = SocketAddress::parse("127.0.0.1", store.port);
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (reuse == Reuse::yes) setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return bind(socket.get(), address->data(), address->size()) == 0 && listen(socket.get(), 1) == 0;
}

bool can_connect(const StoreSocket& store) {
  const auto address = SocketAddress::parse("127.0.0.1", store.port);
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(socket.get(), address->data(), address->size()) == 0;
}

TEST(StoreSocket, OfATrainerListens) {
  const auto store = bind_store_socket("127.0.0.1", ProgramKind::trainer);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_GT(store->port, 0);
  EXPECT_TRUE(can_connect(*store));
}

TEST(StoreSocket, OfACommandKeepsThePortForAProgramThatSetsReuse) {
  const auto store = bind_store_socket("127.0.0.1", ProgramKind::command);
  ASSERT_TRUE(store);
  EXPECT_FALSE(can_connect(*store));
  EXPECT_FALSE(can_take(*store, Reuse::no));
  EXPECT_TRUE(can_take(*store, Reuse::yes));
}

TEST(StoreSocket, NeedsAnAddressOfThisHost) {
  EXPECT_FALSE(bind_store_socket("192.0.2.1", ProgramKind::trainer));
  EXPECT_FALSE(bind_store_socket("localhost", ProgramKind::trainer));
}

}  // namespace
}  // namespace ddp::agent
