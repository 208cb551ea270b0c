"""The memory of ranks while they run: their proportional set size (PSS)."""

import statistics
import threading
import time

from .processes import processes_about

PAUSE = 0.1  # seconds
SHARE = 0.05  # a rank can neither compute nor get memory while it is looked at


def pss_of(process):
    """MiB; 0 of one that is gone."""
    try:
        rollup = (process / "smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) / 1024 for line in rollup.splitlines() if line.startswith("Pss:"))


def pss_by_rank(folder):
    """MiB of each rank that runs now. What works for a rank counts with it: Python's loaders inherit its environment."""
    ranks = {}
    for process, environment in processes_about(folder):
        if rank := environment.get(b"RANK") or environment.get(b"DDPSUBMIT_RANK"):
            ranks[rank] = ranks.get(rank, 0) + pss_of(process)
    return ranks


class PssLooks:
    """Looks at the ranks of a training in `folder`, which they must have in their words or environment, from `with` to its end.

    `during`: whether a look counts, asked before and after it. `pause`: seconds between two looks, or more; `share`: of the time may be spent on
    them. Of no look, all numbers are 0. They are in MiB.
    """

    def __init__(self, folder, during=lambda: True, pause=PAUSE, share=SHARE):
        self.folder = folder
        self.during = during
        self.pause = pause
        self.share = share
        self.looks = []

    def highest_mean(self):
        """In the mean over the ranks."""
        return max(map(statistics.fmean, self.looks), default=0)

    def highest_sum(self):
        """Of all ranks together."""
        return max(map(sum, self.looks), default=0)

    def median_sum(self):
        return statistics.median(map(sum, self.looks)) if self.looks else 0

    def highest_rank(self):
        return max(map(max, self.looks), default=0)

    def __enter__(self):
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._watcher.join()

    def _watch(self):
        pause = self.pause
        while not self._over.wait(pause):
            began = time.monotonic()
            if self.during() and (ranks := pss_by_rank(self.folder)) and self.during():
                self.looks.append(list(ranks.values()))
            pause = max(self.pause, (time.monotonic() - began) / self.share)
