"""What pairs on the Slurm of tests/rig share."""

import json
import re
import subprocess
from datetime import datetime
from pathlib import Path

NODES = 2
RESOURCES = {"nodes": NODES, "tasks_per_node": 1, "cpus_per_task": 1, "time": "00:10:00"}
CONTROLLER_LOG = Path("/run/rig/log/slurmctld.log")


def job_of(run):
    return json.loads((run / "ledger/submit.jsonl").read_text().splitlines()[-1])["job_id"]


def queue_is_empty():
    return not subprocess.check_output(["squeue", "-h"], text=True).strip()


def started_at(job):
    """When the controller gave the job its nodes, in seconds since 1970."""
    line = re.search(rf"^\[(.*)\].*(?:Allocate|Started) JobId={job} ", CONTROLLER_LOG.read_text(), re.MULTILINE)
    return datetime.fromisoformat(line[1]).timestamp()
