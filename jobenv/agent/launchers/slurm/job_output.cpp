#include "jobenv/agent/launchers/slurm/job_output.hpp"

#include <algorithm>

#include "jobenv/record/files/file_tail.hpp"

namespace ddp::agent {
namespace {

std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

JobOutput::JobOutput(std::filesystem::path file) : file_(std::move(file)), begin_(size_of(file_)) {}

std::string JobOutput::load(std::uintmax_t most) const {
  const std::uintmax_t size = size_of(file_);
  return size <= begin_ ? std::string() : load_tail(file_, std::min(size - begin_, most));
}

}  // namespace ddp::agent
