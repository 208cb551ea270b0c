"""Writes how a rank was started, its arguments and the variables that torchrun sets, to FOLDER/start.RANK.json.

show_start.py FOLDER [ARGUMENT...]; run by a rank under torchrun or ddpsubmit.
"""

import json
import os
import sys
from pathlib import Path

NAMES = ('RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK GROUP_WORLD_SIZE ROLE_NAME ROLE_RANK ROLE_WORLD_SIZE '
         'MASTER_ADDR MASTER_PORT OMP_NUM_THREADS TORCH_NCCL_ASYNC_ERROR_HANDLING TORCHELASTIC_RESTART_COUNT '
         'TORCHELASTIC_MAX_RESTARTS TORCHELASTIC_RUN_ID TORCHELASTIC_USE_AGENT_STORE TORCHELASTIC_ERROR_FILE').split()

if __name__ == '__main__':
    words = Path('/proc/self/cmdline').read_text().split('\0')[1:-1]  # sys.orig_argv is newer than Debian 11
    start = {'arguments': sys.argv[2:], 'unbuffered': sys.stdout.write_through,
             'words': words, 'environment': {name: os.environ.get(name) for name in NAMES}}
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    (folder / f"start.{os.environ['RANK']}.json").write_text(json.dumps(start, indent=1, sort_keys=True))
