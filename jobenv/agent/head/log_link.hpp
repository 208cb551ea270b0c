#pragma once

#include <filesystem>

#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// Makes `link` a symbolic link to `log`, with the folders above it. It takes the place of another link, and
/// of nothing else: a file that is there is an error.
[[nodiscard]] Expected<void> save_link(const std::filesystem::path& link, const std::filesystem::path& log);

/// The link to stderr beside that to stdout: "job-7.err" of "job-7.out", "job.out7.err" of "job.out7". Pure.
[[nodiscard]] std::filesystem::path link_of_stderr(std::filesystem::path link);

}  // namespace ddp::agent
