"""Loaded by the fork server of multiprocessing, on behalf of protect_workers(): workers count as dead when their server has ended."""
import os

from ddpsubmit import _workers

_server = os.getpid()


def _protect_worker() -> None:
    if os.getppid() == _server:  # and not a child of a worker
        _workers.protect()


_workers.hold_signals()
os.register_at_fork(after_in_child=_protect_worker)
