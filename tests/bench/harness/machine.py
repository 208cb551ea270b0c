"""Where and with what a measurement was made."""

import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from .bench import REPOSITORY

REPORTS = ["docs/benchmarks.md", "docs/benchmarks.json", "README.md"]


def output_of(*argv):
    return subprocess.run(argv, capture_output=True, text=True, cwd=REPOSITORY).stdout.strip()


def processor():
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def gpu():
    """By its driver's name; None where there is none."""
    if not Path("/dev/nvidia0").exists():
        return None
    return output_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()[0]


def gibibytes():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def commit():
    """With a word where the working tree differs from it, but for what a measurement writes."""
    changed = [line for line in output_of("git", "status", "--porcelain").splitlines() if line[3:] not in REPORTS]
    return output_of("git", "rev-parse", "--short=10", "HEAD") + (" and changes" if changed else "")


def debian(package):
    return output_of("dpkg-query", "--show", "--showformat=${Version}", package) or "none"


def versions(bench):
    packages = ["torch", "torchvision", "submitit", "tensorboard"]
    code = f"import importlib.metadata as m; found = {{d.name: d.version for d in m.distributions()}}; print(*(found.get(name, 'none') for name in {packages}))"
    found = output_of(str(bench.python), "-c", code).split()
    return {"ddpsubmit": output_of(str(bench.ddpsubmit), "--version").splitlines()[0].split()[-1],
            "compiler": output_of("c++", "-dumpfullversion"),
            "Python": output_of(str(bench.python), "--version").split()[-1],
            **dict(zip(packages, found)),
            "Slurm": debian("slurm-wlm"), "OpenSSH": debian("openssh-client")}


def describe(bench):
    """A plain dict: two measurements with the same one can be compared."""
    return {"processor": processor(), "cpus": len(os.sched_getaffinity(0)), "memory_gib": gibibytes(), "gpu": gpu(),
            "kernel": platform.release(), "versions": versions(bench), "commit": commit()}


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M")
