#!/usr/bin/python3 -B
"""type_in_shell.py SHELL KEYS: types KEYS and Enter into an interactive bash or zsh that completes ddpsubmit.

In that shell, `ddpsubmit` is a function that says with which words it is called; the completion asks the program in PATH. Prints what the
terminal shows.
"""
import os
import pty
import sys

SAY = 'ddpsubmit() { echo "ran: $*"; }'
SHELLS = {
    'bash': (['bash', '--norc', '--noprofile', '-i'], 'source <(ddpsubmit completion bash)'),
    'zsh': (['zsh', '-f', '-i'], 'autoload -Uz compinit; compinit -u -D; source <(command ddpsubmit completion zsh)'),
}
READY = 'ready' + '-now'  # the command line shows it in two parts


def read_until(terminal, mark):
    """What the terminal shows until it shows the mark, or until the shell has ended."""
    shown = b''
    while mark is None or mark not in shown:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the shell has closed its end
            break
        if not part:
            break
        shown += part
    return shown


def main():
    shell, keys = sys.argv[1:]
    argv, load = SHELLS[shell]
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM='dumb', PS1='$ ', INPUTRC='/dev/null')
        os.execvp(argv[0], argv)
    os.write(terminal, f"{load}; {SAY}; echo ready'-now'\n".encode())
    shown = read_until(terminal, READY.encode())
    os.write(terminal, keys.encode() + b'\n')
    shown += read_until(terminal, b'ran: ')
    os.write(terminal, b'exit\n')
    shown += read_until(terminal, None)
    os.waitpid(pid, 0)
    sys.stdout.buffer.write(shown)


if __name__ == '__main__':
    main()
