/* With this header a rank written in C or C++ reports its progress to ddpsubmit and learns when to stop. You
 * need this file only; there is nothing to link. It needs C11 or C++, gcc or clang, and x86-64 or another
 * machine with lock-free 64-bit atomics.
 *
 * ddp-agent shares a page of 4096 bytes, a memfd, with each rank; DDPSUBMIT_PROGRESS_FD is its descriptor.
 * The comment at each field says who writes it. Each field is read and written as one atomic number, with
 * relaxed order. Counts are the exception: they are stored with release order after the entries that they
 * count, and loaded with acquire order. Entries that a count covers never change their name. Numbers have the
 * byte order of the machine.
 *
 * A later version of the page will have another number; a program that does not know it runs without a page.
 *
 *   struct ddpsubmit_page* page = ddpsubmit_open();   // once per rank; NULL: not started by ddpsubmit
 *   for (n = first; n <= total; ++n) {
 *     ...
 *     ddpsubmit_step(page, n, total);
 *     if (ddpsubmit_should_stop(page)) { save(n); exit(DDPSUBMIT_STOPPED); }
 *   }
 *
 * All functions accept NULL as the page, and then do nothing. Call them from one thread of the rank only. At
 * a cancel, a preemption and the time limit Slurm sends SIGTERM to the ranks, too: a program that uses
 * ddpsubmit_should_stop() must ignore it (SIG_IGN). With -std=c11 define _POSIX_C_SOURCE=200809L, which
 * nanosleep() needs. */
#ifndef DDPSUBMIT_H
#define DDPSUBMIT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DDPSUBMIT_PAGE_VERSION 4u
#define DDPSUBMIT_NO_STEP UINT64_MAX            /* of `step` */
#define DDPSUBMIT_NO_STOP ((uint64_t)INT64_MAX) /* of `stop_step` */
#define DDPSUBMIT_HOLD 0u                       /* of `stop_step`: wait until it changes */
#define DDPSUBMIT_STOPPED 75                    /* exit code of a rank that stopped on request */
#define DDPSUBMIT_NAMES 16
#define DDPSUBMIT_METRICS 32

enum { /* `phase`; DDPSUBMIT_OWN_PHASE + i is the i-th name of phase_names */
       DDPSUBMIT_START,
       DDPSUBMIT_TRAIN,
       DDPSUBMIT_CHECKPOINT,
       DDPSUBMIT_EVALUATE,
       DDPSUBMIT_DONE,
       DDPSUBMIT_OWN_PHASE
};

enum {                            /* bits of `uses` */
       DDPSUBMIT_TELLS_STEPS = 1, /* the rank calls ddpsubmit_step */
       DDPSUBMIT_HEEDS_STOPS =
           2 /* the rank calls ddpsubmit_should_stop after each step: it needs no stop signal */
};

struct ddpsubmit_metric {
  char name[24]; /* ends with a zero byte */
  double value;
};

struct ddpsubmit_page {
  uint32_t version;                 /* agent */
  uint32_t phase;                   /* rank: its present phase */
  uint64_t step;                    /* rank: the last finished step, counted from 1 over the whole run */
  uint32_t stop_requested;          /* agent: the signal for a requested stop; 0: no stop is requested */
  uint32_t checkpoint_milliseconds; /* rank: duration of the last checkpoint; 0: none yet */
  uint64_t parts;                   /* rank: grows whenever the present phase makes progress */
  uint32_t waits_for_peers;         /* rank: 1 while it only waits for other ranks */
  uint32_t uses;                    /* rank: which functions it uses, see above */
  uint64_t total_steps;             /* rank: number of steps of the whole run; 0: unknown */
  uint64_t stop_step;               /* agent: stop after this step, or DDPSUBMIT_NO_STOP, or DDPSUBMIT_HOLD */
  uint32_t stack_signal;            /* rank: signal at which it writes its stack into a memfd; 0: none */
  uint32_t stack_descriptor;        /* rank: its descriptor of that memfd, "ddpsubmit-stack" */
  char phase_names[DDPSUBMIT_NAMES][32];              /* rank: each ends with a zero byte */
  uint32_t phase_name_count;                          /* rank */
  uint32_t metric_count;                              /* rank */
  struct ddpsubmit_metric metrics[DDPSUBMIT_METRICS]; /* rank: the last value of each metric */
  uint64_t first_step; /* rank: the first step that it has reported; 0: none. All ranks must have the same. */
  unsigned char unused[2480];
};

/* Returns the page of this rank. NULL: ddpsubmit did not start this process, or a version of ddpsubmit did
 * whose page is different. The mapping stays until the process ends. */
static inline struct ddpsubmit_page* ddpsubmit_open(void) {
  const char* number = getenv("DDPSUBMIT_PROGRESS_FD");
  struct stat found;
  void* memory;
  uint32_t version;
  if (number == NULL || fstat(atoi(number), &found) != 0 ||
      found.st_size != (off_t)sizeof(struct ddpsubmit_page))
    return NULL;
  if (fcntl(atoi(number), 1034 /* F_GET_SEALS */) <= 0) return NULL; /* another file */
  memory = mmap(NULL, sizeof(struct ddpsubmit_page), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(number), 0);
  if (memory == MAP_FAILED) return NULL;
  version = __atomic_load_n(&((struct ddpsubmit_page*)memory)->version, __ATOMIC_RELAXED);
  if (version == DDPSUBMIT_PAGE_VERSION) return (struct ddpsubmit_page*)memory;
  munmap(memory, sizeof(struct ddpsubmit_page));
  return NULL;
}

