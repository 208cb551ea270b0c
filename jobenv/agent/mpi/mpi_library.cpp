#include "jobenv/agent/mpi/mpi_library.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace ddp::agent {
namespace {

struct LibraryName {
  std::string_view start;  ///< of its file's name
  MpiFlavour flavour;
};

/// The first row that fits counts.
constexpr std::array kLibraryNames = {
    LibraryName{"libmpi_cray.so", MpiFlavour::cray},   LibraryName{"libmpi_gnu_", MpiFlavour::cray},
    LibraryName{"libmpi_nvidia.so", MpiFlavour::cray}, LibraryName{"libmpi.so.40", MpiFlavour::open_mpi},
    LibraryName{"libmpi.so.80", MpiFlavour::open_mpi}, LibraryName{"libmpi.so.12", MpiFlavour::mpich},
    LibraryName{"libmpi_abi.so", MpiFlavour::mpich},   LibraryName{"libmpich.so", MpiFlavour::mpich},
    LibraryName{"libmpich-", MpiFlavour::mpich},
};

struct ManagerVariable {
  std::string_view start;  ///< of its name
  MpiFlavour flavour;      ///< of the libraries that look for it
};

constexpr std::array kManagerVariables = {
    ManagerVariable{"PMI_FD=", MpiFlavour::mpich},
    ManagerVariable{"PMI_PORT=", MpiFlavour::mpich},
    ManagerVariable{"PMI2_", MpiFlavour::mpich},
    ManagerVariable{"PMIX_RANK=", MpiFlavour::mpich},
    ManagerVariable{"PALS_", MpiFlavour::mpich},
    ManagerVariable{"PMIX_RANK=", MpiFlavour::open_mpi},
    ManagerVariable{"PALS_", MpiFlavour::cray},
    ManagerVariable{"PMI_FD=", MpiFlavour::cray},
    ManagerVariable{"PMI_CONTROL_PORT=", MpiFlavour::cray},
};

}  // namespace

std::optional<MpiLibrary> find_mpi_library(const std::vector<MappedFile>& files) {
  for (const MappedFile& file : files) {
    const std::string name = std::filesystem::path(file.path).filename();
    const auto row = std::ranges::find_if(
        kLibraryNames, [&](const LibraryName& library) { return name.starts_with(library.start); });
    if (row != kLibraryNames.end()) return MpiLibrary{row->flavour, file.path};
  }
  return std::nullopt;
}

bool has_process_manager(const std::string& environment, MpiFlavour flavour) {
  const std::string text = '\0' + environment;
  return std::ranges::any_of(kManagerVariables, [&](const ManagerVariable& variable) {
    return variable.flavour == flavour && text.find('\0' + std::string(variable.start)) != std::string::npos;
  });
}

}  // namespace ddp::agent
