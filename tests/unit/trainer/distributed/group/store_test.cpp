#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <array>
#include <string>

#include "trainer/distributed/group/store.hpp"

namespace ddp::trainer {
namespace {

// What c10d asks for each address that it connects to.
std::string name_of_loopback(int flags) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::array<char, NI_MAXHOST> host{};
  const int error = getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof(address), host.data(),
                                host.size(), nullptr, 0, flags);
  return error == 0 ? host.data() : gai_strerror(error);
}

TEST(Store, AsksNoNameServerForTheNamesOfItsPeers) {
  EXPECT_EQ(name_of_loopback(NI_NUMERICSERV), "127.0.0.1");
}

TEST(Store, LeavesNamesToWhoInsistsOnThem) {
  EXPECT_NE(name_of_loopback(NI_NAMEREQD), "127.0.0.1");
}

TEST(Store, OfOneRankNeedsNoAddress) {
  const auto store = connect_store({}, {});
  store->set("key", std::vector<std::uint8_t>{7});
  EXPECT_EQ(store->get("key"), std::vector<std::uint8_t>{7});
}

}  // namespace
}  // namespace ddp::trainer
