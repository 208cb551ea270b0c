#pragma once

#include "ddp/jobenv/error.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// What a run has recorded beyond `request.have`. The ledger comes first: what follows is at least as new, so
/// that nothing is missing that it speaks of, if it is written last. Not what ddpsubmit itself has recorded,
/// nor the tensors of checkpoints.
[[nodiscard]] Expected<remote::RunRecords> read_run(const remote::ReadRun& request);

}  // namespace ddp::agent
