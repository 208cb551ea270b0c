#include "trainer/mpi/mpi_calls.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

constexpr const char* kLibrary = "libmpi_abi.so.1";
constexpr const char* kChosenLibrary = "DDPTRAIN_MPI_LIBRARY";
constexpr const char* kAdvice =
    "; install an MPI with the standard ABI, such as MPICH 5 (pip install mpich) or Intel MPI 2021.19, in "
    "the "
    "virtual environment of the run, or put the folder of its libmpi_abi.so.1 into LD_LIBRARY_PATH, or the "
    "path of that file into DDPTRAIN_MPI_LIBRARY; or use rendezvous.backend: gloo";

/// Where the library may be: the first of these that loads is taken.
std::vector<std::string> list_candidates() {
  if (const char* const chosen = std::getenv(kChosenLibrary)) return {chosen};
  std::vector<std::string> candidates = {kLibrary};
  for (const char* const environment : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* const folder = std::getenv(environment))
      candidates.push_back(std::string(folder) + "/lib/" + kLibrary);
  }
  return candidates;
}

// Never unloaded: MPI leaves threads and memory behind.
void* open_library() {
  std::string reasons;
  for (const std::string& candidate : list_candidates()) {
    if (void* const library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw InvalidConfiguration("rendezvous.backend is mpi, but no MPI library can be loaded: " + reasons +
                             kAdvice);
}

template <class Function>
void find_call(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr)
    throw InvalidConfiguration(
        "rendezvous.backend is mpi, but the MPI library lacks a call: " + std::string(dlerror()) + kAdvice);
}

MpiCalls find_calls(void* library) {
  MpiCalls calls{};
  find_call(library, "MPI_Abi_get_version", calls.abi_get_version);
  find_call(library, "MPI_Init_thread", calls.init_thread);
  find_call(library, "MPI_Initialized", calls.initialized);
  find_call(library, "MPI_Finalize", calls.finalize);
  find_call(library, "MPI_Comm_rank", calls.comm_rank);
  find_call(library, "MPI_Comm_size", calls.comm_size);
  find_call(library, "MPI_Comm_group", calls.comm_group);
  find_call(library, "MPI_Group_incl", calls.group_incl);
  find_call(library, "MPI_Group_free", calls.group_free);
  find_call(library, "MPI_Comm_create_group", calls.comm_create_group);
  find_call(library, "MPI_Comm_free", calls.comm_free);
  find_call(library, "MPI_Comm_set_errhandler", calls.comm_set_errhandler);
  find_call(library, "MPI_Error_string", calls.error_string);
  find_call(library, "MPI_Op_create_c", calls.op_create);
  find_call(library, "MPI_Iprobe", calls.iprobe);
  find_call(library, "MPI_Test", calls.test);
  find_call(library, "MPI_Iallreduce_c", calls.iallreduce);
  find_call(library, "MPI_Ireduce_c", calls.ireduce);
  find_call(library, "MPI_Ibcast_c", calls.ibcast);
  find_call(library, "MPI_Iallgather_c", calls.iallgather);
  find_call(library, "MPI_Ireduce_scatter_block_c", calls.ireduce_scatter_block);
  find_call(library, "MPI_Ibarrier", calls.ibarrier);
  find_call(library, "MPI_Isend_c", calls.isend);
  find_call(library, "MPI_Irecv_c", calls.irecv);
  return calls;
}

/// A new major version of the ABI may give the handles other values.
MpiCalls load_calls() {
  const MpiCalls calls = find_calls(open_library());
  int major = 0;
  int minor = 0;
  calls.abi_get_version(&major, &minor);
  if (major < 0)
    throw InvalidConfiguration(
        "the MPI library is the one with its MPI's own ABI, not the one with the standard ABI, which is "
        "named libmpi_abi.so.1 and lies beside it" +
        std::string(kAdvice));
  if (major != MPI_ABI_VERSION)
    throw InvalidConfiguration("the MPI library has version " + std::to_string(major) + "." +
                               std::to_string(minor) + " of MPI's ABI, not " +
                               std::to_string(MPI_ABI_VERSION) + kAdvice);
  return calls;
}

}  // namespace

const MpiCalls& mpi_calls() {
  static const MpiCalls calls = load_calls();
  return calls;
}

}  // namespace ddp::trainer
