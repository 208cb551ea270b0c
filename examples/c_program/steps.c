/* A C program whose ranks report their steps, stop after the same step, and resume from there: see ddpsubmit.h.
 *
 *   cc -O2 -I DDPSUBMIT/include steps.c -o steps      DDPSUBMIT: the folder it is installed in; in a checkout: -I jobenv/include
 *   ddpsubmit run run.yaml
 */
#include <ddpsubmit.h>
#include <signal.h>
#include <stdio.h>

enum { kTotal = 20000, kSaveEvery = 100 };

/* -1: there is no such file yet. */
static int64_t load(const char* file) {
  long long step = -1;
  FILE* in = fopen(file, "r");
  if (in == NULL) return -1;
  if (fscanf(in, "%lld", &step) != 1) step = -1;
  fclose(in);
  return step;
}

/* If the program is killed here, either the old or the new file is complete. */
static void save(const char* file, uint64_t step) {
  char next[4200];
  FILE* out;
  snprintf(next, sizeof(next), "%s.new", file);
  out = fopen(next, "w");
  if (out == NULL || fprintf(out, "%llu\n", (unsigned long long)step) < 0 || fclose(out) != 0 || rename(next, file) != 0) {
    perror(file);
    exit(1);
  }
}

/* Rank 0 loads the checkpoint and tells the others: one that is late might read what rank 0 has saved meanwhile.
 * Here a file tells them; a program with MPI or NCCL broadcasts the number. */
static uint64_t load_together(const char* file, int is_rank_0) {
  const struct timespec pause = {0, 1000000};
  const char* attempt = getenv("DDPSUBMIT_ATTEMPT");
  char begin[4100];
  int64_t step = load(file);
  snprintf(begin, sizeof(begin), "%s.begin-%s", file, attempt != NULL ? attempt : "0");
  if (is_rank_0) save(begin, step < 0 ? 0 : (uint64_t)step);
  while ((step = load(begin)) < 0) nanosleep(&pause, NULL);
  return (uint64_t)step;
}

int main(void) {
  const struct timespec work = {0, 5000000};
  const char* folder = getenv("DDPSUBMIT_OUTPUT_DIR"); /* kept over restarts, requeues and reruns */
  const char* rank = getenv("RANK");
  struct ddpsubmit_page* page = ddpsubmit_open();
  const int is_rank_0 = rank == NULL || strcmp(rank, "0") == 0;
  char file[4000];
  uint64_t step;
  signal(SIGTERM, SIG_IGN); /* Slurm sends it to the ranks, too; ddpsubmit_should_stop says when to stop */
  snprintf(file, sizeof(file), "%s/step", folder != NULL ? folder : ".");
  for (step = load_together(file, is_rank_0) + 1; step <= kTotal; ++step) {
    int stop;
    nanosleep(&work, NULL);
    ddpsubmit_step(page, step, kTotal);
    ddpsubmit_log(page, "loss", 1.0 / (double)step);
    stop = ddpsubmit_should_stop(page);
    if ((stop || step % kSaveEvery == 0) && is_rank_0) {
      ddpsubmit_phase(page, "checkpoint");
      save(file, step);
    }
    if (stop) return DDPSUBMIT_STOPPED;
  }
  return 0;
}
