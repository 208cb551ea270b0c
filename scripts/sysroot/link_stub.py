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

SYMBOL = re.compile(r'\s*\d+: (?P<address>\S+)\s+(?P<size>\S+)\s+(?P<type>\S+)\s+(?P<binding>\S+)\s+\S+\s+(?P<section>\S+)\s+'
                    r'(?P<name>[^@\s]+)@@?(?P<version>\S+)')
SECTIONS = {'TLS': ('.section .tbss,"awT",@nobits', '@tls_object'), 'OBJECT': ('.data', '@object')}
CODE = ('.text', '@function')
ALIGNMENT = 64  # of data: a program may hold a copy, aligned as the original


def order(version):
    return [int(part) for part in re.findall(r'\d+', version)]


def family(version):
    return version.rpartition('_')[0]


def symbols(library, limits):
    """The newest version of each symbol within the limits."""
    found = {}
    listing = subprocess.run(['readelf', '--wide', '--dyn-syms', library], check=True, capture_output=True, text=True)
    for symbol in filter(None, map(SYMBOL.match, listing.stdout.splitlines())):
        version = symbol['version']
        limit = limits.get(family(version))
        if symbol['section'] in ('UND', 'ABS') or limit is None or not re.fullmatch(r'[\d.]+', version.rpartition('_')[2]):
            continue
        known = found.get(symbol['name'])
        if order(version) <= order(limit) and (known is None or order(known['version']) < order(version)):
            found[symbol['name']] = symbol
    return list(found.values())


def by_place(found):
    """Several names of one object, such as environ and __environ, stay at one address: where a program holds a copy of the object, the
    linker then gives it all of these names."""
    places = collections.defaultdict(list)
    for symbol in sorted(found, key=lambda symbol: symbol['name']):
        places[symbol['type'], symbol['address']].append(symbol)
    return places.items()


def assembler(found):
    lines = []
    for (kind, _), names in by_place(found):
        section, word = SECTIONS.get(kind, CODE)
        size = max(int(symbol['size'], 0) for symbol in names)
        lines += [section, f'.balign {ALIGNMENT}' if section != '.text' else '']
        for symbol in names:
            binding = 'weak' if symbol['binding'] == 'WEAK' else 'globl'
            lines += [f'.{binding} {symbol["name"]}', f'.type {symbol["name"]}, {word}', f'.size {symbol["name"]}, {symbol["size"]}',
                      f'{symbol["name"]}:']
        lines.append(f'.skip {max(size, 1)}')
    return '\n'.join(lines) + '\n.section .note.GNU-stack,"",@progbits\n'


def version_script(found):
    names = collections.defaultdict(list)
    for symbol in sorted(found, key=lambda symbol: symbol['name']):
        names[symbol['version']].append(symbol['name'])
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
