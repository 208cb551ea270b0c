"""Runs from outside: the program ddpsubmit is asked, and answers in JSON."""
import importlib
import json
import math
import numbers
import os
import pathlib
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Type, Union

ERROR_SCHEMA = 'ddpsubmit.error.v1'
WARNING = 'warning: '
NO_PROGRAM = 127  # as a shell says it


class Error(Exception):
    """ddpsubmit did not do what it was asked. Of most exit codes there is a class below; of the others it is this one."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message, exit_code)
        self.message = message
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.message


class UsageError(Error):
    """Exit code 2: the call makes no sense, such as the logs of a rank that the run does not have."""


class ConfigurationError(Error):
    """Exit code 3: the configuration is not valid. The message has all its errors, a line each: `train.yaml:4:3: ...`."""


class AuthenticationError(Error):
    """Exit code 4: an ssh host did not let ddpsubmit in, or its key is not known."""


class NotFound(Error):
    """Exit code 5: there is no such run or file, or nothing has been printed yet."""


class Refused(Error):
    """Exit code 6: the scheduler refused the job."""


class OutcomeUnknown(Error):
    """Exit code 7: nobody can tell what became of the run."""


class StillRunning(Error):
    """Exit code 8: the run goes on, though the time is over, or though it is to have ended."""


class PreflightFailed(Error):
    """Exit code 10: this machine or the cluster cannot run it, or Slurm could not be reached. Nothing was started."""


class ProgramNotFound(Error):
    """There is no program ddpsubmit; the exit code is 127."""


class RunFailed(Error):
    """Exit code 1: the run has ended, and did not succeed. `status` is its last one."""

    def __init__(self, message: str, status: 'RunStatus') -> None:
        super().__init__(message, 1)
        self.args = (message, status)  # with which pickle calls this
        self.status = status


ERRORS: Dict[int, Type[Error]] = {2: UsageError, 3: ConfigurationError, 4: AuthenticationError, 5: NotFound, 6: Refused,
                                  7: OutcomeUnknown, 8: StillRunning, 10: PreflightFailed}


@dataclass(frozen=True)
class RunStatus:
    """In which state a run is, and why."""

    state: str
    """queued, running, restarting, succeeded, failed, timed_out, preempted, cancelled, or unknown."""
    final: bool
    """Whether the run has ended, so that the state stays."""
    message: str
    """Why it is in this state; empty: there is nothing to say."""
    step: Optional[int]
    """How many steps are done; None: the run has told none."""
    total_steps: Optional[int]
    """Of the whole run; None: the run has told none."""
    exit_code: Optional[int]
    """With which the run ended; None: it has not."""
    raw: Dict[str, Any] = field(repr=False)
    """All that `ddpsubmit status --json` says of the run."""


@dataclass(frozen=True)
class Run:
    """A run, or a sweep of runs. All its functions raise Error, or one of the classes below it."""

    id: str
    folder: pathlib.Path
    """The run folder on this machine."""
    name: str
    launcher: str
    """local, slurm or ssh."""

    def status(self) -> RunStatus:
        """The state as it is now."""
        return _status_of(_only_run(_ask('status', self.id)))

    def wait(self, timeout: Optional[float] = None) -> RunStatus:
        """Waits until the run has ended, and returns its last status if it succeeded.

        timeout  seconds, rounded up to whole ones; None: as long as it takes
        Raises RunFailed if the run did not succeed, so also if it was cancelled, StillRunning if it has not ended in time, and
        OutcomeUnknown if nobody could tell its state then. An interrupt ends the waiting and leaves the run alone.
        """
        limit = [] if timeout is None else ['--timeout', f'{max(0, math.ceil(timeout))}s']
        answers, code = _ask('wait', *limit, self.id)
        status = _status_of(answers[0])
        if status.state == 'succeeded':
            return status
        if status.final:
            raise RunFailed(_explain_end(self.id, status), status)
        if status.state == 'unknown':
            raise _make_error(f'nobody knows whether run {self.id} goes on: {status.message}', code)
        raise _make_error(f'run {self.id} goes on ({status.state})', code)

    def logs(self, rank: Union[int, str, None] = None, stderr: bool = False, tail: Optional[int] = None) -> str:
        """What the ranks of the newest attempt have printed so far.

        rank    only this one, or a text such as '0-3,7' for several; None: all
        stderr  what they have printed to stderr, in place of what they have printed to stdout
        tail    only so many of the last lines of each rank
        Lines of several ranks have '[r0] ' in front. Where no rank has started, it is what the job itself has printed.
        Raises NotFound where that does not exist either.
        """
        words = [] if rank is None else ['--rank', str(rank)]
        words += ['--stderr' if stderr else '--stdout']
        words += [] if tail is None else ['--tail', str(tail)]
        lines, _ = _ask('logs', *words, self.id)
        several = len({line['rank'] for line in lines}) > 1
        return ''.join(f"[r{line['rank']}] {line['text']}\n" if several else f"{line['text']}\n" for line in lines)

    def metrics(self) -> Any:
        """The records of metrics.jsonl in the run folder, in their order; docs/trainer.md has their fields.

        A list with a dict for each record, or a DataFrame with a row for each where pandas can be imported. Steps that were done
        again after a restart are there once for each attempt; the field `attempt` tells which one it was.
        """
        if self.launcher == 'ssh':
            self.status()  # fetches the records from hosts that do not share the run folder
        if (self.folder / 'sweep.json').exists():
            raise UsageError(f'{self.id} is a sweep, whose points have metrics of their own: see points()', 2)
        if not self.folder.is_dir():
            raise NotFound(f'the folder of run {self.id} is gone: {self.folder}', 5)
        records = _read_records(self.folder / 'metrics.jsonl')
        try:
            pandas = importlib.import_module('pandas')
        except ImportError:
            return records
        return pandas.DataFrame(records)

    def cancel(self) -> RunStatus:
        """Stops the run and waits until it has ended; a trainer checkpoints first. Harmless when it has ended."""
        return _status_of(_only_run(_ask('cancel', self.id)))

    def rerun(self) -> None:
        """Starts the ended run again in its folder, from its newest checkpoint, and returns as run() does.

        Raises StillRunning if it has not ended, and UsageError if a training of ddptrain has nothing left to do.
        """
        _ask('rerun', '--detach', self.id)

    def points(self) -> List['Run']:
        """Of a sweep its runs, in the order of their numbers; of a single run an empty list."""
        sweep = _only_run(_ask('status', self.id))['sweep']
        return [_run_of(point) for point in sweep['points']] if sweep else []


def run(file: Union[str, 'os.PathLike[str]'], overrides: Optional[Mapping[str, object]] = None) -> Run:
    """Starts a run that goes on by itself, and returns when it is started or queued.

    file       the configuration
    overrides  values over those of the file, by dotted keys: {'train.seed': 1, 'ssh.hosts': ['n1', 'n2']}. They are numbers,
               texts, paths, booleans, None for the default, and lists and mappings of these; '+include' includes a file.
    Raises ConfigurationError if it is not valid, NotFound if there is no such file, PreflightFailed or Refused if it cannot run.
    """
    words = [_render_override(key, value) for key, value in (overrides or {}).items()]
    answers, _ = _ask('run', '--detach', '--', os.fspath(file), *words)
    return _run_of(answers[0])


def runs(state: Union[str, Iterable[str], None] = None) -> List[Run]:
    """The runs that were started from this machine, newest first.

    state  only those in this one, or in one of these
    """
    states = [] if state is None else ['--state', state if isinstance(state, str) else ','.join(state)]
    answers, _ = _ask('list', *states)
    return [_run_of(each) for each in answers[0]['runs']]


def find(selector: str) -> Run:
    """The run with this id, unique prefix of an id, name or job id; 'last' is the newest, and 'ID/2' point 2 of a sweep.

    Raises NotFound if there is none.
    """
    return _run_of(_only_run(_ask('status', selector)))


def _find_program() -> str:
    named = os.environ.get('DDPSUBMIT')
    if named:
        found = shutil.which(named)
        if found is None:
            raise ProgramNotFound(f'the environment variable DDPSUBMIT is {named}, and that is no program', NO_PROGRAM)
        return found
    beside = os.path.join(os.path.dirname(sys.executable), 'ddpsubmit')
    found = shutil.which('ddpsubmit') or shutil.which(beside)
    if found is None:
        raise ProgramNotFound(f'there is no program ddpsubmit, neither in PATH nor as {beside}: install its wheel with pip, or '
                              'name the program in the environment variable DDPSUBMIT', NO_PROGRAM)
    return found


def _ask(verb: str, *words: str) -> Tuple[List[Dict[str, Any]], int]:
    """What the program answers, and its exit code, which need not be 0. An answer that is an error is raised."""
    process = subprocess.run([_find_program(), verb, '--json', *words], stdin=subprocess.DEVNULL, capture_output=True,
                             encoding='utf-8', errors='replace')
    for line in process.stderr.splitlines():
        if line.startswith(WARNING):
            warnings.warn(line[len(WARNING):], stacklevel=3)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    answers = _parse_answers(process.stdout)
    if answers is None or (not answers and (code != 0 or verb != 'logs')):
        raise _make_error(process.stderr.strip() or f'{process.args[0]} {verb} ended with exit code {code} and no answer', code)
    if answers and answers[0]['schema'] == ERROR_SCHEMA:
        raise _make_error('\n'.join(map(_explain_error, answers[0]['errors'])), answers[0]['exit_code'])
    return answers, code


def _only_run(answer: Tuple[List[Dict[str, Any]], int]) -> Dict[str, Any]:
    """Of the verbs that answer with a list of runs."""
    only: Dict[str, Any] = answer[0][0]['runs'][0]
    return only


def _parse_answers(text: str) -> Optional[List[Dict[str, Any]]]:
    """JSON objects with a line break behind each; None: it is something else."""
    decoder = json.JSONDecoder()
    answers: List[Dict[str, Any]] = []
    at = 0
    try:
        while at < len(text):
            answer, end = decoder.raw_decode(text, at)
            answers.append(answer)
            at = end + 1
    except ValueError:
        return None
    return answers


def _make_error(message: str, code: int) -> Error:
    return ERRORS.get(code, Error)(message, code)


def _explain_error(error: Mapping[str, Any]) -> str:
    """With its place in the file, or the key of the override that it is about, and what to do next."""
    where, hint = error['where'], error['hint']
    place = ''
    if where:
        key = where['text'].partition('=')[0]
        place = f"{where['file']}:{where['line']}:{where['column']}: " if where['line'] else f'{key}: '
    return f"{place}{error['message']}" + (f' ({hint})' if hint else '')


def _explain_end(run_id: str, status: RunStatus) -> str:
    """As the command line says it: which rank was to blame, and the end of its stderr."""
    words = 'ran out of time' if status.state == 'timed_out' else status.state
    reason = status.message if status.message.startswith(words) else f'{words}: {status.message}'
    printed = (status.raw['cause'] or {}).get('stderr_tail') or ''
    return '\n'.join([f'run {run_id} {reason}', *(f'  {line}' for line in printed.splitlines())])


def _run_of(answer: Mapping[str, Any]) -> Run:
    return Run(answer['run_id'], pathlib.Path(answer['run_dir']), answer['name'], answer['launcher'])


def _status_of(answer: Dict[str, Any]) -> RunStatus:
    live, progress = answer['live'] or {}, answer['progress'] or {}
    return RunStatus(
        state=answer['state'],
        final=answer['final'],
        message=answer['message'] or '',
        step=answer['step'],
        total_steps=live.get('total_steps') or progress.get('total_steps'),
        exit_code=answer['exit_code'],
        raw=answer)


def _read_records(file: pathlib.Path) -> List[Dict[str, Any]]:
    """What is no record, such as a line that is being written, is passed over."""
    records: List[Dict[str, Any]] = []
    if not file.is_file():
        return records
    for line in file.read_bytes().split(b'\n'):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return records


def _render_override(key: str, value: object) -> str:
    """KEY=VALUE, which the program reads as this value."""
    if not isinstance(key, str) or not key or '=' in key:
        raise ValueError(f'{key!r} is no key of a configuration: write train.seed')
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if text and text not in ('null', '~') and text[0] not in '[{"\'':
            return f'{key}={text}'
    return f'{key}={_render_yaml(key, value)}'


def _render_yaml(key: str, value: object) -> str:
    if value is None:
        return 'null'
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, (list, tuple, range)):
        return '[' + ', '.join(_render_yaml(key, item) for item in value) + ']'
    if isinstance(value, Mapping):
        return '{' + ', '.join(f'{_render_key(key, name)}: {_render_yaml(key, item)}' for name, item in value.items()) + '}'
    raise TypeError(f"a configuration cannot hold {type(value).__name__}, which '{key}' has")


def _render_key(key: str, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the keys of a mapping are texts, and '{key}' has {name!r}")
    return json.dumps(name, ensure_ascii=False)
