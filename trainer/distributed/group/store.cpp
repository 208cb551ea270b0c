#include "trainer/distributed/group/store.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <stdexcept>
#include <string>

/// Stands before the C library's for the whole process, LibTorch included. c10d asks for the name of each
/// address that it connects to, only to have it for its messages: without an answer of the name server each
/// rank would wait for ten seconds, and a thousand ranks that ask at once do not get one. So messages show
/// addresses. Who insists on a name (NI_NAMEREQD) gets it.
extern "C" int getnameinfo(const sockaddr* address, socklen_t length, char* host, socklen_t host_length,
                           char* service, socklen_t service_length, int flags) {
  static const auto next = reinterpret_cast<decltype(&getnameinfo)>(dlsym(RTLD_NEXT, "getnameinfo"));
  if ((flags & NI_NAMEREQD) == 0) flags |= NI_NUMERICHOST;
  return next(address, length, host, host_length, service, service_length, flags);
}

namespace ddp::trainer {
namespace {

constexpr const char* kNonceKey = "nonce";
// Rank 0 sets the nonce right after it has begun to serve: who waits longer has met another job's store.
constexpr std::chrono::milliseconds kNonceWait = std::chrono::seconds(30);

std::string address_of(const JobEnvironment& job) {
  return job.master_address + ":" + std::to_string(job.master_port);
}

c10d::TCPStoreOptions store_options(const JobEnvironment& job, const ProcessGroupOptions& options) {
  c10d::TCPStoreOptions store;
  store.port = static_cast<std::uint16_t>(job.master_port);
  store.isServer = job.rank == 0;
  store.numWorkers = static_cast<std::size_t>(job.world_size);
  store.waitWorkers = false;
  store.timeout = options.timeout;
  if (store.isServer) store.masterListenFd = options.store_descriptor;
  return store;
}

std::string read_nonce(c10d::Store& store, const JobEnvironment& job) {
  try {
    store.wait({kNonceKey}, kNonceWait);
  } catch (const c10::DistStoreError&) {
    throw std::runtime_error("the store at " + address_of(job) +
                             " does not know this run: it belongs to another job");
  }
  const auto bytes = store.get(kNonceKey);
  return {bytes.begin(), bytes.end()};
}

void agree_on_nonce(c10d::Store& store, const JobEnvironment& job) {
  if (job.nonce.empty()) return;
  if (job.rank == 0) {
    store.set(kNonceKey, std::vector<std::uint8_t>(job.nonce.begin(), job.nonce.end()));
  } else if (read_nonce(store, job) != job.nonce) {
    throw std::runtime_error("the store at " + address_of(job) +
                             " belongs to another run: another job has taken its port");
  }
}

}  // namespace

c10::intrusive_ptr<c10d::Store> connect_store(const JobEnvironment& job, const ProcessGroupOptions& options) {
  if (job.world_size == 1) return c10::make_intrusive<c10d::HashStore>();
  if (job.master_port == 0) {
    throw std::invalid_argument(
        "a job of " + std::to_string(job.world_size) +
        " ranks needs the address and port of its store; set MASTER_ADDR and MASTER_PORT");
  }
  auto store = c10::make_intrusive<c10d::TCPStore>(job.master_address, store_options(job, options));
  agree_on_nonce(*store, job);
  return c10::make_intrusive<c10d::PrefixStore>("attempt-" + std::to_string(job.attempt), store);
}

}  // namespace ddp::trainer
