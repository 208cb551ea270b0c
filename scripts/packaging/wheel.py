"""wheel.py STAGE OUTPUT VERSION: makes the wheels of an installed tree, byte for byte the same from the same tree.

STAGE holds the components programs and trainer as `cmake --install` lays them out. OUTPUT gets
- ddpsubmit: the programs, native, and what they read; it depends on nothing
- ddpsubmit-trainer: a ddptrain for each version of torch in STAGE/libexec/ddpsubmit/torch-*; it depends on that torch
SOURCE_DATE_EPOCH is the time of all files. The format is that of the "Binary distribution format" of the Python Packaging
User Guide.
"""
import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

TAG = 'py3-none-manylinux_2_28_x86_64'
EXECUTABLE, PLAIN = 0o755, 0o644


class Wheel:
    def __init__(self, folder, name, version, metadata):
        self.stem = f'{name.replace("-", "_")}-{version}'
        self.path = folder / f'{self.stem}-{TAG}.whl'
        self.files = {}  # name in the wheel -> (bytes, mode)
        fields = {'Metadata-Version': '2.4', 'Name': name, 'Version': version, **metadata}
        lines = [f'{key}: {value}' for key, values in fields.items() for value in (values if isinstance(values, list) else [values])]
        self.add(f'{self.stem}.dist-info/METADATA', '\n'.join(lines).encode() + b'\n')
        self.add(f'{self.stem}.dist-info/WHEEL', f'Wheel-Version: 1.0\nGenerator: ddpsubmit\nRoot-Is-Purelib: false\nTag: {TAG}\n'.encode())

    def add(self, name, content, mode=PLAIN):
        self.files[name] = (content, mode)

    def add_program(self, file):
        self.add(f'{self.stem}.data/scripts/{file.name}', file.read_bytes(), EXECUTABLE)

    def add_data(self, file, stage):
        mode = EXECUTABLE if os.access(file, os.X_OK) else PLAIN
        self.add(f'{self.stem}.data/data/{file.relative_to(stage)}', file.read_bytes(), mode)

    def save(self):
        record = f'{self.stem}.dist-info/RECORD'
        lines = [f'{name},sha256={digest(content)},{len(content)}' for name, (content, _) in sorted(self.files.items())]
        self.add(record, '\n'.join([*lines, f'{record},,']).encode() + b'\n')
        date = time.gmtime(max(int(os.environ['SOURCE_DATE_EPOCH']), 315532800))[:6]  # zip knows no time before 1980
        with zipfile.ZipFile(self.path, 'w') as archive:
            for name, (content, mode) in sorted(self.files.items()):
                entry = zipfile.ZipInfo(name, date)
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content, compresslevel=9)


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()


def files_under(folder):
    return sorted(path for path in folder.rglob('*') if path.is_file() and not path.is_symlink())


def start_wheel(stage, folder, name, version, metadata):
    """A wheel that holds the licence so far."""
    notices = stage / 'share/doc/ddpsubmit'
    wheel = Wheel(folder, name, version, {
        'License-Expression': (notices / 'SPDX').read_text().strip(), 'License-File': 'LICENSE', **metadata})
    wheel.add(f'{wheel.stem}.dist-info/licenses/LICENSE', (notices / 'LICENSE').read_bytes())
    return wheel


def programs_wheel(stage, folder, version):
    wheel = start_wheel(stage, folder, 'ddpsubmit', version, {
        'Summary': 'Distributed data-parallel training from one YAML file: here, on Slurm, or on ssh hosts',
        'Provides-Extra': 'trainer',
        'Requires-Dist': f'ddpsubmit-trainer=={version}; extra == "trainer"'})
    for file in files_under(stage / 'bin'):
        wheel.add_program(file)
    for file in files_under(stage / 'share'):
        wheel.add_data(file, stage)
    wheel.save()


def torch_requirement(minors):
    """One range that holds these minor versions and no others: torch>=2.11,!=2.12.*,<2.14 for 2.11 and 2.13."""
    numbers = sorted(int(minor.split('.')[1]) for minor in minors)
    others = [f'!=2.{number}.*' for number in range(numbers[0], numbers[-1]) if number not in numbers]
    return ','.join([f'torch>=2.{numbers[0]}', *others, f'<2.{numbers[-1] + 1}'])


def trainer_wheel(stage, folder, version):
    trainers = sorted((stage / 'libexec/ddpsubmit').glob('torch-*'))
    minors = [re.fullmatch(r'torch-(2\.\d+)', trainer.name)[1] for trainer in trainers]
    wheel = start_wheel(stage, folder, 'ddpsubmit-trainer', version, {
        'Summary': 'The bundled trainer of ddpsubmit, for torch ' + ' and '.join(minors),
        'Requires-Dist': [f'ddpsubmit=={version}', torch_requirement(minors)]})
    for file in files_under(stage / 'libexec'):
        wheel.add_data(file, stage)
    wheel.save()


def main(stage, output, version):
    stage, output = pathlib.Path(stage), pathlib.Path(output)
    programs_wheel(stage, output, version)
    trainer_wheel(stage, output, version)


main(*sys.argv[1:])
