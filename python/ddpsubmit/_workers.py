"""Worker processes of a rank, such as those of a DataLoader: a stop of the run does not end them, only their rank does."""
import functools
import multiprocessing
import os
import signal
import subprocess
import threading
import time
from multiprocessing import forkserver, popen_fork, util
from typing import Any, Callable, Optional, Set

import _posixsubprocess

from ddpsubmit._rank import rank, stop_signals

# The signals are blocked and have no handler: only sigwaitinfo() tells who sent one. If one finds a thread that does not block it, it
# ends the worker, as without this module: if the rank could not end its worker, it would wait for it for ever.
_SENT_WITH_TERM = signal.SIGURG  # other processes ignore it
_held: Set[int] = set()  # the signals that this process has blocked
_protected_process = 0


def worker_init(_worker: object = None) -> None:
    """Protects this worker process from a stop of the run: DataLoader(..., worker_init_fn=ddpsubmit.worker_init).

    Slurm sends SIGTERM to every process of a job that is cancelled or preempted, and the rank needs its workers until it has
    stopped. From this call on, SIGTERM and the run's stop signal end the worker only if the process that has started it sends them.
    Programs that the worker starts get signals as before. This function does nothing in a process that is not a worker.
    """
    if multiprocessing.parent_process() is not None and rank.job.run_dir is not None:
        protect()


def protect_workers() -> None:
    """Calls worker_init() in all processes that multiprocessing starts from now on, such as the workers of each DataLoader.

    Call it at the top of the script, outside of functions and before the import of numpy and torch: a process that is started by
    'spawn' loads the script again, and has to be protected before libraries start threads. A handler that such a process has for
    SIGTERM is not called any more.
    """
    if rank.job.run_dir is None:
        return
    util.register_after_fork(rank, worker_init)
    server: Any = getattr(forkserver, '_forkserver')
    server.set_forkserver_preload([*server._preload_modules, 'ddpsubmit._fork_server'])
    if multiprocessing.parent_process() is None and multiprocessing.current_process().name != 'MainProcess':
        protect()  # a worker that loads the script


def hold_signals() -> None:
    """Blocks the signals of a stop in this thread, and in those that it starts."""
    signals = _awaited()
    _held.update(signals - signal.pthread_sigmask(signal.SIG_BLOCK, signals))


def _awaited() -> Set[int]:
    return {*stop_signals(), _SENT_WITH_TERM}


def _release_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _held)
    _held.clear()


def protect() -> None:
    global _protected_process
    if _protected_process == os.getpid():
        return
    _protected_process = os.getpid()
    hold_signals()
    _start_programs_without_mask()
    threading.Thread(target=_end_when_told, name='ddpsubmit', daemon=True).start()


def _end_when_told() -> None:
    """Ends this process as PyTorch's workers do, whose DataLoader takes every other exit code for a failure.

    After a stop it also ends if its rank has ended without ending it: nobody might send SIGTERM again.
    """
    starter = os.getppid()
    told: Optional[signal.struct_siginfo] = signal.sigwaitinfo(_awaited())
    process = _rank_process()
    while (told is None or told.si_pid != process.pid) and os.getppid() == starter and process.is_alive():
        told = signal.sigtimedwait(_awaited(), 1)
    os._exit(0)


def _rank_process() -> Any:
    """Not the parent where that is a fork server. It is known when the script is loaded."""
    while (process := multiprocessing.parent_process()) is None:
        time.sleep(0.01)
    return process


def _start_programs_without_mask() -> None:
    """A program inherits the mask of the thread that starts it: with this one, Popen.terminate() would have no effect."""
    setattr(subprocess, '_USE_POSIX_SPAWN', False)
    for module, name in ((subprocess, '_fork_exec'), (_posixsubprocess, 'fork_exec')):  # Python 3.9 has only the second one
        if hasattr(module, name):
            setattr(module, name, _without_mask(getattr(module, name)))


def _without_mask(start: Callable[..., int]) -> Callable[..., int]:
    @functools.wraps(start)
    def start_without_mask(*arguments: Any) -> int:
        while signal.sigpending() & _held:  # it would end this process
            time.sleep(0.001)
        mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, _held)
        try:
            return start(*arguments)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return start_without_mask


def _tell_workers_twice() -> None:
    """A SIGTERM is lost if the worker has not yet taken the one of the launcher: Process.terminate() sends another signal, too."""
    terminate = popen_fork.Popen.terminate

    @functools.wraps(terminate)
    def terminate_worker(process: Any) -> None:
        terminate(process)
        process._send_signal(_SENT_WITH_TERM)
    setattr(popen_fork.Popen, 'terminate', terminate_worker)


os.register_at_fork(after_in_child=_release_signals)
if rank.job.run_dir is not None:
    _tell_workers_twice()
