#pragma once

#include "ddp/jobenv/progress_page.hpp"

namespace ddp::trainer {

/// TERM, INT, HUP, USR1 and USR2 do nothing to this process: its agent asks for a stop through the page. To
/// be called before any thread starts.
void leave_stop_signals_to_agent();

/// From now on TERM, INT and USR2, of a person or a scheduler, ask for a stop on `page`, which must live as
/// long as the process. Before that they end it.
void take_stop_signals(ProgressPage& page);

}  // namespace ddp::trainer
