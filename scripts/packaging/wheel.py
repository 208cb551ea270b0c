"""wheel.py STAGE OUTPUT VERSION: makes the wheels of an installed tree, byte for byte the same from the same tree.

STAGE holds the components programs and trainer as `cmake --install` lays them out. OUTPUT gets
- ddpsubmit: the programs, native, what they read, and the Python package of that name; it depends on nothing
- ddpsubmit-trainer: a ddptrain for each version of torch, in STAGE/libexec/ddpsubmit/torch-*; it depends on the very version
  that ddptrain is built for, since it starts with no other
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
PATCHES = 5


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
    """A wheel that holds the licences so far."""
    notices = stage / 'share/doc' / name
    texts = ['LICENSE', 'NOTICES']
    wheel = Wheel(folder, name, version, {
        'License-Expression': (notices / 'SPDX').read_text().strip(), 'License-File': texts, **metadata})
    for text in texts:
        wheel.add(f'{wheel.stem}.dist-info/licenses/{text}', (notices / text).read_bytes())
    return wheel


def programs_wheel(stage, folder, version):
    wheel = start_wheel(stage, folder, 'ddpsubmit', version, {
        'Summary': 'Distributed data-parallel training from one YAML file: here, on Slurm, or on ssh hosts',
        'Provides-Extra': 'trainer',
        'Requires-Dist': f'ddpsubmit-trainer=={version}; extra == "trainer"'})
    for file in files_under(stage / 'bin'):
        wheel.add_program(file)
    package = stage / 'share/ddpsubmit/python'
    for file in files_under(package):
        wheel.add(str(file.relative_to(package)), file.read_bytes())
    for folder in ('share/ddpsubmit', 'share/man', 'share/bash-completion', 'share/zsh', 'share/fish'):
        for file in files_under(stage / folder):
            if package not in file.parents:
                wheel.add_data(file, stage)
    wheel.save()


def torch_of(trainer):
    """The version of torch that a ddptrain is built for, as its --version prints it: (2, 11, 0)."""
    found = re.search(rb'with LibTorch (\d+)\.(\d+)\.(\d+)', trainer.read_bytes())
    if not found:
        sys.exit(f"error: '{trainer}' does not contain the version of torch that it was built for")
    return tuple(int(number) for number in found.groups())


def torch_requirement(versions):
    """These versions and no others: torch==2.11.0 for one; as there is no "or", a range without what lies between for more.

    For 2.11.0 and 2.13.1: torch>=2.11.0,<=2.13.1,!=2.11.1,…,!=2.12.*,!=2.13.0. No version of torch has had more patches than PATCHES.
    """
    versions = sorted(versions)
    first, last = versions[0], versions[-1]
    if first == last:
        return f'torch=={dotted(first)}'
    wanted = {version[:2] for version in versions}
    excluded = []
    for minor in range(first[1], last[1] + 1):
        if (first[0], minor) in wanted:
            others = [(first[0], minor, patch) for patch in range(PATCHES + 1)]
            excluded += [f'!={dotted(other)}' for other in others if first < other < last and other not in versions]
        else:
            excluded.append(f'!={first[0]}.{minor}.*')
    return ','.join([f'torch>={dotted(first)}', f'<={dotted(last)}', *excluded])


def dotted(version):
    return '.'.join(map(str, version))


def trainer_wheel(stage, folder, version):
    versions = [torch_of(trainer) for trainer in (stage / 'libexec/ddpsubmit').glob('torch-*/ddptrain')]
    wheel = start_wheel(stage, folder, 'ddpsubmit-trainer', version, {
        'Summary': 'The bundled trainer of ddpsubmit, for torch ' + ' and '.join(map(dotted, sorted(versions))),
        'Requires-Dist': [f'ddpsubmit=={version}', torch_requirement(versions)]})
    for file in files_under(stage / 'libexec'):
        wheel.add_data(file, stage)
    wheel.save()


def main(stage, output, version):
    stage, output = pathlib.Path(stage), pathlib.Path(output)
    programs_wheel(stage, output, version)
    trainer_wheel(stage, output, version)


if __name__ == '__main__':
    main(*sys.argv[1:])
