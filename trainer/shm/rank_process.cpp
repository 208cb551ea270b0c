#include "trainer/shm/rank_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

#include "jobenv/record/process_identity.hpp"

namespace ddp::trainer {

RankProcess::RankProcess(std::int64_t number) : number_(number) {
  const std::string folder = "/proc/" + std::to_string(number);
  folder_ = FileDescriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  was_gone_ = !folder_.is_open() && errno == ENOENT;
}

bool RankProcess::has_ended() const {
  if (!folder_.is_open()) return was_gone_;
  const FileDescriptor file(openat(folder_.get(), "stat", O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return errno == ENOENT || errno == ESRCH;
  std::array<char, 1024> stat{};
  const auto size = read_up_to(file.get(), stat.data(), stat.size());
  if (size < 0) return errno == ESRCH;
  return !parse_process_stat({stat.data(), static_cast<std::size_t>(size)});
}

std::int64_t own_process_number() {
  return std::stoll(std::filesystem::read_symlink("/proc/self").string());
}

}  // namespace ddp::trainer
