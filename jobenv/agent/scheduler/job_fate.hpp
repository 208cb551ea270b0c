#pragma once

namespace ddp::agent {

/// What the scheduler is about to do with the job that head runs in.
enum class JobFate {
  unknown,     ///< it does not answer
  running,     ///< nothing
  giving_way,  ///< preempted, and still running: its grace time has begun
  taken_back,  ///< it will be started again: preempted without grace, a node lost, or requeued by somebody
  evicted,     ///< preempted, and ended for good
  ending,      ///< cancelled, or over its time
};

}  // namespace ddp::agent
