"""Two processes send each other so many bytes over one TCP connection, both at once. Rank 0 prints the milliseconds until both have all."""

import os
import socket
import sys
import threading
import time


def connect():
    address = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    if os.environ["RANK"] == "0":
        with socket.create_server(address) as server:
            return server.accept()[0]
    while True:
        try:
            return socket.create_connection(address)
        except ConnectionRefusedError:
            time.sleep(0.01)


def receive(connection, size):
    while size > 0:
        size -= len(connection.recv(min(size, 1 << 20)))


def exchange(connection, size):
    sender = threading.Thread(target=connection.sendall, args=(bytes(size),))
    sender.start()
    receive(connection, size)
    sender.join()
    connection.sendall(b"x")  # the other one has all, too
    receive(connection, 1)


def main():
    size = int(sys.argv[1])
    with connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        exchange(connection, size // 8)  # the window has grown
        began = time.perf_counter()
        exchange(connection, size)
        if os.environ["RANK"] == "0":
            print(1000 * (time.perf_counter() - began))


if __name__ == "__main__":
    main()
