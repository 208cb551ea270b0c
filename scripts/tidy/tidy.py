#!/usr/bin/python3 -B
"""Runs clang-tidy on all sources, as the build unites them: reading LibTorch's headers takes longer than checking a file.

usage: tidy.py BUILD JOBS: BUILD is a build folder that was configured with CMAKE_UNITY_BUILD

passed.txt has a digest for each group that has passed: of its sources, of the headers of this project that they include, and of the
checks. Such a group is not checked again. The file is written after each group, so the run can be stopped at any time.
"""

import concurrent.futures
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PASSED = ROOT / "scripts" / "tidy" / "passed.txt"
TIDY = "clang-tidy-16"
sys.path.insert(0, str(ROOT / "tests" / "layers"))
from folders import files_included_by  # noqa: E402


def groups_in(build):
    """{name: (file that is compiled, [source of this project, ...])}"""
    groups = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        file = Path(command["file"])
        united = re.findall(r'#include "([^"]+)"', file.read_text()) if "/Unity/" in str(file) else [str(file)]
        sources = [Path(name).relative_to(ROOT) for name in united if Path(name).is_relative_to(ROOT)]
        sources = [source for source in sources if source.parts[0] in ("cli", "jobenv", "trainer")]
        if sources:
            name = f"{sources[0]}+{len(sources) - 1}" if len(sources) > 1 else str(sources[0])
            groups[name] = (file, sources)
    return groups


def with_headers(sources):
    """The sources, and what they include of this project, at any depth."""
    found, left = set(), list(sources)
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += files_included_by(ROOT, file)
    return sorted(found)


def digest_of(sources):
    sums = [hashlib.sha256((ROOT / file).read_bytes()).hexdigest() for file in [Path(".clang-tidy"), *with_headers(sources)]]
    return hashlib.sha256("\n".join(sums).encode()).hexdigest()[:16]


def check(build, file):
    # In a group, a name of one source may shadow that of another.
    return subprocess.run([TIDY, "--quiet", "--extra-arg=-Wno-shadow", f"-p={build}", str(file)], capture_output=True, text=True)


def main():
    build, jobs = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    groups = groups_in(build)
    digests = {name: digest_of(sources) for name, (_, sources) in groups.items()}
    known = dict(reversed(line.split()) for line in PASSED.read_text().splitlines()) if PASSED.exists() else {}
    passed = {name: digest for name, digest in digests.items() if known.get(name) == digest}
    print(f"clang-tidy: {len(passed)} of {len(groups)} groups have passed before", flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(check, build, groups[name][0]): name for name in sorted(groups) if name not in passed}
        failed = 0
        for done in concurrent.futures.as_completed(running):
            name, result = running[done], done.result()
            if result.returncode == 0:
                passed[name] = digests[name]
                PASSED.write_text("".join(f"{digest} {group}\n" for group, digest in sorted(passed.items())))
            else:
                failed += 1
                print(f"{name}:\n{result.stdout}{result.stderr}", flush=True)
    print(f"{sum(len(sources) for _, sources in groups.values())} sources in {len(groups)} groups")
    sys.exit(1 if failed else 0)


main()
