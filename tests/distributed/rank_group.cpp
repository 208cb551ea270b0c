// Starts the ranks of a job on this machine as ddp-agent does, without its supervision:
//
//   rank_group RANKS DIR PROGRAM [ARGUMENT...]
//
// DIR becomes the run folder; DIR/pids lists the ranks' process ids as soon as all run, DIR/rank-R.out and
// .err hold their output. Waits for all of them and prints how each ended, by rank: "0 7 -9" are two exit
// codes and a signal. FOREIGN_RANK=R gives rank R the nonce of another run.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ddp/jobenv/rank_contract.hpp"
#include "rank_environment.hpp"

namespace {

struct Group {
  int ranks = 0;
  std::string folder;
  char** program = nullptr;
  int store = -1;  // listening
  int port = 0;
};

void listen_for_store(Group& group) {
  group.store = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(group.store, generic, size) != 0 || listen(group.store, 16) != 0 ||
      getsockname(group.store, generic, &size) != 0) {
    std::perror("rank_group: no socket for the store");
    std::exit(1);
  }
  group.port = ntohs(address.sin_port);
}

ddp::JobEnvironment environment_of(const Group& group, int rank) {
  const char* const foreign = std::getenv("FOREIGN_RANK");
  ddp::JobEnvironment job = local_job(group.folder, rank, group.ranks, group.port);
  if (foreign != nullptr && rank == std::atoi(foreign)) job.nonce = "another";
  return job;
}

[[noreturn]] void become_rank(const Group& group, int rank) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto job = environment_of(group, rank);
  auto variables = job.to_env();
  if (rank == 0) {
    variables.set(ddp::kStoreFd, std::to_string(group.store));
  } else {
    close(group.store);
  }
  take_part_in(job, variables);
  execvp(group.program[0], group.program);
  _exit(127);
}

std::vector<pid_t> start(const Group& group) {
  std::vector<pid_t> pids;
  for (int rank = 0; rank < group.ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) become_rank(group, rank);
    pids.push_back(pid);
  }
  close(group.store);
  std::ofstream file(group.folder + "/pids.incomplete");
  for (const pid_t pid : pids) file << pid << '\n';
  file.close();
  std::rename((group.folder + "/pids.incomplete").c_str(), (group.folder + "/pids").c_str());
  return pids;
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fputs("usage: rank_group RANKS DIR PROGRAM [ARGUMENT...]\n", stderr), 2;
  Group group{.ranks = std::atoi(argv[1]), .folder = std::filesystem::absolute(argv[2]), .program = argv + 3};
  listen_for_store(group);
  const auto pids = start(group);
  for (std::size_t rank = 0; rank < pids.size(); ++rank) {
    std::printf("%s%d", rank == 0 ? "" : " ", wait_for(pids[rank]));
  }
  std::puts("");
}
