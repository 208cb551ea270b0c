#include "trainer/mpi/mpi_process.hpp"

#include <cstdio>
#include <exception>
#include <string>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/mpi/mpi_error.hpp"

namespace ddp::trainer {
namespace {

std::string rank_of(int rank, int size) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(size);
}

/// Without a process manager that it can talk to, MPI makes each process a world of its own.
void require_rank_of_job(const MpiGroup& group) {
  int rank = -1;
  int size = -1;
  require_success(mpi_calls().comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  require_success(mpi_calls().comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  if (rank == group.rank && size == group.world_size) return;
  throw InvalidConfiguration(
      "MPI says " + rank_of(rank, size) + ", but this is " + rank_of(group.rank, group.world_size) +
      " of the run: the MPI library does not understand the process manager that started the ranks. "
      "ddpsubmit serves PMI-1; use MPICH 5 or Intel MPI, or rendezvous.backend: gloo");
}

void start_mpi() {
  int is_initialized = 0;
  require_success(mpi_calls().initialized(&is_initialized), "MPI_Initialized");
  if (is_initialized != 0)
    throw InvalidConfiguration(
        "MPI was started in this process before, and it starts only once; keep the first process group, or "
        "use rendezvous.backend: gloo");
  int provided = 0;
  require_success(mpi_calls().init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
                  "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED)
    throw InvalidConfiguration(
        "the MPI library does not support programs with several threads (MPI_THREAD_FUNNELED); use another "
        "MPI library, or rendezvous.backend: gloo");
  // Errors of no communicator are those of MPI_COMM_SELF; by default they end the process.
  for (MPI_Comm communicator : {MPI_COMM_WORLD, MPI_COMM_SELF})
    require_success(mpi_calls().comm_set_errhandler(communicator, MPI_ERRORS_RETURN),
                    "MPI_Comm_set_errhandler");
}

MPI_Comm create_communicator(const std::vector<int>& members) {
  constexpr int kTag = 0;  // each rank is in one of these calls at a time
  const MpiCalls& mpi = mpi_calls();
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm communicator = MPI_COMM_NULL;
  require_success(mpi.comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  require_success(mpi.group_incl(world, static_cast<int>(members.size()), members.data(), &group),
                  "MPI_Group_incl");
  require_success(mpi.comm_create_group(MPI_COMM_WORLD, group, kTag, &communicator), "MPI_Comm_create_group");
  require_success(mpi.group_free(&group), "MPI_Group_free");
  require_success(mpi.group_free(&world), "MPI_Group_free");
  require_success(mpi.comm_set_errhandler(communicator, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return communicator;
}

}  // namespace

MpiProcess& MpiProcess::start_or_get(const MpiGroup& group) {
  static auto* const process = new MpiProcess;  // as long as its thread
  if (!process->is_started_) process->start(group);
  return *process;
}

void MpiProcess::start(const MpiGroup& group) {
  thread_.call("MPI_Init", group.timeout, [this, group] {
    start_mpi();
    require_rank_of_job(group);
    sums_ = SumsOf16Bits::create();
    thread_.set_connected(true);
  });
  is_started_ = true;
}

MPI_Comm MpiProcess::add_communicator(const std::vector<int>& members, std::chrono::milliseconds timeout) {
  const auto communicator = std::make_shared<MPI_Comm>(MPI_COMM_NULL);  // the call may outlive this one
  thread_.call("MPI_Comm_create_group", timeout,
               [communicator, members] { *communicator = create_communicator(members); });
  ++communicators_;
  return *communicator;
}

/// What the ranks had to do is done: an end that fails does not undo it.
void MpiProcess::leave_communicator(MPI_Comm communicator, std::chrono::milliseconds timeout) {
  const bool is_last = --communicators_ == 0;
  if (is_last) is_started_ = false;
  if (thread_.has_failed() || std::uncaught_exceptions() > 0) return;
  try {
    if (is_last) {
      end(timeout);
    } else {
      free(communicator, timeout);
    }
  } catch (const c10::Error& failed) {
    std::fprintf(stderr, "MPI did not end well: %s\n", failed.what_without_backtrace());
  }
}

/// MPI has room for some thousands. Does not wait: the call is a collective by name, but MPIs make it a local
/// one, as the standard expects.
void MpiProcess::free(MPI_Comm communicator, std::chrono::milliseconds timeout) {
  thread_.enqueue({.name = "MPI_Comm_free",
                   .work = make_silent_work(),
                   .post =
                       [communicator](MPI_Request* /*request*/) {
                         MPI_Comm freed = communicator;
                         return mpi_calls().comm_free(&freed);
                       },
                   .timeout = timeout});
}

void MpiProcess::end(std::chrono::milliseconds timeout) {
  // By a call that does not block: the others may come much later, and MPI_Finalize would spin until then.
  const auto barrier = make_silent_work();
  thread_.enqueue({.name = "the barrier before MPI_Finalize",
                   .work = barrier,
                   .post = [](MPI_Request* request) { return mpi_calls().ibarrier(MPI_COMM_WORLD, request); },
                   .timeout = timeout});
  barrier->wait();
  thread_.call("MPI_Finalize", timeout, [this] {
    thread_.set_connected(false);
    require_success(mpi_calls().finalize(), "MPI_Finalize");
  });
}

}  // namespace ddp::trainer
