"""A program of TOTAL steps that resumes where it was saved, in step with its peers by nothing but time; FAIL_AT: rank 1 fails there, and the others wait for it."""
import os
import signal
import time

import ddpsubmit

total = int(os.environ['TOTAL'])
saved = ddpsubmit.job().output_dir / 'step'
begin = ddpsubmit.job().run_dir / f'begin-{ddpsubmit.job().attempt}'  # rank 0 tells the others where: they might read a later save
if ddpsubmit.job().rank == 0:
    begin.with_suffix('.new').write_text(saved.read_text() if saved.exists() else '0')
    begin.with_suffix('.new').replace(begin)
while not begin.exists():
    time.sleep(0.001)
done = int(begin.read_text())
for n in range(done + 1, total + 1):
    time.sleep(0.005)
    ddpsubmit.step(n, total)
    if n % 10 == 0:
        ddpsubmit.log(loss=1 / n)
    stop = ddpsubmit.should_stop()
    if ddpsubmit.job().rank == 0 and (stop or n % 50 == 0):
        with ddpsubmit.phase('checkpoint'):
            saved.with_suffix('.new').write_text(str(n))
            saved.with_suffix('.new').replace(saved)
    if stop:
        print('saved after step', n)
        ddpsubmit.stop_here()
    if n == int(os.environ.get('FAIL_AT', '0')):
        if ddpsubmit.job().rank == 1:
            raise RuntimeError(f'the data of step {n} are wrong')
        signal.pause()  # as in a collective operation: else rank 0 may save a later step, from which no rank comes here again
