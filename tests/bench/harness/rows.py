"""What a pair measures: rows of the table. They hold the numbers of all turns; medians and ratios are worked out from those."""

import statistics
from dataclasses import asdict, dataclass
from math import log2


@dataclass(frozen=True)
class Goal:
    """What a row is to reach."""

    kind: str  # speedup: at least so many times faster. share: at most so much of it. below: ours is under a limit. doubling: see Growth
    limit: float
    missed: str = ""  # why it may be missed, as profiling has found; shown when it is


@dataclass(frozen=True)
class Comparison:
    """Ours against a baseline's, which `peer` names. A number that is None stands for something that has not happened in the time that it was given.

    `better`: "less" for times and memory, "more" for rates. `ratio`: "speedup", how many times faster ours is, "share", ours over theirs, or
    "none", where the two numbers are not to be compared.
    """

    what: str
    unit: str
    ours: list
    peer: str
    theirs: list
    better: str = "less"
    ratio: str = "speedup"
    goal: Goal | None = None
    headline: bool = False  # whether the README shows it
    patience: float | None = None  # how long was waited for what has not happened

    def ratios(self):
        """Of each turn; None where a side has no number."""
        return [self._ratio(mine, theirs) for mine, theirs in zip(self.ours, self.theirs)]

    def median_ratio(self):
        return self._ratio(median(self.ours), median(self.theirs))

    def advantages(self):
        """Of each turn: how many times better ours is, whatever the kind of ratio; below 1 it is worse."""
        return [self._advantage(ratio) for ratio in self.ratios()]

    def median_advantage(self):
        return self._advantage(self.median_ratio())

    def is_reached(self):
        """None: there is no goal."""
        if self.goal is None:
            return None
        if self.goal.kind == "below":
            mine = median(self.ours)
            return mine is not None and mine < self.goal.limit
        ratio = self.median_ratio()
        if ratio is None:
            return median(self.ours) is not None and self.ratio == "speedup"
        return ratio >= self.goal.limit if self.goal.kind == "speedup" else ratio <= self.goal.limit

    def _advantage(self, ratio):
        return 1 / ratio if ratio is not None and self.ratio == "share" and self.better == "less" else ratio

    def _ratio(self, mine, theirs):
        if mine is None or theirs is None or self.ratio == "none":
            return None
        if self.ratio == "speedup" and self.better == "less":
            return theirs / mine
        return mine / theirs


@dataclass(frozen=True)
class Growth:
    """What more work costs. `points`: size of the work, and what it took in each turn, from the smallest on."""

    what: str
    unit: str
    of: str  # what the sizes count
    points: list
    goal: Goal | None = None

    def medians(self):
        return [(size, median(values)) for size, values in self.points]

    def per_doubling(self):
        """Of each size but the first: by which factor the time has grown for each doubling since the size before."""
        medians = self.medians()
        return [(after / before) ** (1 / log2(size / smaller)) for (smaller, before), (size, after) in zip(medians, medians[1:])]

    def is_reached(self):
        if self.goal is None:
            return None
        return max(self.per_doubling()) <= self.goal.limit


KINDS = {"comparison": Comparison, "growth": Growth}


def median(values):
    """None counts as longer than everything, and is the median where it is in the middle."""
    came = sorted(value for value in values if value is not None)
    if len(came) <= len(values) // 2:
        return None
    return statistics.median(came + [came[-1]] * (len(values) - len(came)))


def to_json(row):
    (kind,) = [name for name, cls in KINDS.items() if isinstance(row, cls)]
    return {"kind": kind, **asdict(row)}


def from_json(record):
    fields = {key: value for key, value in record.items() if key != "kind"}
    if fields.get("goal"):
        fields["goal"] = Goal(**fields["goal"])
    return KINDS[record["kind"]](**fields)
