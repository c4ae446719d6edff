// Parts of posix_spawn and pipe that Swift's Glibc module lacks, because they are declared for _GNU_SOURCE only.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#include <unistd.h>

int spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__APPLE__)
    // POSIX_SPAWN_CLOEXEC_DEFAULT does it.
    (void)actions;
    (void)first;
    return 0;
#elif defined(__GLIBC__)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    int result = 0;
    for (int descriptor = first; result == 0 && descriptor < 1024; descriptor++) {
        result = posix_spawn_file_actions_addclose(actions, descriptor);
    }
    return result;
#endif
}

int pipe_close_on_exec(int ends[2]) {
#if defined(__APPLE__)
    int result = pipe(ends);
    if (result == 0) {
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    }
    return result;
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}
