// What programs and g++ 12's own library want of the C library and glibc 2.28 does not have. A program is linked with what it calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Since glibc 2.32. 0 says that there may be several threads, which is always safe.
char __libc_single_threaded = 0;

// Since glibc 2.30.
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// Since glibc 2.36. std::random_device calls it.
uint32_t arc4random(void) {
  uint32_t value;
  char* const bytes = (char*)&value;
  size_t have = 0;
  while (have < sizeof value) {
    const ssize_t got = getrandom(bytes + have, sizeof value - have, 0);
    if (got > 0) have += (size_t)got;
  }
  return value;
}

// Since glibc 2.35: where the unwinder finds the frames of the code at PC. glibc's manual, "Dynamic Linker Introspection", describes it.
struct dl_find_object {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  struct link_map* link_map;
  void* eh_frame;
  unsigned long long reserved[7];
};

struct search {
  uintptr_t pc;
  struct dl_find_object* result;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* context) {
  (void)size;
  const struct search* const search = context;
  uintptr_t start = UINTPTR_MAX;
  uintptr_t end = 0;
  uintptr_t frames = 0;
  int holds_pc = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const header = &object->dlpi_phdr[i];
    const uintptr_t begins = object->dlpi_addr + header->p_vaddr;
    const uintptr_t ends = begins + header->p_memsz;
    if (header->p_type == PT_GNU_EH_FRAME) frames = begins;
    if (header->p_type != PT_LOAD) continue;
    if (begins < start) start = begins;
    if (ends > end) end = ends;
    if (search->pc >= begins && search->pc < ends) holds_pc = 1;
  }
  if (!holds_pc || frames == 0) return 0;
  search->result->flags = 0;
  search->result->map_start = (void*)start;
  search->result->map_end = (void*)end;
  search->result->link_map = NULL;
  search->result->eh_frame = (void*)frames;
  return 1;
}

int _dl_find_object(void* pc, struct dl_find_object* result) {
  struct search search = {(uintptr_t)pc, result};
  return dl_iterate_phdr(look_into, &search) ? 0 : -1;
}

// Since glibc 2.30. std::condition_variable waits with it for a time of the steady clock. Where the machine's C library lacks it, the
// wait ends by the wall clock: somebody who sets that shifts the end of waits that are under way.
typedef int wait_function(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

static int64_t nanoseconds(const struct timespec* time) { return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec; }

static int wait_by_wall_clock(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec now;
  struct timespec wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  const int64_t left = nanoseconds(until) - nanoseconds(&now);
  const int64_t end = nanoseconds(&wall) + (left > 0 ? left : 0);
  const struct timespec wall_end = {end / 1000000000, end % 1000000000};
  return pthread_cond_timedwait(condition, mutex, &wall_end);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  static wait_function* chosen;
  wait_function* function = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
  if (function == NULL) {
    function = (wait_function*)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
    if (function == NULL) function = wait_by_wall_clock;
    __atomic_store_n(&chosen, function, __ATOMIC_RELAXED);
  }
  return function(condition, mutex, clock, until);
}
