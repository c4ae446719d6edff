#pragma once

#include <zlib.h>

// inflateInit2 is a macro that passes the version and size of the stream; Swift sees functions only.
static inline int notilog_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

// deflateInit2 is such a macro, too.
static inline int notilog_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
