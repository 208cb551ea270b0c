#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobenv/agent/process/mapped_file.hpp"
#include "jobenv/agent/protocol/mpi_flavour.hpp"

namespace ddp::agent {

struct MpiLibrary {
  MpiFlavour flavour = MpiFlavour::mpich;
  std::string path;
};

/// The MPI library among the files that a process has mapped. A program that is linked statically has none.
[[nodiscard]] std::optional<MpiLibrary> find_mpi_library(const std::vector<MappedFile>& files);

/// Whether a process with these variables ("NAME=value", a zero byte after each) has a process manager that
/// libraries of this flavour know.
[[nodiscard]] bool has_process_manager(const std::string& environment, MpiFlavour flavour);

}  // namespace ddp::agent
