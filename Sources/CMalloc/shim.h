#pragma once

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

// From how many bytes on a block has pages of its own, and how much free memory may remain at the end of the heap. By default the GNU C
// library raises both to the largest block that was ever freed.
static inline void notilog_set_malloc_thresholds(int mapped, int trimmed) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, mapped);
    mallopt(M_TRIM_THRESHOLD, trimmed);
#else
    (void)mapped;
    (void)trimmed;
#endif
}
