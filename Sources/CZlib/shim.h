#pragma once

#include <zlib.h>

// inflateInit2 and deflateInit2 are macros that pass the version and size of the stream; Swift sees functions only.
static inline int notilog_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

static inline int notilog_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
