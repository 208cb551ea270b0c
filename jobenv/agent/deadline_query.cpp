#include "jobenv/agent/deadline_query.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>

#include "jobenv/agent/child_program.hpp"
#include "jobenv/agent/slurm_job.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kLongestAnswer = 256;

}  // namespace

DeadlineQuery::DeadlineQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id,
                             OnAnswer on_answer)
    : loop_(loop), on_answer_(std::move(on_answer)) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  pipe_ = FileDescriptor(ends[0]);
  const FileDescriptor squeues_end(ends[1]);
  EnvMap env = environment;
  env.remove_if([](std::string_view name) { return name.starts_with("SQUEUE_"); });
  const auto pid = spawn({{"squeue", "-h", "-j", job_id, "-o", "%e"}, env, squeues_end.get(), std::nullopt});
  if (!pid) return;
  squeue_ = *pid;
  loop_.on_exit_of(squeue_, [this](int) { squeue_ = -1; });
  const auto watch = loop_.watch(pipe_.get(), EPOLLIN, [this](std::uint32_t) { read_answer(); });
  if (watch) watch_ = *watch;
}

DeadlineQuery::~DeadlineQuery() {
  loop_.forget(watch_);
  if (squeue_ > 0) loop_.forget_child(squeue_);
}

void DeadlineQuery::read_answer() {
  std::array<char, kLongestAnswer> buffer{};
  const ssize_t size = read(pipe_.get(), buffer.data(), buffer.size());
  if (size > 0 && answer_.size() < kLongestAnswer) {
    answer_.append(buffer.data(), static_cast<std::size_t>(size));
    return;
  }
  loop_.forget(watch_);
  if (const auto deadline = parse_squeue_time(answer_)) on_answer_(*deadline);
}

}  // namespace ddp::agent
