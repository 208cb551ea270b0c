#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace ddp::trainer {

/// To be raised with every change of MpiPlugin or of what it points to.
inline constexpr std::uint32_t kMpiPluginVersion = 1;

/// The ranks of a process group over MPI, as one of them sees it.
struct MpiGroup {
  int rank;                  ///< of this process, in the job
  int world_size;            ///< of the job
  std::vector<int> members;  ///< ranks of the job, by rank in the group; this one is among them
  std::chrono::milliseconds timeout;
};

/// What libddp_mpi.so can do. The trainer and the plug-in come from one build; version and size tell when
/// they do not.
struct MpiPlugin {
  std::uint32_t version;  ///< kMpiPluginVersion
  std::uint32_t size;     ///< sizeof(MpiPlugin)

  /// Loads the MPI library, at the first call. Throws InvalidConfiguration that says what to install.
  void (*load_library)();

  /// A backend for tensors on the CPU, as soon as all members have come; a collective of them. The first call
  /// starts MPI, which is a collective of the whole job. The shutdown() of the last backend ends MPI, if
  /// nothing has failed, and MPI does not start again in this process. A collective that takes longer than
  /// `timeout` fails with c10::DistBackendError, and so does everything after it. Throws
  /// InvalidConfiguration if MPI gives this process another rank or size than the job,
  /// c10::DistBackendError if the members do not come in time.
  c10::intrusive_ptr<c10d::Backend> (*connect)(const MpiGroup& group);
};

/// The one thing that libddp_mpi.so exports, under the name kGetMpiPlugin.
using GetMpiPlugin = const MpiPlugin*();
inline constexpr const char* kGetMpiPlugin = "ddp_mpi_plugin";

}  // namespace ddp::trainer
