"""The memory of ranks while they run: their proportional set size (PSS)."""

import threading
import time

from .processes import processes_about

PAUSE = 0.1  # seconds between two looks, or more:
SHARE = 0.05  # of the time may be spent on them, in which a rank can neither compute nor get memory


def pss_of(process):
    """MiB; 0 of one that is gone."""
    try:
        rollup = (process / "smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) / 1024 for line in rollup.splitlines() if line.startswith("Pss:"))


def pss_per_rank(folder):
    """In the mean over the ranks that run now. What works for a rank counts with it: Python's loaders inherit its environment."""
    ranks = {}
    for process, environment in processes_about(folder):
        if rank := environment.get(b"RANK") or environment.get(b"DDPSUBMIT_RANK"):
            ranks[rank] = ranks.get(rank, 0) + pss_of(process)
    return sum(ranks.values()) / len(ranks) if ranks else 0


class HighestPss:
    """Looks at the ranks of a training in `folder`, which they must have in their words or environment, from `with` to its end."""

    def __init__(self, folder):
        self.folder = folder
        self.mebibytes = 0

    def __enter__(self):
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._watcher.join()

    def _watch(self):
        pause = PAUSE
        while not self._over.wait(pause):
            began = time.monotonic()
            self.mebibytes = max(self.mebibytes, pss_per_rank(self.folder))
            pause = max(PAUSE, (time.monotonic() - began) / SHARE)
