#pragma once

#include "ddp/jobenv/progress_page.hpp"

/// What a rank tells its agent from wherever it is in the program. A process is one rank, and has one page.
namespace ddp {

/// From now on on `page`, which must live as long as the process; before, on a page that nobody sees.
void show_progress_on(ProgressPage& page);

/// One more part of the present phase is done. For any thread, and for what takes long: a batch of an
/// evaluation, a piece of a file.
void count_part();

/// The same only if `phase` is the present one: for work beside the training, which does not show that the
/// training goes on.
void count_part_of(Phase phase);

/// As long as one lives, this rank waits for others: who looks for the rank that holds up all does not mean
/// it.
class PeerWait {
 public:
  PeerWait();
  PeerWait(const PeerWait&) = delete;
  PeerWait& operator=(const PeerWait&) = delete;
  ~PeerWait();
};

}  // namespace ddp
