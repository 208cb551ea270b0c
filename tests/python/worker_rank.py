"""A rank with worker processes: worker_rank.py START_METHOD PROTECTION ENDING. Reads a line from stdin before it goes on."""
import ddpsubmit

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

METHOD, PROTECTION, ENDING = sys.argv[1:]
if PROTECTION == 'all':
    ddpsubmit.protect_workers()
threading.Thread(target=threading.Event().wait, daemon=True).start()  # as numpy starts some, which a spawned worker has, too


def blocked(status):
    """Whether a process with these lines of /proc/PID/status blocks SIGTERM."""
    line, = (line for line in status.splitlines() if line.startswith('SigBlk:'))
    return bool(int(line.split()[1], 16) >> signal.SIGTERM - 1 & 1)


def children_block():
    """Of the programs and processes that this one starts, in each of the ways that Python has."""
    show = ['/bin/cat', '/proc/self/status']
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        with open('/proc/self/status') as file:
            os.write(write_end, file.read().encode())
        os._exit(0)
    os.wait()
    return [blocked(subprocess.check_output(show, text=True)), blocked(subprocess.check_output(show, text=True, close_fds=False)),
            blocked(subprocess.check_output(show, text=True, preexec_fn=int)), blocked(os.popen(' '.join(show)).read()),
            blocked(os.read(read_end, 65536).decode())]


def end_a_program():
    program = subprocess.Popen(['sleep', '600'])
    program.terminate()
    return program.wait()


def work(pipe, initialize, wait):
    if initialize is not None:
        initialize(0)
    pipe.send(os.getpid())
    while True:
        pipe.send(pipe.recv()())
        if wait:
            ctypes.CDLL(None).pause()  # a call that does not return


def main():
    context = multiprocessing.get_context(METHOD)
    ours, theirs = context.Pipe()
    initialize = ddpsubmit.worker_init if PROTECTION == 'each' else None
    worker = context.Process(target=work, args=(theirs, initialize, ENDING in ('terminate a call', 'kill')), daemon=True)
    worker.start()
    theirs.close()
    server = multiprocessing.forkserver._forkserver._forkserver_pid if METHOD == 'forkserver' else None
    ddpsubmit.should_stop()
    print(ours.recv(), *[server] * bool(server), flush=True)
    sys.stdin.readline()

    def ask(question):
        try:
            ours.send(question)
            return ours.recv()
        except (EOFError, ConnectionError):
            return 'gone'

    print(ask(os.getppid) in (os.getpid(), server), flush=True)
    if ENDING == 'children':
        print(ask(children_block), ask(end_a_program))
    if ENDING == 'raise':
        raise ValueError('boom')
    if ENDING == 'kill':
        os.kill(os.getpid(), signal.SIGKILL)
    if ENDING == 'terminate while a signal waits':
        os.kill(worker.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, worker.pid, os.WSTOPPED | os.WNOWAIT)
        subprocess.run(['kill', str(worker.pid)])
    if ENDING.startswith('terminate'):
        worker.terminate()
        if ENDING == 'terminate while a signal waits':
            os.kill(worker.pid, signal.SIGCONT)
        worker.join()
        print(worker.exitcode)


if __name__ == '__main__':
    main()
