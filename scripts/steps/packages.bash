# Debian packages: what is needed, what is missing, one apt-get for all of it.

packages_of() {
  case $1 in
    build)
      packages_of source
      echo unzip ca-certificates python3-pip libgtest-dev libgmock-dev dataset-fashion-mnist
      ;;
    source)
      echo g++ cmake ninja-build ccache
      echo libcli11-dev libyaml-cpp-dev libboost-dev nlohmann-json3-dev libexpected-dev libkainjow-mustache-dev libfmt-dev libssh-dev libssl-dev
      echo libncurses-dev
      echo zlib1g-dev libjpeg62-turbo-dev libpng-dev libgloo-dev
      ;;
    tests)
      echo bats jq shellcheck slurm-wlm slurmdbd mariadb-server-core munge libpmix-dev iproute2 strace
      echo openssh-server openssh-client tcsh fish zsh tmux mandoc groff-base libfaketime python3-venv python3-jsonschema python3-yaml
      ;;
    peers) echo python3-venv chromium ;;
    chroots) echo debootstrap ;;
    checks) echo clang-format-14 clang-tidy-16 clang-16 libclang-rt-16-dev codespell ;;
  esac
}

# install_packages build|tests|peers|chroots|checks... build has those of source, which CMake asks for without the tests.
install_packages() {
  local group names missing
  mapfile -t names < <(for group in "$@"; do packages_of "$group"; done | tr ' ' '\n')
  mapfile -t missing < <(missing_packages "${names[@]}")
  if ((${#missing[@]} == 0)); then
    step "Debian packages: all ${#names[@]} are installed"
    return
  fi
  step "Debian packages: ${#missing[@]} of ${#names[@]} are missing: ${missing[*]}"
  if [[ ${missing[*]} == ccache ]]; then
    if ((EUID != 0)); then
      echo 'Builds are slower without ccache. This installs it: sudo apt-get install ccache'
    else
      (apt_get_install ccache) || echo 'Builds are slower without ccache.'
    fi
  else
    apt_get_install "${missing[@]}"
  fi
}

# apt_get_install PACKAGE...
apt_get_install() {
  command -v apt-get >/dev/null || die 'apt-get is not available: install the equivalents of these Debian 12 packages yourself'
  ((EUID == 0)) || die 'installing them needs root. Run this, then the script again:' \
    "  sudo apt-get install --no-install-recommends $*"
  apt_get update
  apt_get install --yes --no-install-recommends "$@"
}

missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) <(installed_packages "$@" | sort -u)
}

installed_packages() {
  # dpkg-query fails when one of the names is unknown, and lists the others all the same.
  dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p'
}

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" ||
    die "apt-get $1 failed" 'All of these packages are in the main archive of Debian 12: check the sources of apt.'
}
