#pragma once

#include <chrono>
#include <vector>

#include "trainer/mpi/mpi_thread.hpp"
#include "trainer/mpi/plugin.hpp"
#include "trainer/mpi/sums.hpp"

namespace ddp::trainer {

/// MPI in this process: started once, ended once.
class MpiProcess {
 public:
  /// For good. Errors are those of MpiPlugin::connect.
  [[nodiscard]] static MpiProcess& start_or_get(const MpiGroup& group);

  /// Of these ranks of the job; a collective of them.
  [[nodiscard]] MPI_Comm add_communicator(const std::vector<int>& members, std::chrono::milliseconds timeout);

  /// Of a communicator that is not used any more: frees it. The last one ends MPI, a collective of the job.
  /// Neither if something has failed: then other ranks may be gone.
  void leave_communicator(MPI_Comm communicator, std::chrono::milliseconds timeout);

  [[nodiscard]] MpiThread& thread() { return thread_; }
  [[nodiscard]] const SumsOf16Bits& sums() const { return sums_; }

 private:
  void start(const MpiGroup& group);
  void free(MPI_Comm communicator, std::chrono::milliseconds timeout);
  void end(std::chrono::milliseconds timeout);

  MpiThread thread_;
  SumsOf16Bits sums_;
  bool is_started_ = false;
  int communicators_ = 0;
};

}  // namespace ddp::trainer
