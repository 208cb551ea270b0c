#include "jobenv/agent/mpi/mpi_library.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

std::optional<MpiFlavour> flavour_of(const std::string& file) {
  const auto library = find_mpi_library({{"/usr/lib/libc.so.6", "fd:01", 1}, {file, "fd:01", 2}});
  return library ? std::optional(library->flavour) : std::nullopt;
}

TEST(MpiLibrary, IsKnownByTheNameOfItsFile) {
  EXPECT_EQ(flavour_of("/opt/mpich/lib/libmpi.so.12.2.1"), MpiFlavour::mpich);
  EXPECT_EQ(flavour_of("/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.1"), MpiFlavour::mpich);
  EXPECT_EQ(flavour_of("/venv/lib/libmpi_abi.so.1"), MpiFlavour::mpich);
  EXPECT_EQ(flavour_of("/usr/lib/libmpi.so.40.30.4"), MpiFlavour::open_mpi);
  EXPECT_EQ(flavour_of("/opt/cray/pe/mpich/8.1/ofi/gnu/9.1/lib/libmpi_gnu_91.so.12.0.0"), MpiFlavour::cray);
  EXPECT_EQ(flavour_of("/opt/cray/lib/libmpi_cray.so.12"), MpiFlavour::cray);
}

TEST(MpiLibrary, OtherFilesAreNone) {
  EXPECT_FALSE(flavour_of("/usr/lib/libmpigi.so"));
  EXPECT_FALSE(flavour_of("/venv/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so"));
  EXPECT_FALSE(flavour_of("/usr/lib/libmpicxx.so.12"));
}

TEST(MpiLibrary, LooksForTheProcessManagerThatItKnows) {
  const auto has = [](const std::string& variable, MpiFlavour flavour) {
    return has_process_manager("HOME=/x" + std::string(1, '\0') + variable + std::string(1, '\0'), flavour);
  };
  EXPECT_TRUE(has("PMI_FD=3", MpiFlavour::mpich));
  EXPECT_TRUE(has("PMIX_RANK=0", MpiFlavour::mpich));
  EXPECT_TRUE(has("PMIX_RANK=0", MpiFlavour::open_mpi));
  EXPECT_FALSE(has("PMI_FD=3", MpiFlavour::open_mpi)) << "it does not know PMI-1";
  EXPECT_TRUE(has("PALS_RANKID=0", MpiFlavour::cray));
  EXPECT_FALSE(has("MY_PMI_FD=3", MpiFlavour::mpich));
  EXPECT_TRUE(has_process_manager("PMI_FD=3", MpiFlavour::mpich)) << "the first of the variables";
}

}  // namespace
}  // namespace ddp::agent
