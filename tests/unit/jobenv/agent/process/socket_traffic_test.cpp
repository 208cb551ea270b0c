#include "jobenv/agent/process/socket_traffic.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {
namespace {

TEST(SocketTraffic, CountsWhatTheConnectionsOfAProcessHaveCarried) {
  const FileDescriptor listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const FileDescriptor client(socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  const FileDescriptor server(accept(listener.get(), nullptr, nullptr));

  const auto before = load_traffic(process_tree(getpid()));
  constexpr std::size_t kBytes = 100'000;
  std::vector<char> bytes(kBytes);
  ASSERT_EQ(write_all(client.get(), {bytes.data(), bytes.size()}), 0);
  ASSERT_EQ(read_up_to(server.get(), bytes.data(), kBytes), static_cast<std::ptrdiff_t>(kBytes));
  EXPECT_GE(load_traffic(process_tree(getpid())) - before, kBytes)
      << "received; the sender may wait for its ack";
}

TEST(SocketTraffic, OfAProcessThatIsGoneIsNone) {
  EXPECT_EQ(load_traffic(process_tree(1 << 22)), 0U);
}

}  // namespace
}  // namespace ddp::agent