static inline void ddpsubmit_add_use(struct ddpsubmit_page* page, uint32_t use) {
  const uint32_t uses = __atomic_load_n(&page->uses, __ATOMIC_RELAXED);
  if ((uses & use) == 0) __atomic_store_n(&page->uses, uses | use, __ATOMIC_RELAXED);
}

static inline void ddpsubmit_count_part(struct ddpsubmit_page* page) {
  __atomic_store_n(&page->parts, __atomic_load_n(&page->parts, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* Reports that the rank is now in `phase`: one of the names below, or a name of your own of at most 31 bytes.
 * Call it again with the same name to report that the phase makes progress. ddpsubmit_step() ends the phase.
 */
static inline void ddpsubmit_phase(struct ddpsubmit_page* page, const char* phase) {
  static const char* const known[] = {"start", "step", "checkpoint", "evaluate", "done"};
  uint32_t number = DDPSUBMIT_OWN_PHASE;
  uint32_t i;
  if (page == NULL) return;
  for (i = 0; i < DDPSUBMIT_OWN_PHASE; ++i)
    if (strcmp(phase, known[i]) == 0) number = i;
  if (number == DDPSUBMIT_OWN_PHASE) {
    const uint32_t count = page->phase_name_count;
    for (i = 0; i < count && strncmp(page->phase_names[i], phase, sizeof(page->phase_names[i]) - 1) != 0;
         ++i) {
    }
    if (i == DDPSUBMIT_NAMES) i = DDPSUBMIT_NAMES - 1; /* no room for more names: they share the last one */
    if (i == count && count < DDPSUBMIT_NAMES) {
      memcpy(page->phase_names[i], phase, strnlen(phase, sizeof(page->phase_names[i]) - 1));
      __atomic_store_n(&page->phase_name_count, count + 1, __ATOMIC_RELEASE);
    }
    number += i;
  }
  ddpsubmit_count_part(page);
  __atomic_store_n(&page->phase, number, __ATOMIC_RELAXED);
}

/* Reports the last value of a metric, such as the loss; `name` has at most 23 bytes. */
static inline void ddpsubmit_log(struct ddpsubmit_page* page, const char* name, double value) {
  uint32_t i;
  if (page == NULL) return;
  for (i = 0;
       i < page->metric_count && strncmp(page->metrics[i].name, name, sizeof(page->metrics[i].name) - 1) != 0;
       ++i) {
  }
  if (i == DDPSUBMIT_METRICS) return;
  __atomic_store(&page->metrics[i].value, &value, __ATOMIC_RELAXED);
  if (i < page->metric_count) return;
  memcpy(page->metrics[i].name, name, strnlen(name, sizeof(page->metrics[i].name) - 1));
  __atomic_store_n(&page->metric_count, i + 1, __ATOMIC_RELEASE);
}

/* Reports that step `n` of `total` is done and the next one begins; `total` 0: unknown. When a stop is
 * requested, it waits while the ranks agree on the step after which they stop: for about one message to all
 * nodes and back. */
static inline void ddpsubmit_step(struct ddpsubmit_page* page, uint64_t n, uint64_t total) {
  const struct timespec pause = {0, 1000000};
  if (page == NULL) return;
  ddpsubmit_add_use(page, DDPSUBMIT_TELLS_STEPS);
  if (page->first_step == 0) __atomic_store_n(&page->first_step, n, __ATOMIC_RELAXED);
  __atomic_store_n(&page->total_steps, total, __ATOMIC_RELAXED);
  __atomic_store_n(&page->phase, DDPSUBMIT_TRAIN, __ATOMIC_RELAXED);
  ddpsubmit_count_part(page);
  __atomic_store_n(&page->step, n, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the agent adds the fence of the processor: membarrier(2) */
  if (__atomic_load_n(&page->stop_step, __ATOMIC_RELAXED) != DDPSUBMIT_HOLD) return;
  __atomic_store_n(&page->waits_for_peers, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&page->stop_step, __ATOMIC_RELAXED) == DDPSUBMIT_HOLD) nanosleep(&pause, NULL);
  __atomic_store_n(&page->waits_for_peers, 0, __ATOMIC_RELAXED);
}

/* Returns 1 if the rank must stop now, after the step that it has just reported; it does so on all ranks
 * after the same step. Save what is needed to resume, then exit with DDPSUBMIT_STOPPED. */
static inline int ddpsubmit_should_stop(struct ddpsubmit_page* page) {
  uint64_t step;
  uint64_t stop;
  if (page == NULL) return 0;
  ddpsubmit_add_use(page, DDPSUBMIT_HEEDS_STOPS);
  step = __atomic_load_n(&page->step, __ATOMIC_RELAXED);
  if (step == DDPSUBMIT_NO_STEP) return __atomic_load_n(&page->stop_requested, __ATOMIC_RELAXED) != 0;
  stop = __atomic_load_n(&page->stop_step, __ATOMIC_RELAXED);
  return stop != DDPSUBMIT_HOLD && step >= stop; /* held: the next ddpsubmit_step() waits */
}

#endif
