"""The time from `pip install` to the end of the first run, in an environment that has torch. ddpsubmit follows the first two blocks of the README;
the baseline is submitit with torch.

Both sides install wheels from the disk, without a network, into a new virtual environment. The creation of the environment is not timed; torch and
its dependencies are links in it. Then two ranks train the same small model on random data: with `ddpsubmit run` on one side, and with Python's
DistributedDataParallel as a job of submitit's LocalExecutor on the other. Both sides evaluate after each of five epochs and save the state at the
end.
"""

import re

from harness.bench import PYTHON_SIDE, REPOSITORY, column, in_turns
from harness.environments import make_environment, repack
from harness.rows import Comparison, Goal

OURS = "ddpsubmit"
PEER = "submitit + torch"
PEER_PACKAGES = ["submitit", "cloudpickle"]  # what torch does not bring
MISSED = ("most of the time is spent in pip. The wheel of the trainer depends on torch, so that pip also checks the thirty dependencies of torch; submitit does "
          "not depend on torch. The next row of the table shows the ratio for the first run alone.")


def readme_configuration():
    return re.search(r"^cat >first.yaml <<'EOF'\n(.*?)^EOF$", (REPOSITORY / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]


def measure(bench):
    (bench.folder / "first.yaml").write_text(readme_configuration())
    ours, theirs = bench.folder / "ours", bench.folder / "theirs"
    bench.run(REPOSITORY / "scripts/package", f"--build={bench.bin.parent}", f"--output={ours}", "wheels")
    theirs.mkdir()
    for name in PEER_PACKAGES:
        repack(name, bench.python, theirs)

    def of(side, wheels, *first_run):
        """A function that installs the wheels, and begins the first run with a program of the environment."""

        def take(turn):
            programs = make_environment(bench.folder / f"{side}-{turn}", bench.python, PEER_PACKAGES).parent
            installed = bench.run(programs / "pip", "install", "--no-index", "--disable-pip-version-check", *wheels)
            ran = bench.run(programs / first_run[0], *first_run[1:])
            return {"whole": installed.seconds + ran.seconds, "first run": ran.seconds}

        return take

    taken = in_turns(bench, {OURS: of("ours", sorted(ours.glob("*.whl")), "ddpsubmit", "run", "first.yaml"),
                             PEER: of("theirs", sorted(theirs.glob("*.whl")), "python", PYTHON_SIDE / "install_peer.py", bench.folder / "jobs")})

    def compare(what, key, **more):
        return Comparison(what, "s", column(taken[OURS], key), PEER, column(taken[PEER], key), **more)

    return [compare("from `pip install` to the end of the first run, 2 ranks", "whole", goal=Goal("speedup", 3, MISSED)),
            compare("of this, the first run", "first run")]
