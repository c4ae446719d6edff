// A clock that a test sets: preloaded, it shifts the time of day that a process reads by the seconds that a file holds, as
// they change. Timers go on by the monotonic clock, as they do where an operator or NTP sets a machine's clock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *seconds;
static int (*machine_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
  machine_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("CLOCK_SECONDS_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) seconds = memory;
  close(file);
}

int clock_gettime(clockid_t id, struct timespec *time) {
  int result = machine_clock(id, time);
  if (result == 0 && id == CLOCK_REALTIME && seconds) time->tv_sec += *seconds;
  return result;
}
