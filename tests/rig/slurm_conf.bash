# The configuration of a rig's Slurm.

# write_slurm_conf FOLDER STATE NODES CONF: slurm.conf, with the lines CONF at its end, and what it includes, into FOLDER; daemons
# keep their state under STATE.
write_slurm_conf() {
  local folder=$1 state=$2 nodes=$3 conf=$4
  # With cred_expire=5 a requeued job is held for 6 s, not 121 s. KillWait: TERM to KILL.
  cat >"$folder/slurm.conf" <<EOF
ClusterName=rig
SlurmctldHost=login0(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5
CredType=cred/munge
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/spool.%n
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.%n.pid
SlurmctldLogFile=$state/log/slurmctld.log
SlurmdLogFile=$state/log/slurmd.%n.log
SlurmdParameters=config_overrides
SlurmdTimeout=120
ReturnToService=2
KillWait=5
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
NodeName=node[1-$nodes] CPUs=4 RealMemory=4000 Gres=gpu:2 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
$conf
EOF
  echo "NodeName=node[1-$nodes] Name=gpu File=$state/gpu[0-1]" >"$folder/gres.conf"
  mknod "$state/gpu0" c 1 20
  mknod "$state/gpu1" c 1 21
  # Of AuthType=auth/slurm, should $conf say so.
  (umask 077 && head -c 128 /dev/urandom >"$folder/slurm.key")
  # Nothing uses cgroups; left alone, slurmd asks systemd for one, but for that of 20.11, which does not know the key.
  [[ $(slurmd -V) == *' 20.11.'* ]] || echo 'CgroupPlugin=cgroup/v1' >"$folder/cgroup.conf"
}
