#include "include/CSimdJSON.h"

#include <cstring>
#include <new>

#include <simdjson.h>

using namespace simdjson;

struct notilog_json_parser {
    dom::parser parser;
};

const size_t notilog_json_padding = SIMDJSON_PADDING;

// Depth is limited item by item, so that one deep item does not affect the others; this bound only keeps the
// parser's own stack small.
static constexpr size_t max_depth = 1024;

notilog_json_parser *notilog_json_parser_make(void) {
    return new (std::nothrow) notilog_json_parser();
}

void notilog_json_parser_free(notilog_json_parser *parser) {
    delete parser;
}

static int code(error_code error) {
    switch (error) {
        case SUCCESS: return NOTILOG_JSON_OK;
        case UTF8_ERROR: return NOTILOG_JSON_NOT_UTF8;
        case MEMALLOC: return NOTILOG_JSON_NO_MEMORY;
        case NUMBER_ERROR:
        case STRING_ERROR:
        case DEPTH_ERROR: return NOTILOG_JSON_UNSTORABLE;
        default: return NOTILOG_JSON_INVALID;
    }
}

static bool is_escaped_unit(const uint8_t *at, const uint8_t *end, uint32_t *unit) {
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return false;
    }
    uint32_t value = 0;
    for (int index = 2; index < 6; index++) {
        const uint8_t byte = at[index];
        uint32_t digit;
        if (byte >= '0' && byte <= '9') {
            digit = byte - '0';
        } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
            digit = (byte | 0x20) - 'a' + 10;
        } else {
            return false;
        }
        value = value << 4 | digit;
    }
    *unit = value;
    return true;
}

// Whether an escape is NUL or a lone surrogate. simdjson 3.0 accepts some of them, and PostgreSQL none. A backslash only
// occurs in strings.
static bool has_unstorable_escape(const uint8_t *input, size_t count) {
    const uint8_t *at = input, *end = input + count;
    while (at < end && (at = static_cast<const uint8_t *>(memchr(at, '\\', static_cast<size_t>(end - at))))) {
        uint32_t unit;
        if (!is_escaped_unit(at, end, &unit)) {
            at += 2;
            continue;
        }
        at += 6;
        if (unit == 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) {
            return true;
        }
        if (unit >= 0xD800 && unit <= 0xDBFF) {
            if (!is_escaped_unit(at, end, &unit) || unit < 0xDC00 || unit > 0xDFFF) {
                return true;
            }
            at += 6;
        }
    }
    return false;
}

int notilog_json_parse(
    notilog_json_parser *parser, const uint8_t *input, size_t count, notilog_json_document *document
) {
    try {
        dom::parser &dom = parser->parser;
        if (count == 0) {
            return NOTILOG_JSON_INVALID;
        }
        if (has_unstorable_escape(input, count)) {
            return NOTILOG_JSON_UNSTORABLE;
        }
        if (dom.capacity() < count || dom.max_depth() != max_depth) {
            // A power of two, so that growing bodies do not allocate each time.
            size_t capacity = 4096;
            while (capacity < count) {
                capacity *= 2;
            }
            if (error_code error = dom.allocate(capacity, max_depth)) {
                return code(error);
            }
        }
        if (error_code error = dom.parse(input, count, false).error()) {
            return code(error);
        }
        document->tape = dom.doc.tape.get();
        document->strings = dom.doc.string_buf.get();
        return NOTILOG_JSON_OK;
    } catch (const std::bad_alloc &) {
        return NOTILOG_JSON_NO_MEMORY;
    } catch (...) {
        return NOTILOG_JSON_INVALID;
    }
}

// The byte after a value's last: what follows it, a comma or a bracket, less the white space between.
static uint32_t trimmed(const uint8_t *input, uint32_t start, uint32_t end) {
    while (end > start && (input[end - 1] == ' ' || input[end - 1] == '\n' || input[end - 1] == '\r' || input[end - 1] == '\t')) {
        end--;
    }
    return end;
}

size_t notilog_json_items(
    const notilog_json_parser *parser, const uint8_t *input, size_t count, int split, notilog_json_item *items,
    size_t capacity
) {
    const internal::dom_parser_implementation &implementation = *parser->parser.implementation;
    const uint32_t *structurals = implementation.structural_indexes.get();
    const uint32_t total = implementation.n_structural_indexes;
    if (total == 0) {
        return 0;
    }
    const bool array = split && input[structurals[0]] == '[';
    const uint32_t base = array ? 1 : 0;  // the depth of items
    size_t found = 0;
    uint32_t depth = 0, deepest = 0, start = structurals[0];
    bool open = !array;
    for (uint32_t index = 0; index < total; index++) {
        const uint32_t at = structurals[index];
        const uint8_t byte = input[at];
        if (array && depth == base && !open && byte != ']' && byte != ',') {
            open = true;
            start = at;
            deepest = base;
        }
        if (byte == '{' || byte == '[') {
            depth++;
            if (depth > deepest) {
                deepest = depth;
            }
        } else if (array && depth == base && (byte == ',' || byte == ']')) {
            if (open) {
                if (found < capacity) {
                    items[found] = {start, trimmed(input, start, at), deepest - base};
                }
                found++;
                open = false;
            }
            if (byte == ']') {
                break;
            }
        } else if (byte == '}' || byte == ']') {
            depth--;
        }
    }
    if (!array) {
        if (found < capacity) {
            items[found] = {start, trimmed(input, start, static_cast<uint32_t>(count)), deepest};
        }
        found++;
    }
    return found;
}
