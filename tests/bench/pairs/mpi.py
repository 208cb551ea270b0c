"""The start of an MPI program, and all-reduces of a training over MPI.

From the command to the end of a program of 4 ranks that makes one all-reduce: `ddpsubmit run`, which connects the ranks by PMI-1, and MPICH's mpiexec.

All-reduces of float32 tensors on the CPU, as a training makes them: over MPI (MPICH 5), over Gloo, and in the memory that the ranks of one host share,
which is what a training uses there by default.

The ranks run tests/trainer_parts/mpi_collectives.cpp; MPICH's mpiexec starts them on all three sides. Each has one thread for computing. A turn takes the median
of 40 all-reduces, or of 8 from 16 MiB on, each after a barrier, at rank 0.
"""

import json
import shutil
import statistics
import subprocess

from harness.bench import REPOSITORY, column, free_port, in_turns
from harness.our_run import on_this_machine, write_config
from harness.rows import Comparison, Goal

STARTED = 4
RANKS = [2, 4]
SIZES = {"64 KiB": 1 << 16, "1 MiB": 1 << 20, "16 MiB": 1 << 24, "64 MiB": 1 << 26}
MISSED = ("`ddpsubmit run` starts and ends four ranks of `true` in 32 ms, and mpiexec in 16 ms: it also writes a run folder, which outlives a crash of the "
          "machine (about 30 calls of fsync), and starts the process that supervises the run. The rest of the time is that of the MPI program itself.")
PEERS = {"gloo": "Gloo", "memory": "shared memory"}


def mpi_folder():
    """Of scripts/mpi_venv."""
    return subprocess.check_output([str(REPOSITORY / "scripts/mpi_venv"), "--folder"], text=True).strip()


def all_reduces(bench, ranks, backend):
    """Milliseconds of an all-reduce, by the name of its size."""
    folder = bench.folder / f"{backend}-{ranks}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    home = mpi_folder()
    bench.run(f"{home}/bin/mpiexec", "-n", ranks, bench.bin / "mpi_rank", folder, free_port(), bench.bin / "trainer_parts", "mpi_collectives", "times", backend,
              DDPTRAIN_MPI_LIBRARY=f"{home}/lib/libmpi_abi.so.1")
    seconds = json.loads((folder / "rank-0.out").read_text())
    return {name: statistics.median(seconds[str(size)]) * 1e3 for name, size in SIZES.items()}


def start(bench):
    """Seconds of both sides."""
    home = mpi_folder()
    program = bench.folder / "mpi_program"
    bench.run(f"{home}/bin/mpicc", "-O1", "-o", program, REPOSITORY / "tests/mpi/mpi_program.c", f"-Wl,-rpath,{home}/lib")
    config = write_config(bench.folder, "mpi-start", resources=on_this_machine(STARTED), rendezvous={"backend": "mpi"}, command=[str(program), "once"])
    taken = in_turns(bench, {
        "ddpsubmit run": lambda _turn: bench.run(bench.ddpsubmit, "run", config).seconds,
        "mpiexec": lambda _turn: bench.run(f"{home}/bin/mpiexec", "-n", STARTED, program, "once").seconds,
    })
    return Comparison(f"MPI program of {STARTED} ranks, from the command to its end", "s", taken["ddpsubmit run"], "mpiexec", taken["mpiexec"],
                      goal=Goal("speedup", 1, missed=MISSED))


def measure(bench):
    sides = {(ranks, backend): lambda _turn, ranks=ranks, backend=backend: all_reduces(bench, ranks, backend)
             for ranks in RANKS for backend in ("mpi", *PEERS)}
    taken = in_turns(bench, sides)

    def compare(ranks, size, backend, **more):
        return Comparison(f"all-reduce of {size}, {ranks} ranks", "ms", column(taken[ranks, "mpi"], size), PEERS[backend], column(taken[ranks, backend], size),
                          **more)

    return [start(bench)] + [row for ranks in RANKS for size in SIZES
            for row in (compare(ranks, size, "gloo", goal=Goal("speedup", 1)), compare(ranks, size, "memory"))]
