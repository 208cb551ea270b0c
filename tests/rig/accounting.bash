# The accounts of a rig's Slurm: slurmdbd, and a MariaDB under it that nobody reaches but through its socket.

# shellcheck disable=SC2034 # for slurm.conf, in rig_init
accounting_conf='AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=login0'

# start_accounting FOLDER STATE: writes slurmdbd.conf into FOLDER, keeps all there is under STATE, and returns when slurmdbd answers.
start_accounting() {
  local folder=$1 state=$2
  write_slurmdbd_conf "$folder" "$state"
  start_mariadb "$state"
  until_up "$state" test -S /run/mysqld/mysqld.sock # slurmdbd would look again only after five seconds
  slurmdbd -D &>"$state/log/slurmdbd.out" &
  echo $! >"$state/pid/slurmdbd"
  until_up "$state" sacctmgr --immediate --quiet add cluster rig
}

write_slurmdbd_conf() {
  # MariaDB's library takes its own default socket for localhost.
  cat >"$1/slurmdbd.conf" <<EOF
DbdHost=login0
DbdAddr=10.77.0.254
SlurmUser=root
AuthType=auth/munge
PidFile=$2/slurmdbd.pid
LogFile=$2/log/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
EOF
  chmod 600 "$1/slurmdbd.conf"
}

start_mariadb() {
  local state=$1
  mkdir "$state/mariadb" /run/mysqld
  ln -s mysqld /run/mariadbd # where newer versions look
  # Without its own tables MariaDB runs no stored procedures. slurmdbd would make its database itself, on a connection that MariaDB's
  # library 11.8 has no use for once it was refused. Nothing has to survive a crash.
  {
    printf '%s\n' 'CREATE DATABASE slurm_acct_db;' 'CREATE DATABASE mysql;' 'USE mysql;'
    cat /usr/share/{mysql/mysql,mariadb/mariadb}_system_tables.sql 2>/dev/null || true # one of the two, by version
  } >"$state/mariadb.sql"
  mariadbd --no-defaults --user=root "--datadir=$state/mariadb" "--init-file=$state/mariadb.sql" --skip-grant-tables --skip-networking \
    --socket=/run/mysqld/mysqld.sock "--pid-file=$state/mariadb.pid" --skip-name-resolve --skip-log-bin --innodb-stats-persistent=0 \
    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-log-file-size=4M --innodb-buffer-pool-size=16M &>"$state/log/mariadb.out" &
  echo $! >"$state/pid/mariadb"
}

# until_up STATE COMMAND...: until COMMAND succeeds.
until_up() {
  local state=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" &>>"$state/log/accounting.out"; do
    if ((SECONDS > deadline)); then
      echo "The rig's accounting did not come up." >&2
      tail -n 15 "$state"/log/* >&2
      exit 1
    fi
    sleep 0.1
  done
}
