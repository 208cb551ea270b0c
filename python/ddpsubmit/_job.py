"""What a rank knows about its job."""
import datetime
import os
import pathlib
import re
from dataclasses import dataclass
from typing import List, Mapping, Optional


@dataclass(frozen=True)
class Job:
    """The job that this process is a rank of, the same under every launcher.

    Outside of ddpsubmit it is read from RANK, WORLD_SIZE, ... as torchrun sets them; without these it is a single rank.
    """

    run_id: str
    """Run id; empty outside of ddpsubmit, as is `launcher`."""
    run_dir: Optional[pathlib.Path]
    """The run folder; None outside of ddpsubmit."""
    output_dir: pathlib.Path
    """Folder for checkpoints and other files of the run. Its files stay after restarts, requeues and `ddpsubmit rerun`. All ranks
    of a host use the same folder; so do all hosts if they share the run folder. Outside of ddpsubmit: the current folder."""
    attempt: int
    """0 for the first start of all ranks; each restart and each requeue adds one."""
    launcher: str
    """local, slurm or ssh."""
    job_id: str
    """Job id of the scheduler; empty without a scheduler."""
    rank: int
    local_rank: int
    node_rank: int
    world_size: int
    local_world_size: int
    hostnames: List[str]
    """Host names, indexed by node rank; empty outside of ddpsubmit."""
    node_name: str
    master_address: str
    master_port: int
    """0: unknown."""
    cpus_per_task: int
    deadline: Optional[datetime.datetime]
    """Time in UTC at which the time limit ends the job; None: unknown, or no time limit."""

    def time_left(self) -> Optional[float]:
        """Seconds until the deadline, negative after it; None: no deadline is known."""
        if self.deadline is None:
            return None
        return (self.deadline - datetime.datetime.now(datetime.timezone.utc)).total_seconds()


def read_job(environment: Mapping[str, str]) -> Job:
    """Reads the variables that ddp-agent sets, or those of torchrun."""
    run_dir = environment.get('DDPSUBMIT_RUN_DIR', '')
    own = bool(run_dir)

    def text(name: str, default: str = '') -> str:
        return environment.get('DDPSUBMIT_' + name, default) if own else default

    def number(*names: str, default: int = 0) -> int:
        """Of the first of these variables that holds a number."""
        found = (environment.get(name, '') for name in names if own or not name.startswith('DDPSUBMIT_'))
        return next((int(value) for value in found if value.isdecimal()), default)

    deadline = text('DEADLINE')
    return Job(
        run_id=text('RUN_ID'),
        run_dir=pathlib.Path(run_dir) if own else None,
        output_dir=pathlib.Path(text('OUTPUT_DIR') or (os.path.join(run_dir, 'output') if own else '.')),
        attempt=number('DDPSUBMIT_ATTEMPT', 'TORCHELASTIC_RESTART_COUNT'),
        launcher=text('LAUNCHER'),
        job_id=text('JOB_ID'),
        # Who starts processes of its own within a rank, such as torchrun, sets torch's names for them.
        rank=number('RANK', 'DDPSUBMIT_RANK'),
        local_rank=number('LOCAL_RANK', 'DDPSUBMIT_LOCAL_RANK'),
        node_rank=number('GROUP_RANK', 'DDPSUBMIT_NODE_RANK'),
        world_size=number('WORLD_SIZE', 'DDPSUBMIT_WORLD_SIZE', default=1),
        local_world_size=number('LOCAL_WORLD_SIZE', 'DDPSUBMIT_LOCAL_WORLD_SIZE', default=1),
        hostnames=expand_hosts(text('HOSTNAMES')),
        node_name=text('NODE_NAME') or os.uname().nodename,
        master_address=text('MASTER_ADDRESS') or environment.get('MASTER_ADDR', ''),
        master_port=number('DDPSUBMIT_MASTER_PORT', 'MASTER_PORT'),
        cpus_per_task=number('DDPSUBMIT_CPUS_PER_TASK', 'OMP_NUM_THREADS', default=1),
        deadline=datetime.datetime.fromtimestamp(int(deadline), datetime.timezone.utc) if deadline else None)


def expand_hosts(compressed: str) -> List[str]:
    """Slurm's notation of hosts: 'a[1-3,07],b' means a1, a2, a3, a07, b."""
    hosts: List[str] = []
    for pattern in re.findall(r'(?:\[[^\]]*\]|[^,\[])+', compressed):
        hosts.extend(_expand(pattern))
    return hosts


def _expand(pattern: str) -> List[str]:
    found = re.search(r'\[([^\]]*)\]', pattern)
    if found is None:
        return [pattern]
    names: List[str] = []
    for part in found.group(1).split(','):
        first, _, last = part.partition('-')
        for value in range(int(first), int(last or first) + 1):
            names.extend(_expand(f'{pattern[:found.start()]}{value:0{len(first)}}{pattern[found.end():]}'))
    return names
