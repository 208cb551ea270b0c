#pragma once

#include <deque>
#include <functional>
#include <string>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/mpi/pmi_request.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/protocol/pmi_pairs.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// What the ranks of an attempt are told about their job.
struct PmiJob {
  std::string name;  ///< of its key-value space: MPICH names what its ranks share on a host by it
  int nodes = 1;
  int tasks_per_node = 1;  ///< ranks lie on the nodes in blocks

  [[nodiscard]] int world_size() const { return nodes * tasks_per_node; }
};

/// Serves PMI-1 to the ranks of one agent in one attempt, each over a socketpair of its own, which its
/// programs find by PMI_FD. The ranks of other agents are reached through the owner: what was put leaves by
/// `on_put`, and comes by take(). Of pairs with the same key the last one counts.
class PmiServer {
 public:
  struct Handlers {
    /// What ranks of this agent have put: at the latest when all wait, and as soon as it fills a message.
    std::function<void(const PmiPairs& pairs)> on_put;
    std::function<void()> on_barrier;  ///< all ranks of this agent wait
    /// A rank has called MPI_Abort, and ends.
    std::function<void(int rank, const std::string& code)> on_abort;
  };

  /// `loop` must outlive the server. The handlers are called from within the loop's.
  PmiServer(EventLoop& loop, PmiJob job, Handlers handlers);
  PmiServer(const PmiServer&) = delete;
  PmiServer& operator=(const PmiServer&) = delete;
  ~PmiServer();

  [[nodiscard]] const PmiJob& job() const { return job_; }

  /// Returns the rank's end of its socket, which stays open here until close_rank_ends().
  [[nodiscard]] Expected<int> add(int rank);
  /// The ranks have been forked.
  void close_rank_ends();

  /// Of ranks of other agents.
  void take(const PmiPairs& pairs) {
    for (const auto& [key, value] : pairs) pairs_[key] = value;
  }
  void end_barrier();

 private:
  struct Client {
    int rank = 0;
    FileDescriptor socket;
    FileDescriptor rank_end;
    EventLoop::WatchId watch = 0;
    std::string incoming;
    bool in_spawn = false;  ///< a request of several lines has begun
    bool waits = false;     ///< in the barrier
  };

  void read(Client& client);
  void hang_up(Client& client);
  void answer_line(Client& client, std::string_view line);
  void answer(Client& client, const PmiRequest& request);
  void put(Client& client, const PmiRequest& request);
  void get(Client& client, const PmiRequest& request);
  void enter_barrier(Client& client);
  void pass_news_on();
  static void say(Client& client, const std::string& line);

  EventLoop& loop_;
  PmiJob job_;
  Handlers handlers_;
  std::deque<Client> clients_;  ///< they stay where they are
  PmiPairs pairs_;
  PmiPairs news_;  ///< not passed on yet
  std::size_t size_of_news_ = 0;
};

}  // namespace ddp::agent
