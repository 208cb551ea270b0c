"""The rendezvous of 64, 256 and 1,024 ranks, simulated by as many threads on one machine: from the first connection until all know that all are there.

Each connects to the store, compares the nonce, tells its address and waits for the others (tests/bench/store_clients.cpp). The work is a few round trips for
each rank, so that as long as the store keeps up, twice the ranks take twice the time.
"""

from harness.bench import in_turns
from harness.rows import Growth

CLIENTS = [64, 256, 1024]


def measure(bench):
    program = bench.bin / "store_clients"
    taken = in_turns(bench, {f"{clients} clients": lambda _turn, clients=clients: float(bench.run(program, clients).stdout) for clients in CLIENTS})
    return [Growth("rendezvous over the store", "ms", "ranks", [(clients, taken[f"{clients} clients"]) for clients in CLIENTS])]
