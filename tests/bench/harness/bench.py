"""What a pair is given, and what runs its programs."""

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
PYTHON_SIDE = REPOSITORY / "tests/bench/python"
TURNS = 7
LONGEST = 120  # seconds that ranks of the Python side may take


@dataclass(frozen=True)
class Done:
    stdout: str
    seconds: float  # of the whole process


@dataclass(frozen=True)
class Bench:
    bin: Path  # where ddpsubmit is
    python: Path  # with torch, torchvision, submitit, tensorboard
    folder: Path  # of this pair alone, empty
    turns: int = TURNS

    @property
    def ddpsubmit(self):
        return self.bin / "ddpsubmit"

    def environment(self, **more):
        """One thread a rank on both sides, and nothing written outside of the folder."""
        return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "XDG_STATE_HOME": str(self.folder / "state"),
                "XDG_CONFIG_HOME": str(self.folder / "config"), "TORCHINDUCTOR_CACHE_DIR": str(self.folder / "compiled"), **more}

    def run(self, *argv, stdin=None, **environment):
        """Runs a program to its end. One that fails ends the measurement, with what it said."""
        began = time.monotonic()
        done = subprocess.run([str(word) for word in argv], env=self.environment(**environment), cwd=self.folder, input=stdin,
                              capture_output=True, text=True)
        seconds = time.monotonic() - began
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, argv))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return Done(done.stdout.strip(), seconds)

    def python_ranks(self, ranks, script, *arguments, longest=None):
        """Runs a script of the Python side as the ranks of a process group on this machine, without torchrun. What rank 0 printed.

        Where one rank is gone the others may wait for it for ever: after `longest` seconds (default: LONGEST) once more.
        """
        try:
            return finish(self._start_python_ranks(ranks, script, *arguments), longest)
        except subprocess.TimeoutExpired:
            print(f"  {Path(script).name}: not all ranks have ended; once more", file=sys.stderr, flush=True)
            return finish(self._start_python_ranks(ranks, script, *arguments), longest)

    def _start_python_ranks(self, ranks, script, *arguments):
        port = free_port()
        return [self.start(self.python, script, *arguments, stdout=subprocess.PIPE, RANK=str(rank), LOCAL_RANK=str(rank),
                           WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port)) for rank in range(ranks)]

    def start(self, *argv, stdout=None, **environment):
        return subprocess.Popen([str(word) for word in argv], env=self.environment(**environment), cwd=self.folder, text=True, stdout=stdout)

    def torchrun(self, ranks, script, *arguments):
        """The words of a command that starts `script` of the Python side on this machine."""
        return [self.python, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", script, *arguments]


def finish(processes, longest=None):
    """What the first of some processes printed, once all have ended. One that failed ends the measurement. They may take `longest` seconds together;
    default: LONGEST."""
    end = time.monotonic() + (longest or LONGEST)
    try:
        said = [process.communicate(timeout=max(0, end - time.monotonic()))[0] for process in processes]
    except subprocess.TimeoutExpired:
        report_failed(processes)  # for which the others may have waited
        raise
    finally:
        for process in processes:
            process.kill()  # does nothing to one that has ended
            process.wait()
    report_failed(processes)
    return said[0].strip()


def report_failed(processes):
    """Ends the measurement where one has failed."""
    if failed := [process for process in processes if process.poll()]:
        sys.exit(f"{' '.join(failed[0].args)} ended with {failed[0].returncode}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def in_turns(bench, sides, turns=None, warm_up=None):
    """Calls each side's function, one after the other, once to warm up and then `turns` times. What they have returned, by the side's name.

    A function is given the number of the turn, 0 for the one that warms up. `warm_up`: the sides that do; default: all.
    """
    turns = turns or bench.turns
    returned = {side: [] for side in sides}
    for turn in range(turns + 1):
        for side, measure in sides.items():
            if turn == 0 and warm_up is not None and side not in warm_up:
                continue
            value = measure(turn)
            print(f"  {'warm-up' if turn == 0 else f'turn {turn}':8} {label(side):28} {shown(value)}", file=sys.stderr, flush=True)
            if turn > 0:
                returned[side].append(value)
    return returned


def label(side):
    return side if isinstance(side, str) else ", ".join(map(str, side))


def shown(value):
    if isinstance(value, dict):
        return "  ".join(f"{key} {shown(part)}" for key, part in value.items())
    return "-" if value is None else f"{value:.4g}"


def column(values, key):
    return [value[key] for value in values]


def wait_for(happened, seconds=600, pause=0.002):
    """What `happened` returns, once that is true; None after so many seconds. Who looks often takes time from the ranks."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := happened():
            return value
        time.sleep(pause)
    return None
