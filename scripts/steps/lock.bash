# take_lock FILE: until the lock is dropped, or this process ends, nobody else holds it. Says so where it has to wait.

take_lock() {
  exec {taken_lock}>"$1"
  flock --nonblock "$taken_lock" || { echo 'Another setup is running: waiting for it.' && flock "$taken_lock"; }
}

drop_lock() { exec {taken_lock}>&-; }
