"""A DistributedDataParallel training that knows nothing of ddpsubmit, and in which rank 1, or 0, does what CASE says after 30 steps."""
import os
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

PAUSE = float(os.environ["PAUSE"])  # seconds: several times what ranks may do nothing for


def sleeps():
    time.sleep(10**6)


def leaves():
    """Without the collectives of the other ranks, and without a word."""
    os._exit(0)


def leaves_a_collective_alone():
    """It waits in a barrier, while the others wait for its gradients."""
    dist.barrier()


def evaluates():
    """The others wait for it in their next collective."""
    end = time.monotonic() + PAUSE
    while time.monotonic() < end:
        torch.randn(200, 200) @ torch.randn(200, 200)


def compiles():
    """Another process computes."""
    subprocess.run([sys.executable, "-c", f"import time; end = time.time() + {PAUSE}\nwhile time.time() < end: pass"], check=True)


class SlowSource(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        end = time.monotonic() + PAUSE
        while time.monotonic() < end:
            self.wfile.write(bytes(8192))
            time.sleep(0.1)

    def log_message(self, *_):
        pass


def downloads():
    """80 KB a second: hardly any CPU time."""
    server = HTTPServer(("127.0.0.1", 0), SlowSource)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/") as answer:
        while answer.read(65536):
            pass


CASES = {case.__name__: case for case in (
    sleeps, leaves, leaves_a_collective_alone, evaluates, compiles, downloads)}


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DistributedDataParallel(torch.nn.Linear(20, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 41):
        if step == 31 and rank == int(os.environ["CULPRIT"]) and os.environ["DDPSUBMIT_ATTEMPT"] == "0":
            CASES[os.environ["CASE"]]()
        optimizer.zero_grad()
        model(torch.randn(8, 20)).sum().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
