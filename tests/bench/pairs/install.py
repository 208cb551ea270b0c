"""From `pip install` to the end of the first run, in an environment that has torch: README's first two blocks, against submitit and torch.

Both sides install wheels that lie on the disk, without a network, into a new virtual environment, which is not timed; torch and what it needs are links
in it. Then two ranks train the same small model on data that is made up: ours with `ddpsubmit run`, Python's DistributedDataParallel as a job of
submitit's LocalExecutor. Both evaluate after each of five epochs and save the state at the end.
"""

import re

from harness.bench import PYTHON_SIDE, REPOSITORY, column, in_turns
from harness.environments import make_environment, repack
from harness.rows import Comparison, Goal

OURS = "ddpsubmit"
PEER = "submitit + torch"
PEER_PACKAGES = ["submitit", "cloudpickle"]  # what torch does not bring
MISSED = ("most of our time is pip's: since the trainer's wheel asks for torch, pip looks whether the thirty packages that torch asks for are there, too; submitit does "
          "not ask for torch. The ratio of the first run alone is that of the row below.")


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

    return [compare("from `pip install` to the end of the first run, 2 ranks", "whole", goal=Goal("speedup", 3, MISSED), headline=True),
            compare("of that, the first run", "first run")]
