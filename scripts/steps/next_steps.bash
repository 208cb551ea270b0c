# What can be done with a build: what scripts/demo ends with.
# shellcheck disable=SC2154 # the scripts that source this set repository

# What a user types to install the packages, as the programs say it: there is one place for it.
install_line() {
  tr '\n' ' ' <"$repository/cli/launch/plan/install_line.hpp" | sed -nE 's/.* kInstallLine = *"([^"]*)";.*/\1/p'
}

# tell_next_steps BUILD: a folder below the repository.
tell_next_steps() {
  cat <<EOF

ddpsubmit is in $1/bin.
  in this shell:       export PATH="$repository/$1/bin:\$PATH"
  for this account:    cmake --install $1 --prefix ~/.local
  with pip:            $(install_line)
                       Run ./scripts/package to build the wheels of this build into build/packages.
EOF
}
