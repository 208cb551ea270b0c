#include "jobenv/agent/process/socket_traffic.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {
namespace {

constexpr std::uint32_t kAllStates = ~0U;

/// The number in `text` behind `prefix`, such as 12345 in "socket:[12345]"; false: there is none.
template <class Number>
bool parse_behind(std::string_view prefix, std::string_view text, Number& number) {
  if (!text.starts_with(prefix)) return false;
  return std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number).ec == std::errc();
}

struct DumpRequest {
  nlmsghdr header{};
  inet_diag_req_v2 wanted{};
};

bool ask_for_all(int netlink, int family) {
  DumpRequest request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.wanted.sdiag_family = static_cast<__u8>(family);
  request.wanted.sdiag_protocol = IPPROTO_TCP;
  request.wanted.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  request.wanted.idiag_states = kAllStates;
  return send(netlink, &request, sizeof request, 0) == sizeof request;
}

/// Kernels append fields to tcp_info: of an old one those may be missing.
std::uint64_t traffic_of(const rtattr* attribute) {
  if (RTA_PAYLOAD(attribute) < offsetof(tcp_info, tcpi_bytes_received) + sizeof(__u64)) return 0;
  tcp_info info{};
  std::memcpy(&info, RTA_DATA(attribute), std::min<std::size_t>(sizeof info, RTA_PAYLOAD(attribute)));
  return info.tcpi_bytes_acked + info.tcpi_bytes_received;
}

std::uint64_t traffic_of(const nlmsghdr* message, const std::set<std::uint32_t>& sockets) {
  const auto* socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(message));
  if (!sockets.contains(socket->idiag_inode)) return 0;
  auto size = static_cast<int>(message->nlmsg_len - NLMSG_LENGTH(sizeof *socket));
  std::uint64_t sum = 0;
  for (const auto* attribute = reinterpret_cast<const rtattr*>(socket + 1); RTA_OK(attribute, size);
       attribute = RTA_NEXT(attribute, size)) {
    if (attribute->rta_type == INET_DIAG_INFO) sum += traffic_of(attribute);
  }
  return sum;
}

/// Of those of the sockets that the answer names.
std::uint64_t read_traffic(int netlink, const std::set<std::uint32_t>& sockets) {
  std::uint64_t sum = 0;
  std::vector<char> buffer(1 << 15);
  while (true) {
    const auto received = recv(netlink, buffer.data(), buffer.size(), 0);
    if (received <= 0) return sum;
    auto size = static_cast<std::size_t>(received);
    for (const auto* message = reinterpret_cast<const nlmsghdr*>(buffer.data()); NLMSG_OK(message, size);
         message = NLMSG_NEXT(message, size)) {
      if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) return sum;
      sum += traffic_of(message, sockets);
    }
  }
}

}  // namespace

std::vector<OpenSocket> open_sockets(pid_t pid) {
  std::vector<OpenSocket> sockets;
  std::error_code error;
  std::filesystem::directory_iterator file("/proc/" + std::to_string(pid) + "/fd", error);
  for (const std::filesystem::directory_iterator end; !error && file != end; file.increment(error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(file->path(), gone).string();
    const std::string name = file->path().filename().string();
    OpenSocket socket;
    if (!gone && parse_behind("socket:[", target, socket.inode) && parse_behind("", name, socket.descriptor))
      sockets.push_back(socket);
  }
  return sockets;
}

std::uint64_t load_traffic(std::span<const pid_t> processes) {
  std::set<std::uint32_t> sockets;
  for (const pid_t pid : processes) {
    for (const OpenSocket& open : open_sockets(pid)) sockets.insert(open.inode);
  }
  if (sockets.empty()) return 0;
  const FileDescriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink.is_open()) return 0;
  const timeval patience{1, 0};  // some sandboxes never answer
  setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::uint64_t sum = 0;
  for (const int family : {AF_INET, AF_INET6}) {
    if (ask_for_all(netlink.get(), family)) sum += read_traffic(netlink.get(), sockets);
  }
  return sum;
}

}  // namespace ddp::agent
