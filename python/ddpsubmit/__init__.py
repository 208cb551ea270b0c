"""ddpsubmit for Python: report progress and stop cleanly inside a rank; start and watch runs from a notebook or script.

Inside a rank, in a script that ddpsubmit starts by `command:`

    import ddpsubmit

    for n in range(first, total + 1):
        ...                                        # forward, backward, optimizer.step()
        ddpsubmit.step(n, total)
        if ddpsubmit.should_stop():                # at the same step on all ranks
            save(ddpsubmit.job().output_dir)
            ddpsubmit.stop_here()

`status` then shows steps and the time left, ddpsubmit names a rank that hangs, a cancel and the time limit stop all ranks after the
same step, and restarts are judged by progress. If ddpsubmit did not start the script, these functions do nothing.

In a notebook, or in a script that starts runs

    run = ddpsubmit.run('train.yaml', {'train.seed': 1})
    print(run.status().state, run.logs(rank=0, tail=20))
    run.wait()                                     # raises RunFailed, with the rank to blame and the end of its stderr
    run.metrics()                                  # a list of records, or a DataFrame if pandas is installed
"""
import importlib
from typing import TYPE_CHECKING

from ddpsubmit._job import Job
from ddpsubmit._rank import rank as _this_rank

__all__ = ['AuthenticationError', 'ConfigurationError', 'Error', 'Job', 'NotFound', 'OutcomeUnknown', 'PreflightFailed',
           'ProgramNotFound', 'Refused', 'Run', 'RunFailed', 'RunStatus', 'StillRunning', 'UsageError', 'find', 'job', 'log',
           'phase', 'protect_workers', 'run', 'runs', 'should_stop', 'step', 'stop_here', 'worker_init']

step = _this_rank.step
log = _this_rank.log
phase = _this_rank.phase
should_stop = _this_rank.should_stop
stop_here = _this_rank.stop_here


def job() -> Job:
    """The job that this process is a rank of."""
    return _this_rank.job


if TYPE_CHECKING:
    from ddpsubmit._runs import (AuthenticationError, ConfigurationError, Error, NotFound, OutcomeUnknown, PreflightFailed,
                                 ProgramNotFound, Refused, Run, RunFailed, RunStatus, StillRunning, UsageError, find, run, runs)
    from ddpsubmit._workers import protect_workers, worker_init
else:
    def __getattr__(name):
        """Names of _runs and _workers, loaded on first use: most ranks do not need them."""
        if name not in __all__:
            raise AttributeError(f"module 'ddpsubmit' has no attribute '{name}'")
        module = '_workers' if name in ('protect_workers', 'worker_init') else '_runs'
        return getattr(importlib.import_module('ddpsubmit.' + module), name)

    def __dir__():
        return sorted({*globals(), *__all__})
