/* What the tests of MPI programs run: mpi_program CASE
 *   once      an all-reduce, and says who the rank is
 *   attempts  in attempt 0 all-reduces without end, later once
 *   forever   all-reduces without end
 *   abort     rank 1 calls MPI_Abort with error code 7, the others wait for it
 *   early     rank 1 ends well before it has called MPI_Init, the others call it
 * Each rank prints "segment PATH" for what it has mapped in /dev/shm. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_segments(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    const char* path = strstr(line, "/dev/shm/");
    if (path != NULL && strstr(path, "(deleted)") == NULL) printf("segment %s", path);
  }
  if (maps != NULL) fclose(maps);
}

static int sum_of_ranks(int rank) {
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* The pause leaves the CPU to the others: MPI's calls spin. */
static void sum_without_end(int rank) {
  for (;;) {
    sum_of_ranks(rank);
    usleep(20000);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "once";
  const char* attempt = getenv("DDPSUBMIT_ATTEMPT");
  const char* number = getenv("RANK");
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (strcmp(what, "early") == 0 && number != NULL && strcmp(number, "1") == 0) return 0;
  MPI_Init(&argc, &argv);
  int rank, size, neighbours;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &neighbours);
  const int sum = sum_of_ranks(rank);
  say_segments();
  printf("rank %d of %d, %d on its host, sum %d\n", rank, size, neighbours, sum);
  if (strcmp(what, "forever") == 0) sum_without_end(rank);
  if (strcmp(what, "attempts") == 0 && attempt != NULL && strcmp(attempt, "0") == 0) sum_without_end(rank);
  if (strcmp(what, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "abort") == 0) pause(); /* an abort may end the barrier of MPICH */
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
