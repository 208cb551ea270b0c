"""What a rank reports to ddpsubmit, and what it hears from it."""
import atexit
import contextlib
import ctypes
import faulthandler
import json
import math
import operator
import os
import signal
import sys
import threading
import time
from types import TracebackType
from typing import Any, Dict, Optional, Set, Type, Union

from ddpsubmit import _page
from ddpsubmit._job import Job, read_job

STOPPED = 75
HOLD_PAUSE = 0.001
MFD_CLOEXEC = 1
STACK_SIGNAL = int(getattr(signal, 'SIGRTMAX', 2)) - 2  # programs seldom take one of those
RESERVED = ('kind', 'attempt', 'step', 'time', 'total_steps', 'trained_ms', 'message')


class Phase:
    """Returned by phase(): as a context manager it goes back to the previous phase."""

    def __init__(self, rank: 'Rank', before: str) -> None:
        self._rank = rank
        self._before = before

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._rank.phase(self._before)


class Rank:
    """This process. All that costs more than a few stores into the page happens on the first call, or at a stop."""

    def __init__(self, page: Optional[_page.Page], job: Job) -> None:
        self.job = job
        self._page = page
        self._words: Any = page.words if page else None
        self._phase = 'start'
        self._training = False  # the phase is the one of steps
        self._done: Optional[int] = None  # steps
        self._total: Optional[int] = None
        self._asks = False
        self._stops = False
        self._leaves = False  # stop_here() was called
        self._metrics_file = -1
        self._trained = 0.0  # seconds, until _since
        self._since: Optional[float] = None  # when the present stretch of steps began; None: it is in another phase

    def step(self, n: int, total: Optional[int] = None) -> None:
        """Reports that step `n` of `total` is done. Call it after each step, on every rank, with the same numbers.

        n      number of finished steps of the whole run, from 1; a resumed program continues the count
        total  number of steps of the whole run; without it `status` shows no time left
        A call costs a few stores into memory: no system call, no synchronization of a device. When a stop is requested, it waits
        for about one message to all nodes and back, in which the ranks agree on the step after which they stop.
        """
        words = self._words
        if words is None:
            return
        if not self._training or total != self._total:
            self._begin_steps(n, total)
        words[_page.PARTS] += 1
        words[_page.STEP] = self._done = n
        if words[_page.STOP_STEP] <= n:
            self._stops = self._agree(n)
        if n == total and not self._stops:
            self.phase('done')

    def should_stop(self) -> bool:
        """True if this rank must stop now: the run was cancelled or preempted, or its time limit is near.

        Call it after each step(). It becomes True on all ranks after the same step: save a checkpoint, then call stop_here(). In
        a program that never calls step() it becomes True as soon as a stop is requested, on each rank separately.
        From the first call on, SIGTERM and the run's stop signal no longer end this process.
        """
        if self._page is None:
            return False
        if not self._asks:
            self._begin_asking()
        return self._stops if self._done is not None else self._page.halves[_page.STOP_REQUESTED] != 0

    def stop_here(self) -> None:
        """Ends this process as stopped on request, with SystemExit. Save the checkpoint to resume from before you call it.

        Does nothing if should_stop() is False. `finally` clauses and atexit functions run as usual. Then the process ends at
        once: Python would take seconds to free what PyTorch holds, and schedulers do not wait long.
        """
        if not self.should_stop():
            return
        print(f'ddpsubmit: stopped on request after step {self._done or 0}', file=sys.stderr, flush=True)
        self._leaves = True
        sys.exit(STOPPED)

    def phase(self, name: str) -> Phase:
        """Reports that this rank is now in another phase than training steps: 'checkpoint', 'evaluate', or a name of your own.

        The phase lasts until the next step(), or until the end of a `with` statement. `status` shows it. Hang detection treats
        each phase separately: a rank that waits for another rank in a phase is not reported as hanging. Call it again with the
        same name to report that the phase makes progress.
        """
        before = self._phase
        if not name.isprintable() or not name.isascii() or not 1 <= len(name) < _page.NAME_SIZE:
            raise ValueError(f'phase() needs a name of 1 to {_page.NAME_SIZE - 1} printable ASCII characters, not {name!r}')
        if self._page is not None:
            if name == 'step':
                self._resume_clock()
            else:
                self._stop_clock()
            self._enter(name)
        return Phase(self, before)

    def log(self, **values: Union[int, float]) -> None:
        """Logs metrics of the training: log(loss=0.3, learning_rate=0.1). Rank 0 appends them to metrics.jsonl in the run folder.

        `status` shows them. They belong to the step of the last call of step(). A tensor on a device is refused because reading
        it waits for the device; pass tensor.item() if you accept that.
        """
        if self._page is None:
            return
        numbers = {name: _number(name, value) for name, value in values.items()}
        for name, value in numbers.items():
            self._page.set_metric(name, math.nan if value is None else value)
        if self.job.rank == 0:
            self._write_record('evaluate' if self._phase == 'evaluate' else 'train', numbers)

    def _begin_steps(self, n: int, total: Optional[int]) -> None:
        """Of an attempt, after another phase, or with another total."""
        page = self._page
        assert page is not None
        if operator.index(n) < 0:
            raise ValueError(f'step() needs the number of finished steps, not {n!r}')
        self._total = total
        page.words[_page.TOTAL_STEPS] = max(0, int(total or 0))
        first = self._done is None
        if page.words[_page.FIRST_STEP] == 0:  # of the attempt, whichever program of the rank tells it
            page.words[_page.FIRST_STEP] = max(n, 1)
        self._done = n
        page.halves[_page.USES] |= _page.TELLS_STEPS
        self._resume_clock()
        self._enter('step')
        if first and self.job.rank == 0:
            self._write_record('first_step', {})

    def _enter(self, name: str) -> None:
        page = self._page
        assert page is not None
        page.words[_page.PARTS] += 1
        page.halves[_page.PHASE] = page.number_of_phase(name)
        self._phase = name
        self._training = name == 'step'

    def _begin_asking(self) -> None:
        """Python lets the main thread alone take signals: until that asks, they end this process."""
        assert self._page is not None
        if threading.current_thread() is not threading.main_thread():
            return
        self._asks = True
        _ignore_signals()
        self._page.halves[_page.USES] |= _page.HEEDS_STOPS

    def _agree(self, n: int) -> bool:
        """Whether the stop step is reached; waits until it is known."""
        page = self._page
        assert page is not None
        stop_step: int = page.words[_page.STOP_STEP]
        page.halves[_page.WAITS_FOR_PEERS] = 1
        try:
            while stop_step == _page.HOLD:
                time.sleep(HOLD_PAUSE)
                stop_step = page.words[_page.STOP_STEP]
        finally:
            page.halves[_page.WAITS_FOR_PEERS] = 0
        if stop_step <= n:
            self._record_steps()
        return stop_step <= n

    def _record_steps(self) -> None:
        """How far the program is, and the time that its steps have taken: of one that logs nothing, too."""
        if self.job.rank == 0 and self._done is not None:
            self._write_record('steps', {})

    def _resume_clock(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def _stop_clock(self) -> None:
        if self._since is None:
            return
        self._trained = self._time_trained()
        self._since = None
        self._record_steps()

    def _time_trained(self) -> float:
        return self._trained + (time.monotonic() - self._since if self._since is not None else 0.0)

    def _write_record(self, kind: str, numbers: Dict[str, Optional[float]]) -> None:
        """One write a record, so that a reader sees whole lines. A full disk costs records, not the training."""
        record: Dict[str, Any] = {'kind': kind, 'attempt': self.job.attempt, 'step': self._done or 0, **numbers}
        now = time.time()
        record['time'] = time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now)) + f'.{int(now * 1000) % 1000:03}Z'
        if self._total and self._total > 0:
            record['total_steps'] = self._total
        record['trained_ms'] = round(self._time_trained() * 1000, 3)
        line = json.dumps(record, separators=(',', ':')).encode() + b'\n'
        try:
            if self._metrics_file < 0:
                assert self.job.run_dir is not None
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
                self._metrics_file = os.open(self.job.run_dir / 'metrics.jsonl', flags, 0o600)
            os.write(self._metrics_file, line)
        except OSError:
            pass

    def leave(self) -> None:
        """Ends a process that was stopped on request, unless it has failed since."""
        if not self._leaves or hasattr(sys, 'last_type'):
            return
        children = sys.modules.get('multiprocessing.util')
        if children is not None:
            getattr(children, '_exit_function')()  # it may be registered to run after this one
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(STOPPED)

    def forget(self) -> None:
        """This process is a child of the rank, and none itself."""
        self._page = self._words = None
        self._stops = self._leaves = False


