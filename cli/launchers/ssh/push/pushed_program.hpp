#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/launchers/ssh/connection/remote_agent.hpp"
#include "cli/launchers/ssh/push/pushed_contents.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// The libraries that the loader's list names: "libc10.so => /opt/lib/libc10.so (0x…)". Not those of the C
/// library. Pure.
[[nodiscard]] std::vector<std::filesystem::path> parse_libraries(const std::string& list);

/// Whether all that the loader's list says of versions is content with the C++ library of g++ 8, which hosts
/// have since 2018: "libstdc++.so.6 (GLIBCXX_3.4.22) => …". What libstdc++ and libgcc_s need themselves does
/// not count. Pure.
[[nodiscard]] bool fits_older_cxx_library(const std::string& list);

/// The newest version of the C library that the files of the loader's list ask for: "2.34"; empty: of none.
/// Those that a host has of its own do not count: glibc's, and the C++ library where an older one will do.
/// Pure.
[[nodiscard]] std::string needed_c_library(const std::string& list);

/// Whether version `a` is older than `b`: "2.9" than "2.34".
[[nodiscard]] bool is_older_version(const std::string& a, const std::string& b);

/// Where ranks on a host look for libraries of the program in `folder`. lib/spare is for hosts that have no
/// C++ library of their own.
[[nodiscard]] std::string library_folders(const std::string& folder);

/// A trainer and the libraries that it needs besides those of the C library, which every host has: the
/// trainer first; libraries in lib/, or in lib/spare/. `environment`: that in which the trainer finds its
/// libraries here. `user`: whose cache of hashes it is.
[[nodiscard]] Expected<PushedContents> collect_program(const std::filesystem::path& trainer,
                                                       const EnvMap& environment, const EnvMap& user,
                                                       CommandRunner& runner);
/// The Python package of ddpsubmit, which `import ddpsubmit` finds in the folder of these files. None where
/// this installation lacks it. `programs`: the folder of ddp-agent.
[[nodiscard]] Expected<PushedContents> collect_python_package(const std::filesystem::path& programs,
                                                              const EnvMap& user, CommandRunner& runner);
[[nodiscard]] Expected<PushedAgent> collect_agent(const std::filesystem::path& agent,
                                                  const std::string& folder, const EnvMap& environment,
                                                  CommandRunner& runner);

}  // namespace ddp::cli
