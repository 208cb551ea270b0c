#!/usr/bin/env python3
"""Writes mutations of files: the same for the same seed, files and names.

usage: mutate.py SEED COUNT INTO FILE...

Mutation N, from 0, is INTO/N; a line on stdout for each: N, a tab, the FILE that it is one of, a tab, what was done to it.
"""

import pathlib
import random
import re
import sys

NUMBER = re.compile(rb"-?\d+(\.\d+)?")
SCALAR = re.compile(rb"(?<=: )[^,\n{}\[\]]+|(?<=\":)[^,\n{}\[\]]+")
HUGE = [b"0", b"-1", b"2147483648", b"9223372036854775808", b"18446744073709551616", b"1" + b"0" * 400, b"1e400", b"-1e400",
        b"1e-400", b"0.1", b"NaN", b"Infinity", b"0x10", b"007"]
OTHER_KINDS = [b"null", b"true", b'""', b"[]", b"{}", b"[[[[]]]]", b'{"a": {"b": 1}}', b'"' + b"x" * 70000 + b'"',
               b'"../../../etc/passwd"', b'"%s%s%n"', b'"\\ud800"', b'"a\\u0000b"', b'"\xff\xfe"']


def flip_bits(chance, data):
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8, 64])):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut_end(chance, data):
    return data[:chance.randrange(len(data))]


def cut_beginning(chance, data):
    return data[chance.randrange(1, len(data) + 1):]


def cut_out(chance, data):
    first, last = sorted(chance.sample(range(len(data) + 1), 2))
    return data[:first] + data[last:]


def double_line(chance, data):
    lines = data.splitlines(keepends=True)
    line = chance.choice(lines)
    lines[chance.randrange(len(lines)):0] = [line] * chance.choice([1, 1, 2, 1000])
    return b"".join(lines)


def delete_line(chance, data):
    lines = data.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def swap_lines(chance, data):
    lines = data.splitlines(keepends=True)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def replace_one(chance, data, pattern, values):
    places = list(pattern.finditer(data))
    if not places:
        return flip_bits(chance, data)
    place = chance.choice(places)
    return data[:place.start()] + chance.choice(values) + data[place.end():]


def huge_number(chance, data):
    return replace_one(chance, data, NUMBER, HUGE)


def other_kind(chance, data):
    return replace_one(chance, data, SCALAR, OTHER_KINDS)


def insert_bytes(chance, data):
    place = chance.randrange(len(data) + 1)
    noise = chance.choice([b"\0" * 100, b"\xff" * 10, b"[" * 20000, b'{"a":' * 20000, b"\n" * 1000, b"\r", b"\x1b[2J", b"&a *a ", b"- " * 2000,
                           chance.randbytes(50)])
    return data[:place] + noise + data[place:]


KINDS = [flip_bits, flip_bits, cut_end, cut_beginning, cut_out, double_line, delete_line, swap_lines, huge_number, huge_number, other_kind,
         other_kind, insert_bytes]


def main():
    seed, count, into, files = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    chance = random.Random(seed)
    into.mkdir()
    for number in range(count):
        file = files[number % len(files)]
        data = pathlib.Path(file).read_bytes()
        kinds = [chance.choice(KINDS) for _ in range(chance.choice([1, 1, 1, 2, 4]))]
        for kind in kinds:
            data = kind(chance, data) if data.strip() else data
        (into / str(number)).write_bytes(data)
        print(number, file, ", ".join(kind.__name__ for kind in kinds), sep="\t")


if __name__ == "__main__":
    main()