def _number(name: str, value: Any) -> Optional[float]:
    """For JSON; None: it is not finite."""
    if name in RESERVED:
        raise TypeError(f"log() cannot use the name '{name}': ddpsubmit writes a field with that name itself")
    device = getattr(value, 'device', None)
    if device is not None and str(device) != 'cpu':
        raise TypeError(f"log() needs numbers, but '{name}' is on {device}: pass {name}.item(), which waits for the device")
    if isinstance(value, int) and abs(value) < 2**63:
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"log() needs numbers, but '{name}' is {type(value).__name__}") from None
    return number if math.isfinite(number) else None


def stop_signals() -> Set[int]:
    """What the launcher sends to processes that are to stop."""
    names = ('SIGTERM', 'SIG' + os.environ.get('DDPSUBMIT_STOP_SIGNAL', ''))
    return {getattr(signal, name) for name in names if hasattr(signal, name)}


def _ignore_signals() -> None:
    """Those of the launcher, where the program has no handler of its own. Children get them as before."""
    owner = os.getpid()

    def on_signal(number: int, frame: Any) -> None:
        if os.getpid() != owner:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    for number in stop_signals():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, on_signal)


def _offer_stack(page: _page.Page) -> None:
    """At a signal this process writes where it is into a memfd, for `ddpsubmit stack`: also in a call that does not return."""
    descriptor = _make_memfd(b'ddpsubmit-stack')
    if descriptor < 0:
        return
    faulthandler.register(STACK_SIGNAL, file=descriptor, all_threads=True, chain=False)
    page.halves[_page.STACK_DESCRIPTOR] = descriptor
    page.halves[_page.STACK_SIGNAL] = STACK_SIGNAL
    atexit.register(_withdraw_stack, page)


def _withdraw_stack(page: _page.Page) -> None:
    """From now on the signal might end this process."""
    page.halves[_page.STACK_SIGNAL] = 0


def _make_memfd(name: bytes) -> int:
    """Python has the function only where it was built with a new C library. -1: this one has none."""
    try:
        descriptor: int = ctypes.CDLL(None).memfd_create(name, MFD_CLOEXEC)
    except (AttributeError, OSError):
        return -1
    return descriptor


def _make_rank() -> Rank:
    page = _page.open_page(os.environ)
    rank = Rank(page, read_job(os.environ))
    if page is not None and signal.getsignal(STACK_SIGNAL) == signal.SIG_DFL:
        _offer_stack(page)
    if page is not None:
        atexit.register(rank.leave)  # functions that are registered later run before it
    os.register_at_fork(after_in_child=rank.forget)
    return rank


rank = _make_rank()
