# A sysroot for programs that start wherever glibc 2.28 is: RHEL 8, Debian 10, Ubuntu 18.10 and what came after them.
# It holds the headers of Debian 11's glibc, of which pinned packages are downloaded; copies of the headers and archives that
# this machine's Debian packages have of all other libraries; and, in place of shared libraries, stubs that have only the
# symbols of that age (scripts/sysroot). Made once for all clones of the repository.

sysroot_release=bookworm # whose compiler and libraries it is made for
sysroot_home=${XDG_CACHE_HOME:-$HOME/.cache}/ddpsubmit
sysroot= # the folder, or empty: the programs are built for this machine alone
sysroot_parts=$(cd -- "${BASH_SOURCE[0]%/*}/../sysroot" && pwd)
sysroot_arch=x86_64-linux-gnu

# Each library that a program may be linked with, as a stub, and the newest version of its symbols. They are those of
# manylinux_2_28, which the wheels of torch are built for.
sysroot_stubs=(
  'ld-linux-x86-64.so.2 GLIBC_2.28' 'libc.so.6 GLIBC_2.28' 'libm.so.6 GLIBC_2.28' 'libpthread.so.0 GLIBC_2.28'
  'libdl.so.2 GLIBC_2.28' 'librt.so.1 GLIBC_2.28' 'libgcc_s.so.1 GCC_7.0.0' 'libstdc++.so.6 GLIBCXX_3.4.25 CXXABI_1.3.11')

install_sysroot() {
  local release
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  if [[ $release != "$sysroot_release" || $(uname -m) != x86_64 ]]; then
    step "Sysroot: none, since this is not Debian 12 on x86-64. The programs will start on this machine and on newer ones."
    return
  fi
  sysroot=$(sysroot_folder)
  if [[ -d $sysroot ]]; then
    step "Sysroot of glibc 2.28: already in $sysroot"
  else
    step "Sysroot of glibc 2.28: downloading 7 MB"
    mkdir -p "$sysroot_home"
    make_sysroot_once
  fi
  touch "$sysroot"
}

# Its name says what is in it: a build with another one is another build.
sysroot_folder() { printf '%s/sysroot-glibc-2.28-%.12s\n' "$sysroot_home" "$(sysroot_contents | sha256sum)"; }

# What it was made from: the pinned packages, the parts beside this script, and the packages that it has copies of.
sysroot_contents() {
  (cd "$sysroot_parts" && sha256sum -- * "${BASH_SOURCE[0]}" | cut -d ' ' -f 1)
  # shellcheck disable=SC2016 # dpkg-query's own variables
  copied_packages | sort | xargs dpkg-query --show --showformat='${Package} ${Version}\n'
}

copied_packages() {
  local names
  mapfile -t names < <(packages_of build | tr ' ' '\n' | grep -e '-dev$')
  installed_packages "${names[@]}" libstdc++-12-dev libboost1.74-dev
}

make_sysroot_once() {
  take_lock "$sysroot.lock"
  [[ -d $sysroot ]] || make_sysroot
  drop_lock
  find "$sysroot_home" -maxdepth 1 -name 'sysroot-glibc-*' -mtime +30 -exec rm -rf {} +  # nobody has used them
}

# The folder appears under its name when it is complete; what a killed setup left is removed by the next one.
make_sysroot() {
  local incomplete=$sysroot.incomplete
  rm -rf "$incomplete"
  mkdir "$incomplete"
  unpack_pinned_packages "$incomplete"
  copy_libraries "$incomplete"
  make_stubs "$incomplete/usr/lib/$sysroot_arch" "$incomplete/lib/$sysroot_arch"
  mv -T "$incomplete" "$sysroot"
}

# By apt, as it knows how this machine reaches Debian's archive.
unpack_pinned_packages() {
  local folder=$1 archive sum path
  archive=$(debian_archive) ||
    die "apt does not know Debian's archive" 'Add it to the sources of apt and run apt-get update, or set DDP_DEBIAN_MIRROR.'
  grep -v '^#' "$sysroot_parts/packages.lock" | while read -r sum path; do
    /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User=root download-file "${archive%/}/$path" "$folder/package.deb" "SHA256:$sum" ||
      die "apt could not download ${path##*/}; nothing was changed." 'Run the script again.'
    dpkg-deb --extract "$folder/package.deb" "$folder"
    rm "$folder/package.deb"
  done
}

# Headers, archives, and what CMake reads. No shared libraries: the machine that runs a program may not have them.
copy_libraries() {
  copied_packages | xargs dpkg --listfiles | grep -E '^/usr/(include/.|lib/.*\.(a|cmake)$|share/.*cmake.*\.cmake$)' | sort -u |
    sed 's|^/||' | while read -r file; do [[ -d /$file ]] || echo "$file"; done |
    tar --create --directory / --files-from - | tar --extract --directory "$1"
}

# make_stubs FOLDER ORIGINALS: what programs are linked with goes to FOLDER; of the C library's own archives only crt*.o and
# libc_nonshared.a stay.
make_stubs() {
  local folder=$1 originals=$2 stub name symbols original path=/usr/lib/$sysroot_arch
  rm -f "$folder"/lib{anl,c,dl,g,m,m-2.31,mcheck,mvec,nsl,pthread,resolv,rt,util}.{a,so}
  for stub in "${sysroot_stubs[@]}"; do
    read -r name symbols <<<"$stub"
    original=$originals/$name
    [[ -e $original ]] || original=$(gcc-12 -print-file-name="$name")
    # shellcheck disable=SC2086 # words
    /usr/bin/python3 "$sysroot_parts/link_stub.py" "$original" "$folder/$name" $symbols
    ln -s "$name" "$folder/${name%.so.*}.so"
  done
  gcc-12 --sysroot="${folder%"$path"}" -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden \
    -c "$sysroot_parts/newer_functions.c" -o "$folder/newer_functions.o"
  gcc-ar-12 rcsD "$folder/libnewer_functions.a" "$folder/newer_functions.o"
  rm "$folder/newer_functions.o" "$folder/libc.so" "$folder/libstdc++.so"
  # In a script of the linker that lies in the sysroot, a path that begins with / starts there. Since glibc 2.34 libc.so itself has what
  # was in the other libraries, which is how g++ 12 was built: not every program asks for them.
  echo "GROUP ( $path/libc.so.6 $path/libc_nonshared.a $path/libnewer_functions.a \
    AS_NEEDED ( $path/libpthread.so.0 $path/libdl.so.2 $path/ld-linux-x86-64.so.2 ) )" >"$folder/libc.so"
  # What the stub lacks comes from g++ 12's archive, into the program.
  echo "INPUT ( $path/libstdc++.so.6 /usr/lib/gcc/$sysroot_arch/12/libstdc++.a )" >"$folder/libstdc++.so"
}
