# debian_archive: prints where apt gets the packages of this machine's release, or $DDP_DEBIAN_MIRROR. Fails where there is nothing.

debian_archive() {
  local archives
  # shellcheck disable=SC2016 # apt-get fills it in
  archives=${DDP_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Label: Debian' 'Component: main')}
  [[ -n $archives ]] && head -n 1 <<<"$archives"
}
