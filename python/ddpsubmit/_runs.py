"""Starts and watches runs: calls the program ddpsubmit, which answers in JSON."""
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
    """ddpsubmit failed. Most exit codes have a class of their own below; this class stands for all others."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message, exit_code)
        self.message = message
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.message


class UsageError(Error):
    """Exit code 2: the call is not valid, for example logs of a rank that the run does not have."""


class ConfigurationError(Error):
    """Exit code 3: the configuration is not valid. The message lists all errors, one per line: `train.yaml:4:3: ...`."""


class AuthenticationError(Error):
    """Exit code 4: an ssh host refused the login, or its host key is unknown."""


class NotFound(Error):
    """Exit code 5: the run or file does not exist, or nothing has been printed yet."""


class Refused(Error):
    """Exit code 6: the scheduler refused the job."""


class OutcomeUnknown(Error):
    """Exit code 7: the state of the run is unknown."""


class StillRunning(Error):
    """Exit code 8: the run has not ended: the time-out of wait() is over, or the call needs a run that has ended."""


class PreflightFailed(Error):
    """Exit code 10: this machine or the cluster cannot run it, or Slurm is unreachable. Nothing was started."""


class ProgramNotFound(Error):
    """The program ddpsubmit was not found; the exit code is 127."""


class RunFailed(Error):
    """Exit code 1: the run has ended without success. `status` is its final status."""

    def __init__(self, message: str, status: 'RunStatus') -> None:
        super().__init__(message, 1)
        self.args = (message, status)  # with which pickle calls this
        self.status = status


ERRORS: Dict[int, Type[Error]] = {2: UsageError, 3: ConfigurationError, 4: AuthenticationError, 5: NotFound, 6: Refused,
                                  7: OutcomeUnknown, 8: StillRunning, 10: PreflightFailed}


@dataclass(frozen=True)
class RunStatus:
    """The state of a run, and the reason for it."""

    state: str
    """queued, running, restarting, succeeded, failed, timed_out, preempted, cancelled, or unknown."""
    final: bool
    """True if the run has ended: the state does not change any more."""
    message: str
    """Reason for the state; may be empty."""
    step: Optional[int]
    """Number of finished steps; None: the run has reported none."""
    total_steps: Optional[int]
    """Number of steps of the whole run; None: the run has not reported it."""
    exit_code: Optional[int]
    """Exit code of the run; None: it has not ended."""
    raw: Dict[str, Any] = field(repr=False)
    """All fields of `ddpsubmit status --json` for the run."""


@dataclass(frozen=True)
class Run:
    """A run, or a sweep of runs. All its methods raise Error or one of its subclasses."""

    id: str
    folder: pathlib.Path
    """The run folder on this machine."""
    name: str
    launcher: str
    """local, slurm or ssh."""

    def status(self) -> RunStatus:
        """The current status."""
        return _status_of(_only_run(_ask('status', self.id)))

    def wait(self, timeout: Optional[float] = None) -> RunStatus:
        """Waits until the run has ended, and returns its last status if it succeeded.

        timeout  seconds, rounded up to whole seconds; None: no limit
        Raises RunFailed if the run did not succeed (also if it was cancelled), StillRunning if it has not ended in time, and
        OutcomeUnknown if its state is unknown then. An interrupt ends the wait; the run continues.
        """
        limit = [] if timeout is None else ['--timeout', f'{max(0, math.ceil(timeout))}s']
        answers, code = _ask('wait', *limit, self.id)
        status = _status_of(answers[0])
        if status.state == 'succeeded':
            return status
        if status.final:
            raise RunFailed(_explain_end(self.id, status), status)
        if status.state == 'unknown':
            raise _make_error(f'the state of run {self.id} is unknown: {status.message}', code)
        raise _make_error(f'run {self.id} has not ended ({status.state})', code)

    def logs(self, rank: Union[int, str, None] = None, stderr: bool = False, tail: Optional[int] = None) -> str:
        """Returns what the ranks of the newest attempt have printed so far.

        rank    only this rank, or several ranks as a string such as '0-3,7'; None: all
        stderr  return stderr instead of stdout
        tail    only this number of last lines of each rank
        Lines of several ranks begin with '[r0] '. If no rank has started, it returns the output of the job itself.
        Raises NotFound if there is no such output either.
        """
        words = [] if rank is None else ['--rank', str(rank)]
        words += ['--stderr' if stderr else '--stdout']
        words += [] if tail is None else ['--tail', str(tail)]
        lines, _ = _ask('logs', *words, self.id)
        several = len({line['rank'] for line in lines}) > 1
        return ''.join(f"[r{line['rank']}] {line['text']}\n" if several else f"{line['text']}\n" for line in lines)

    def metrics(self) -> Any:
        """Returns the records of metrics.jsonl in the run folder, in order; docs/trainer.md describes their fields.

        A list with a dict for each record, or a DataFrame with a row for each record if pandas can be imported. Steps that were
        repeated after a restart appear once for each attempt; see the field `attempt`.
        """
        if self.launcher == 'ssh':
            self.status()  # fetches the records from hosts that do not share the run folder
        if (self.folder / 'sweep.json').exists():
            raise UsageError(f'{self.id} is a sweep; its points have their own metrics: use points()', 2)
        if not self.folder.is_dir():
            raise NotFound(f'the folder of run {self.id} does not exist any more: {self.folder}', 5)
        records = _read_records(self.folder / 'metrics.jsonl')
        try:
            pandas = importlib.import_module('pandas')
        except ImportError:
            return records
        return pandas.DataFrame(records)

    def cancel(self) -> RunStatus:
        """Stops the run and waits for its end; ddptrain writes a checkpoint first. No effect on a run that has ended."""
        return _status_of(_only_run(_ask('cancel', self.id)))

    def rerun(self) -> None:
        """Starts a run that has ended again, in its folder and from its newest checkpoint. Returns when it is started or queued.

        Raises StillRunning if it has not ended, and UsageError if a training of ddptrain has no steps left.
        """
        _ask('rerun', '--detach', self.id)

    def points(self) -> List['Run']:
        """Returns the runs of a sweep, ordered by number; an empty list for a single run."""
        sweep = _only_run(_ask('status', self.id))['sweep']
        return [_run_of(point) for point in sweep['points']] if sweep else []


def run(file: Union[str, 'os.PathLike[str]'], overrides: Optional[Mapping[str, object]] = None) -> Run:
    """Starts a run in the background, and returns when it is started or queued.

    file       path of the configuration file
    overrides  values that replace those of the file, by dotted keys: {'train.seed': 1, 'ssh.hosts': ['n1', 'n2']}. A value is a
               number, string, path, boolean, None for the default, or a list or mapping of these; '+include' includes a file.
    Raises ConfigurationError if the configuration is not valid, NotFound if the file does not exist, PreflightFailed or Refused
    if the run cannot start.
    """
    words = [_render_override(key, value) for key, value in (overrides or {}).items()]
    answers, _ = _ask('run', '--detach', '--', os.fspath(file), *words)
    return _run_of(answers[0])


def runs(state: Union[str, Iterable[str], None] = None) -> List[Run]:
    """Returns the runs that were started from this machine, newest first.

    state  only runs in this state, or in one of these states
    """
    states = [] if state is None else ['--state', state if isinstance(state, str) else ','.join(state)]
    answers, _ = _ask('list', *states)
    return [_run_of(each) for each in answers[0]['runs']]


def find(selector: str) -> Run:
    """Returns the run with this id, unique prefix of an id, name or job id; 'last' is the newest run, 'ID/2' is point 2 of a sweep.

    Raises NotFound if there is no such run.
    """
    return _run_of(_only_run(_ask('status', selector)))


def _find_program() -> str:
    named = os.environ.get('DDPSUBMIT')
    if named:
        found = shutil.which(named)
        if found is None:
            raise ProgramNotFound(f'the environment variable DDPSUBMIT is {named}, which is not a program', NO_PROGRAM)
        return found
    beside = os.path.join(os.path.dirname(sys.executable), 'ddpsubmit')
    found = shutil.which('ddpsubmit') or shutil.which(beside)
    if found is None:
        raise ProgramNotFound(f'the program ddpsubmit was not found in PATH or as {beside}: install its wheel with pip, or set '
                              'the environment variable DDPSUBMIT to its path', NO_PROGRAM)
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
    """As the command line says it: which rank was to blame, the likely cause, and the end of its stderr."""
    cause = status.raw['cause'] or {}
    likely = cause.get('likely_cause') or ''
    lines = (cause.get('stderr_tail') or '').splitlines()
    if likely and not (lines and lines[-1].endswith(likely)):
        lines.insert(0, f'likely cause: {likely}')
    return '\n'.join([f'run {run_id} {_render_end(status)}', *(f'  {line}' for line in lines)])


def _render_end(status: RunStatus) -> str:
    words = {'timed_out': 'reached its time limit', 'cancelled': 'was cancelled', 'preempted': 'was preempted'}.get(
        status.state, status.state)
    known = 'the time limit was reached' if status.state == 'timed_out' else status.state
    if status.message.startswith(known):
        return words + status.message[len(known):]
    return f'{words}: {status.message}' if status.message else words


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
        raise ValueError(f'{key!r} is not a valid key; an example is train.seed')
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
    raise TypeError(f"'{key}' is of type {type(value).__name__}, which a configuration cannot contain")


def _render_key(key: str, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the keys of a mapping must be strings, but '{key}' has {name!r}")
    return json.dumps(name, ensure_ascii=False)
