#pragma once

#include "ddp/jobenv/progress_page.hpp"

namespace ddp::trainer {

/// Who tells a rank to stop: its agent, through the progress page, or a person or scheduler, by signals.
enum class StopSource { agent, signals };

/// Decides what TERM, INT, HUP, USR1 and USR2 do to this process; to be called before any thread starts.
/// agent: nothing, the page is obeyed. signals: TERM, INT and USR2 ask for a stop on `page`, which must then
/// live as long as the process.
void prepare_stop_signals(StopSource source, ProgressPage& page);

}  // namespace ddp::trainer
