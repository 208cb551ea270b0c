# The versions of Slurm that a rig can have: each from the release of Debian that has it, in a chroot (tests/chroots).

declare -A slurm_release=([20.11]=bullseye [22.05]=bookworm [24.11]=trixie [26.05]=sid)

# make_slurm_chroot VERSION: prints its folder.
make_slurm_chroot() {
  local mariadb=mariadb-server-core
  [[ $1 != 20.11 ]] || mariadb+=-10.5
  "${BASH_SOURCE[0]%/*}/../chroots/make" "${slurm_release[$1]}" slurm-wlm slurmdbd munge "$mariadb" \
    gcc libc6-dev git jq python3 tmux iproute2 procps shellcheck strace libfaketime libjpeg62-turbo libpng16-16 zlib1g # what tests and ddptrain take
}

# enter_slurm_chroot FOLDER: with the repository, the machine's own bats, which is shell alone, and all folders that are not its system's.
enter_slurm_chroot() {
  local repository folders
  repository=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
  mapfile -t folders < <(find / -mindepth 1 -maxdepth 1 -type d -regextype egrep \
    ! -regex '/(bin|boot|dev|etc|lib[0-9a-z]*|lost\+found|proc|run|sbin|sys|tmp|usr|var)')
  enter_chroot "$1" "${folders[@]}" "$repository" /usr/bin/bats /usr/lib/bats-core /usr/libexec/bats-core /usr/share/datasets
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin # programs of other folders may need a newer C library
}
