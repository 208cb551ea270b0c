# readme_block N: the N-th block of code of README.md. The first is the install, the second the first run.
readme_block() { awk -v wanted="$1" '/^```/ { number++; next } number == 2 * wanted - 1' "$SOURCE_DIR/README.md"; }
