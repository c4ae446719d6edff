#pragma once

#include <zlib.h>

// inflateInit2 is a macro that passes the version and size of the stream; Swift sees functions only.
static inline int notilog_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
