// One rank of a job on this machine, for MPI's mpiexec to start:
//
//   mpiexec -n RANKS mpi_rank DIR PORT PROGRAM [ARGUMENT...]
//
// DIR becomes the run folder, and rank 0 serves the store at PORT. DIR/pid-R is the process id of the
// program, DIR/rank-R.out and .err hold its output, and DIR/end-R how it ended: an exit code, or the negative
// of a signal. mpiexec sees a rank that has ended well, and leaves the others alone.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "rank_environment.hpp"

namespace {

int number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) std::exit((std::fprintf(stderr, "mpi_rank: there is no %s\n", variable), 2));
  return std::atoi(text);
}

/// Whole, or not there.
void write_number(const std::string& path, int number) {
  std::ofstream(path + ".incomplete") << number << '\n';
  std::filesystem::rename(path + ".incomplete", path);
}

[[noreturn]] void become_program(const ddp::JobEnvironment& job, char** program) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  take_part_in(job, job.to_env());
  execvp(program[0], program);
  _exit(127);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fputs("usage: mpi_rank DIR PORT PROGRAM [ARGUMENT...]\n", stderr), 2;
  const auto folder = std::filesystem::absolute(argv[1]).string();
  const auto job = local_job(folder, number_of("PMI_RANK"), number_of("PMI_SIZE"), std::atoi(argv[2]));
  std::signal(SIGUSR1, SIG_IGN);  // so mpiexec tells all ranks that one has left without MPI_Finalize
  const pid_t pid = fork();
  if (pid == 0) become_program(job, argv + 3);
  const std::string rank = std::to_string(job.rank);
  close(number_of("PMI_FD"));
  write_number(folder + "/pid-" + rank, pid);
  int status = 0;
  waitpid(pid, &status, 0);
  write_number(folder + "/end-" + rank, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}
