"""The page that a rank shares with its agent; ddpsubmit.h describes it."""
import fcntl
import mmap
import os
import struct
from typing import Dict, Mapping, Optional

VERSION = 4
SIZE = 4096
F_GET_SEALS, F_SEAL_SHRINK = 1034, 2  # fcntl has them from Python 3.9 on, where its C library does
NO_STEP = 2**64 - 1
NO_STOP = 2**63 - 1
HOLD = 0

# Indexes of fields of 8 bytes, and of 4 bytes.
STEP, PARTS, TOTAL_STEPS, STOP_STEP = 1, 3, 5, 6
PHASE, STOP_REQUESTED, WAITS_FOR_PEERS, USES, STACK_SIGNAL, STACK_DESCRIPTOR = 1, 4, 8, 9, 14, 15
PHASE_NAME_COUNT, METRIC_COUNT = 144, 145
FIRST_STEP = 201  # of 8 bytes

TELLS_STEPS, HEEDS_STOPS = 1, 2
PHASES = ('start', 'step', 'checkpoint', 'evaluate', 'done')
TRAIN, DONE = 1, 4
NAMES, NAME_SIZE, NAMES_AT = 16, 32, 64
METRICS, METRIC_NAME_SIZE, METRICS_AT = 32, 24, 584


class Page:
    """Fields by the indexes above: `words` of 8 bytes, `halves` of 4. One thread of a rank writes them."""

    def __init__(self, memory: mmap.mmap) -> None:
        self.words = memoryview(memory).cast('Q')
        self.halves = memoryview(memory).cast('I')
        self._values = memoryview(memory).cast('d')
        self._memory = memory
        self._phases: Dict[str, int] = {name: index for index, name in enumerate(PHASES)}
        for index in range(min(self.halves[PHASE_NAME_COUNT], NAMES)):
            self._phases.setdefault(self._read_name(NAMES_AT + index * NAME_SIZE, NAME_SIZE), len(PHASES) + index)
        metrics = range(min(self.halves[METRIC_COUNT], METRICS))
        self._metrics = {self._read_name(METRICS_AT + index * 32, METRIC_NAME_SIZE): index for index in metrics}

    def number_of_phase(self, name: str) -> int:
        """What `phase` holds for this name. Names for which the page has no room share one number."""
        number = self._phases.get(name)
        if number is None:
            index = min(len(self._phases) - len(PHASES), NAMES - 1)
            number = len(PHASES) + index
            if self.halves[PHASE_NAME_COUNT] == index:
                self._write_name(NAMES_AT + index * NAME_SIZE, name, NAME_SIZE)
                self.halves[PHASE_NAME_COUNT] = index + 1
            self._phases[name] = number
        return number

    def set_metric(self, name: str, value: float) -> None:
        """The last value of a metric; those for which the page has no room are left out."""
        index = self._metrics.get(name)
        if index is None:
            index = self._metrics[name] = len(self._metrics)
            if index < METRICS:
                self._write_name(METRICS_AT + index * 32, name, METRIC_NAME_SIZE)
        if index < METRICS:
            self._values[(METRICS_AT + index * 32 + METRIC_NAME_SIZE) // 8] = value
            if index >= self.halves[METRIC_COUNT]:
                self.halves[METRIC_COUNT] = index + 1

    def begin(self) -> None:
        """Forgets what an earlier program of the same rank has told. The first step and the names of phases and metrics stay."""
        self.halves[USES] = self.halves[PHASE] = self.halves[WAITS_FOR_PEERS] = self.halves[STACK_SIGNAL] = 0
        self.words[STEP] = NO_STEP
        self.words[TOTAL_STEPS] = 0

    def _read_name(self, at: int, size: int) -> str:
        return self._memory[at:at + size].split(b'\0')[0].decode('ascii', 'replace')

    def _write_name(self, at: int, name: str, size: int) -> None:
        self._memory[at:at + size] = name.encode('ascii', 'replace')[:size - 1].ljust(size, b'\0')


def open_page(environment: Mapping[str, str]) -> Optional[Page]:
    """The page of this rank; None: ddpsubmit has not started it, or a version whose page is another one."""
    number = environment.get('DDPSUBMIT_PROGRESS_FD', '')
    if not number.isdecimal():
        return None
    try:
        if os.fstat(int(number)).st_size != SIZE or not fcntl.fcntl(int(number), F_GET_SEALS) & F_SEAL_SHRINK:
            return None
        memory = mmap.mmap(int(number), SIZE)
    except (OSError, ValueError):
        return None
    if struct.unpack_from('=I', memory)[0] != VERSION:
        return None
    os.set_inheritable(int(number), False)  # a program that this one starts is no rank
    page = Page(memory)
    page.begin()
    return page
