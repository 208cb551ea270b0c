"""The memory of ranks while they run: their proportional set size (PSS)."""

import threading
from pathlib import Path

PAUSE = 0.1  # seconds between two looks; one takes about a millisecond a rank


def rank_of(process, folder):
    """Which rank of a training in `folder` this process is, or works for: Python's loaders inherit its environment. None: it is of another."""
    environment = (process / "environ").read_bytes()
    if bytes(folder) not in environment + (process / "cmdline").read_bytes():
        return None
    variables = dict(entry.partition(b"=")[::2] for entry in environment.split(b"\0"))
    return variables.get(b"RANK") or variables.get(b"DDPSUBMIT_RANK")


def pss_of(process):
    """MiB."""
    for line in (process / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0


def pss_per_rank(folder):
    """In the mean over the ranks that run now. They are not all below this process: ddpsubmit's outlive it."""
    ranks = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if rank := rank_of(process, folder):
                ranks[rank] = ranks.get(rank, 0) + pss_of(process)
        except OSError:  # gone meanwhile
            continue
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
        while not self._over.wait(PAUSE):
            self.mebibytes = max(self.mebibytes, pss_per_rank(self.folder))
