// A C face on simdjson's DOM parser, so that Swift can walk the tape that it writes.
//
// Nothing here throws: every failure is a code. A parser serves one document at a time and may be used from one thread
// at a time; its memory is kept for the next document.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parser and the memory it reuses.
typedef struct notilog_json_parser notilog_json_parser;

/// Why a document was refused.
enum {
    NOTILOG_JSON_OK = 0,
    NOTILOG_JSON_INVALID = 1,     // not JSON, or truncated
    NOTILOG_JSON_NOT_UTF8 = 2,
    NOTILOG_JSON_UNSTORABLE = 3,  // maybe JSON, but with a number or an escape that cannot be stored, or far too deep
    NOTILOG_JSON_NO_MEMORY = 4
};

/// What a document was parsed into. Valid until the parser is used again or freed.
typedef struct {
    const uint64_t *_Nonnull tape;    // simdjson's tape; the root's first value is tape[1]
    const uint8_t *_Nonnull strings;  // each a 32-bit little-endian length, the bytes, a NUL; readable 64 bytes past it
} notilog_json_document;

/// One item of the body: the root, or an element of the array that the root is.
typedef struct {
    uint32_t start;  // its first byte in the input
    uint32_t end;    // the byte after its last
    uint32_t depth;  // how deep arrays and objects nest in it; 0 for a scalar
} notilog_json_item;

/// How many bytes must be readable past the end of the input.
extern const size_t notilog_json_padding;

/// Creates a parser; NULL if memory is short.
notilog_json_parser *_Nullable notilog_json_parser_make(void);

/// Frees a parser and its document. NULL is ignored.
void notilog_json_parser_free(notilog_json_parser *_Nullable parser);

/// Parses `count` bytes. `notilog_json_padding` bytes past them must be readable, with any content.
int notilog_json_parse(
    notilog_json_parser *_Nonnull parser, const uint8_t *_Nonnull input, size_t count,
    notilog_json_document *_Nonnull document
);

/// Finds where the items of the document that was just parsed from `input` lie: the elements of the array where the
/// root is one and `split` is not 0, else the root itself. Writes up to `capacity` of them and returns how many there
/// are.
size_t notilog_json_items(
    const notilog_json_parser *_Nonnull parser, const uint8_t *_Nonnull input, size_t count, int split,
    notilog_json_item *_Nullable items, size_t capacity
);

#ifdef __cplusplus
}
#endif
