#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

/// Where the program of `train:` lies. `own_folder` is that of ddpsubmit.
namespace ddp::cli {

/// The path of the trainer that `program` means: beside ddpsubmit, else the one that is installed for `torch`
/// ("2.11.0"; empty: any), else in PATH; one with a slash starts in `work_dir`. It need not exist.
[[nodiscard]] std::string locate_trainer(const std::string& program, const std::filesystem::path& own_folder,
                                         const std::filesystem::path& work_dir, const EnvMap& environment,
                                         const std::string& torch = {});

/// The versions of torch that `program` is installed for, in ascending order: "2.11.0".
[[nodiscard]] std::vector<std::string> trainer_versions(const std::filesystem::path& own_folder,
                                                        const std::string& program);

/// The folder of what is installed for `torch`.
[[nodiscard]] std::filesystem::path trainer_folder(const std::filesystem::path& own_folder,
                                                   const std::string& torch);

/// The version of torch that an installed trainer is for, by its folder: "2.11.0". Empty: it lies elsewhere.
[[nodiscard]] std::string torch_of_trainer(const std::filesystem::path& trainer);

}  // namespace ddp::cli
