# Who may log in to the hosts of a rig, and how.

# write_accounts STATE: /etc/passwd, /etc/shadow and the key of root, whose home folder all accounts share. Files are kept under STATE.
write_accounts() {
  local state=$1
  write_noisy_shell "$state"
  {
    account_line root /bin/bash
    grep -v '^root:' /etc/passwd
    account_line cshuser /bin/tcsh
    account_line fishuser /usr/bin/fish
    account_line noisyuser "$state/noisy_shell"
    account_line nologinuser /usr/sbin/nologin
    account_line 'CORP\ann' /bin/bash
  } >"$state/passwd"
  # sshd lets nobody in whose password is locked by a "!".
  (umask 077 && printf '%s:*:20000:0:99999:7:::\n' root cshuser fishuser noisyuser nologinuser 'CORP\ann' >"$state/shadow")
  mount --bind "$state/passwd" /etc/passwd
  mount --bind "$state/shadow" /etc/shadow
  mkdir -m 700 /root/.ssh
  ssh-keygen -q -t ed25519 -N '' -C root@login0 -f /root/.ssh/id_ed25519
  cp /root/.ssh/id_ed25519.pub "$state/authorized_keys"
}

account_line() { echo "$1:x:0:0::/root:$2"; }

write_noisy_shell() {
  echo 'Authorized users only. All activity is monitored.' >"$1/banner"
  cat >"$1/noisy_shell" <<'EOF'
#!/bin/bash
echo 'Welcome to the cluster!'
echo 'Your quota: 93 % used' >&2
exec bash "$@"
EOF
  chmod 755 "$1/noisy_shell"
}

# write_sshd_config STATE LINES. The first line of a key counts, and after Match there is no way back.
write_sshd_config() {
  sed '/^ *Match /,$d' <<<"$2"
  cat <<EOF
AddressFamily inet
PermitRootLogin prohibit-password
AuthenticationMethods publickey
AuthorizedKeysFile $1/authorized_keys
StrictModes no
UsePAM no
MaxStartups 1000
LogLevel VERBOSE
PrintMotd no
AcceptEnv LANG LC_*
Subsystem sftp /usr/lib/openssh/sftp-server
EOF
  sed -n '/^ *Match /,$p' <<<"$2"
  cat <<EOF
Match User noisyuser
  Banner $1/banner
EOF
}
