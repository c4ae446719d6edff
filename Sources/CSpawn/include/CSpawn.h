#pragma once

#include <spawn.h>

/// Closes every descriptor from `first` on in the child to be spawned. Returns 0 or an error number.
int spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// Makes a pipe that children do not inherit. Returns 0, or -1 with `errno`.
int pipe_close_on_exec(int ends[2]);
