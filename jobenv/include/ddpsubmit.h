/* How a rank in C tells ddpsubmit where it is, and learns when to stop. This file is all that is needed: it
 * links against nothing. C11 or C++, gcc or clang, x86-64 or another machine with lock-free 64-bit atomics.
 *
 * ddp-agent shares a page of 4096 bytes, a memfd, with each rank; DDPSUBMIT_PROGRESS_FD is its descriptor.
 * Who writes a field is said beside it. Each field is read and written as one atomic number: relaxed, but for
 * counts, which are stored with release order after the entries that they count, and loaded with acquire
 * order. Entries that a count covers never change their name. Numbers are those of the machine.
 *
 * Version 3 is a page of 64 bytes: the same fields up to `waits_for_peers`, and nothing more. A later version
 * of the page will have another number; a program that does not know it goes on without a page.
 *
 *   struct ddpsubmit_page* page = ddpsubmit_open();   // once, in the rank; NULL: not started by ddpsubmit
 *   for (n = first; n <= total; ++n) {
 *     ...
 *     ddpsubmit_step(page, n, total);
 *     if (ddpsubmit_should_stop(page)) { save(n); exit(DDPSUBMIT_STOPPED); }
 *   }
 *
 * All functions take NULL for a page and then do nothing. One thread of a rank calls them. Slurm sends TERM
 * to the ranks themselves at a cancel, a preemption and the time limit: a program that asks for stops has to
 * ignore it (SIG_IGN). With -std=c11 the compiler wants _POSIX_C_SOURCE=200809L: nanosleep() is no C. */
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
#define DDPSUBMIT_STOPPED 75 /* exit code of a rank that has stopped because it was asked to */
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
       DDPSUBMIT_TELLS_STEPS = 1, /* it calls ddpsubmit_step */
       DDPSUBMIT_HEEDS_STOPS =
           2 /* it asks ddpsubmit_should_stop after each step: no signal is needed to stop it */
};

struct ddpsubmit_metric {
  char name[24]; /* ends with a zero byte */
  double value;
};

struct ddpsubmit_page {
  uint32_t version;                 /* agent */
  uint32_t phase;                   /* rank: what it does now */
  uint64_t step;                    /* rank: the last finished one, from 1 over the whole run */
  uint32_t stop_requested;          /* agent: the signal that stands for the request; 0: none */
  uint32_t checkpoint_milliseconds; /* rank: that the last checkpoint took; 0: none yet */
  uint64_t parts;                   /* rank: grows whenever the present phase advances */
  uint32_t waits_for_peers;         /* rank: 1 while it only waits for other ranks */
  uint32_t uses;                    /* rank: what it makes use of, see above */
  uint64_t total_steps;             /* rank: of the whole run; 0: not known */
  uint64_t stop_step;               /* agent: stop after this step, or DDPSUBMIT_NO_STOP, or DDPSUBMIT_HOLD */
  uint32_t stack_signal;            /* rank: at it, it writes its stack into the memfd; 0: it does not */
  uint32_t stack_descriptor;        /* rank: of that memfd, named "ddpsubmit-stack", in the rank */
  char phase_names[DDPSUBMIT_NAMES][32];              /* rank: each ends with a zero byte */
  uint32_t phase_name_count;                          /* rank */
  uint32_t metric_count;                              /* rank */
  struct ddpsubmit_metric metrics[DDPSUBMIT_METRICS]; /* rank: the last value of each */
  unsigned char unused[2488];
};

/* The page of this rank; NULL: this process was not started by ddpsubmit, or by another version of it. The
 * mapping lives as long as the process. */
static inline struct ddpsubmit_page* ddpsubmit_open(void) {
  const char* number = getenv("DDPSUBMIT_PROGRESS_FD");
  struct stat found;
  void* memory;
  uint32_t version;
  if (number == NULL || fstat(atoi(number), &found) != 0 ||
      found.st_size != (off_t)sizeof(struct ddpsubmit_page))
    return NULL;
  if (fcntl(atoi(number), 1034 /* F_GET_SEALS */) <= 0) return NULL; /* some other file */
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

/* From now on the rank is in `phase`: one of the names below, or one of its own, of at most 31 bytes. Called
 * again with the same phase, it says that the phase advances. ddpsubmit_step() ends it. */
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
    if (i == DDPSUBMIT_NAMES) i = DDPSUBMIT_NAMES - 1; /* there is no room for more names */
    if (i == count && count < DDPSUBMIT_NAMES) {
      memcpy(page->phase_names[i], phase, strnlen(phase, sizeof(page->phase_names[i]) - 1));
      __atomic_store_n(&page->phase_name_count, count + 1, __ATOMIC_RELEASE);
    }
    number += i;
  }
  ddpsubmit_count_part(page);
  __atomic_store_n(&page->phase, number, __ATOMIC_RELAXED);
}

/* Shows the last value of a number of the training, such as its loss; `name` has at most 23 bytes. */
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

/* Step `n` of `total` is done, and the next one begins; `total` 0: not known. While the ranks agree on the
 * step after which they stop, it waits: about as long as a message to all nodes and back takes. */
static inline void ddpsubmit_step(struct ddpsubmit_page* page, uint64_t n, uint64_t total) {
  const struct timespec pause = {0, 1000000};
  if (page == NULL) return;
  ddpsubmit_add_use(page, DDPSUBMIT_TELLS_STEPS);
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

/* Whether the rank is to stop now, behind the step that it has just told: all ranks hear it after the same
 * step. Save what is needed to resume, and leave with DDPSUBMIT_STOPPED. */
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
