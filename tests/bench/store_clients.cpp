// The rendezvous of many ranks on one machine, a thread each: store_clients N prints the milliseconds.
//
// Each connects to the store and compares the nonce, as ddptrain does, tells its address, and waits until all
// have told theirs. The connections of the process group, which each rank makes to each other one, are not in
// it.

#include <c10/util/intrusive_ptr.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "trainer/distributed/group/store.hpp"

namespace ddp::trainer {
namespace {

constexpr auto kTimeout = std::chrono::minutes(5);

struct StoreSocket {
  int descriptor;
  int port;
};

// As the agent of rank 0 makes it before any rank starts.
StoreSocket listen_on_loopback() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(descriptor, any, size) != 0 || listen(descriptor, SOMAXCONN) != 0 ||
      getsockname(descriptor, any, &size) != 0)
    throw std::runtime_error("cannot listen on the loopback");
  return {descriptor, ntohs(address.sin_port)};
}

JobEnvironment job_of(int rank, int ranks, int port) {
  JobEnvironment job;
  job.rank = rank;
  job.world_size = ranks;
  job.master_port = port;
  job.nonce = "0123456789abcdef";
  return job;
}

void meet(const JobEnvironment& job, const ProcessGroupOptions& options) {
  const auto store = connect_store(job, options);
  store->set("address-" + std::to_string(job.rank), std::vector<std::uint8_t>(16));
  if (store->add("told", 1) == job.world_size) store->set("all", std::vector<std::uint8_t>(1));
  store->wait({"all"}, kTimeout);
  // The server lives as long as somebody asks it.
  if (store->add("gone", 1) == job.world_size) store->set("over", std::vector<std::uint8_t>(1));
  if (job.rank == 0) store->wait({"over"}, kTimeout);
}

double milliseconds_of(int ranks) {
  const StoreSocket socket = listen_on_loopback();
  const ProcessGroupOptions options{.timeout = kTimeout, .store_descriptor = socket.descriptor};
  const auto began = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { meet(job_of(rank, ranks, socket.port), options); });
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace
}  // namespace ddp::trainer

int main(int argc, char** argv) {
  const int ranks = argc == 2 ? std::atoi(argv[1]) : 0;
  if (ranks < 2) {
    std::fprintf(stderr, "usage: store_clients N, of 2 or more\n");
    return 2;
  }
  std::printf("%.3f\n", ddp::trainer::milliseconds_of(ranks));
}
