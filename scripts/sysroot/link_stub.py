"""link_stub.py LIBRARY OUTPUT LIMIT...: a shared library to link against, with those symbols of LIBRARY that are old enough.

A LIMIT is a family of versions and the newest one that is taken, such as GLIBC_2.28. Of a symbol that LIBRARY has in
several versions the stub has the newest that is taken. What is linked with the stub therefore starts wherever a library
of that age is, and a function that came later is an undefined reference when the program is linked.
The stub has no code: it is never loaded.
"""
import collections
import pathlib
import re
import subprocess
import sys

SYMBOL = re.compile(r'\s*\d+: \S+\s+(?P<size>\S+)\s+(?P<type>\S+)\s+\S+\s+\S+\s+(?P<section>\S+)\s+(?P<name>[^@\s]+)@@?(?P<version>\S+)')
SECTIONS = {'TLS': ('.section .tbss,"awT",@nobits', '@tls_object'), 'OBJECT': ('.data', '@object')}
CODE = ('.text', '@function')
ALIGNMENT = 64  # of data: a program may hold a copy, aligned as the original


def order(version):
    return [int(part) for part in re.findall(r'\d+', version)]


def family(version):
    return version.rpartition('_')[0]


def symbols(library, limits):
    """The newest version of each symbol within the limits: {name: (version, type, size)}."""
    found = {}
    listing = subprocess.run(['readelf', '--wide', '--dyn-syms', library], check=True, capture_output=True, text=True)
    for symbol in filter(None, map(SYMBOL.match, listing.stdout.splitlines())):
        version = symbol['version']
        limit = limits.get(family(version))
        if symbol['section'] in ('UND', 'ABS') or limit is None or not re.fullmatch(r'[\d.]+', version.rpartition('_')[2]):
            continue
        if order(version) <= order(limit) and order(found.get(symbol['name'], ('_0',))[0]) < order(version):
            found[symbol['name']] = (version, symbol['type'], int(symbol['size'], 0))
    return found


def assembler(found):
    lines = []
    for name, (_, kind, size) in sorted(found.items()):
        section, word = SECTIONS.get(kind, CODE)
        lines += [section, f'.balign {ALIGNMENT}' if section != '.text' else '', f'.globl {name}', f'.type {name}, {word}',
                  f'.size {name}, {size}', f'{name}: .skip {max(size, 1)}']
    return '\n'.join(lines) + '\n.section .note.GNU-stack,"",@progbits\n'


def version_script(found):
    names = collections.defaultdict(list)
    for name, (version, _, _) in sorted(found.items()):
        names[version].append(name)
    return ''.join(f'{version} {{ global: {"; ".join(names[version])}; }};\n' for version in sorted(names, key=order))


def main(library, output, *limits):
    found = symbols(library, {family(limit): limit for limit in limits})
    if not found:
        sys.exit(f'error: {library} has no symbol of {" or ".join(limits)} or older')
    source, script = pathlib.Path(output + '.s'), pathlib.Path(output + '.map')
    source.write_text(assembler(found))
    script.write_text(version_script(found))
    subprocess.run(['gcc-12', '-shared', '-nostdlib', f'-Wl,-soname,{pathlib.Path(library).name}', f'-Wl,--version-script,{script}',
                    str(source), '-o', output], check=True)
    source.unlink()
    script.unlink()


main(*sys.argv[1:])
