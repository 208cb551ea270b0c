"""The time to start and to cancel a run of one rank on each of 1, 8 and 64 ssh hosts. The baseline is OpenSSH's `ssh HOST true` for as many hosts in
parallel.

The start is timed from the call of `ddpsubmit run` until the last rank has started. The cancellation is timed from the call of `ddpsubmit cancel`
until no process of the run is left on any host. The hosts are those of tests/rig/ssh_rig: each has its own sshd, and all are on this machine, so that
the work of the sshd is part of both sides' times.
"""

import re
import sys
import time
from pathlib import Path

from harness.bench import column, in_turns, wait_for
from harness.our_run import events, seconds_of, write_config
from harness.processes import processes_about
from harness.rows import Comparison, Goal

HOSTS = [1, 8, 64]
RIG = ["tests/rig/ssh_rig", "with", "--hosts", str(HOSTS[-1]), "--"]
RIG_STATE = Path("/run/rig")
LOOK_PAUSE = 0.02  # seconds
OURS = "ddpsubmit run"
PEER = "`ssh HOST true` in parallel"


def measure(bench):
    taken = in_turns(bench, {(side, hosts): make(bench, hosts) for hosts in HOSTS for side, make in ((OURS, ours), (PEER, theirs))})
    rows = []
    for hosts in HOSTS:
        mine = taken[OURS, hosts]
        on = f"{hosts} ssh host{'s' if hosts > 1 else ''}"
        rows.append(Comparison(f"{on}: from `ddpsubmit run` until all ranks have started", "s", column(mine, "started"), PEER, taken[PEER, hosts], ratio="share",
                               goal=Goal("share", 0.9), headline=hosts == HOSTS[-1]))
        rows.append(Comparison(f"{on}: from `ddpsubmit cancel` until no process is left", "s", column(mine, "gone"), PEER, taken[PEER, hosts], ratio="share"))
    return rows


def theirs(bench, hosts):
    names = "\n".join(f"node{k + 1}" for k in range(hosts))
    return lambda _turn: bench.run("xargs", "-P", hosts, "-I", "HOST", "ssh", "-o", "BatchMode=yes", "HOST", "true", stdin=names).seconds


def ours(bench, hosts):
    config = write_config(bench.folder / f"{hosts}-hosts", "hosts", "ssh", resources={"nodes": hosts},
                          ssh={"hosts": [f"node{k + 1}" for k in range(hosts)]}, command=["sleep", "600"])

    def run_and_cancel(_turn):
        before = logins(hosts)
        began = time.time()
        run_id = bench.run(bench.ddpsubmit, "run", config, "--detach").stdout
        run = config.parent / "runs" / run_id
        wait_for(lambda: len(events(run, "rank_started")) == hosts, pause=LOOK_PAUSE)
        started = max(map(seconds_of, events(run, "rank_started"))) - began
        if [after - count for after, count in zip(logins(hosts), before)] != [1] * hosts:
            sys.exit("not one session on each host")
        began = time.time()
        bench.run(bench.ddpsubmit, "cancel", run_id)
        wait_for(lambda: not any(processes_about(run)), pause=LOOK_PAUSE)
        return {"started": started, "gone": time.time() - began}

    return run_and_cancel


def logins(hosts):
    """How often somebody has logged in on each host."""
    return [len(re.findall("Accepted publickey", (RIG_STATE / f"node{k + 1}/sshd.log").read_text())) for k in range(hosts)]
