import CSimdJSON

/// simdjson's parser, which keeps its memory from one document to the next.
final class JSONParser {
    private let handle: OpaquePointer
    private var items: UnsafeMutablePointer<notilog_json_item>
    /// The items that it has room for.
    private(set) var capacity = 64

    /// Where an item of a body lies, and how deep it nests.
    typealias Item = notilog_json_item

    /// Why a document could not be parsed.
    enum Failure: Error {
        case invalid
        case notUTF8
        /// It may be JSON, but holds a number or an escape that nothing can store, or nests far too deep.
        case unstorable
        case noMemory
    }

    /// Makes a parser; `nil` where memory is short.
    init?() {
        guard let handle = notilog_json_parser_make() else { return nil }
        self.handle = handle
        items = .allocate(capacity: capacity)
    }

    deinit {
        notilog_json_parser_free(handle)
        items.deallocate()
    }

    /// Parses bytes that the padding of an ``InputBuffer`` follows; the tape is valid until the next call.
    func parse(_ input: UnsafePointer<UInt8>, count: Int) throws(Failure) -> JSONTape {
        // The fields are filled in where the call succeeds; until then they point at the input, never read.
        var document = notilog_json_document(
            tape: UnsafeRawPointer(input).assumingMemoryBound(to: UInt64.self),
            strings: input
        )
        switch Int(notilog_json_parse(handle, input, count, &document)) {
        case NOTILOG_JSON_OK: return JSONTape(words: document.tape, strings: UnsafeRawPointer(document.strings))
        case NOTILOG_JSON_NOT_UTF8: throw .notUTF8
        case NOTILOG_JSON_UNSTORABLE: throw .unstorable
        case NOTILOG_JSON_NO_MEMORY: throw .noMemory
        default: throw .invalid
        }
    }

    /// Where the items of the document just parsed lie: the elements of its array, or itself. `nil` where there are more than
    /// `limit`, for which it takes no memory.
    func items(
        _ input: UnsafePointer<UInt8>,
        count: Int,
        split: Bool,
        limit: Int
    ) -> UnsafeBufferPointer<Item>? {
        var found = notilog_json_items(handle, input, count, split ? 1 : 0, items, capacity)
        guard found <= limit else { return nil }
        if found > capacity {
            items.deallocate()
            capacity = found
            items = .allocate(capacity: capacity)
            found = notilog_json_items(handle, input, count, split ? 1 : 0, items, capacity)
        }
        return UnsafeBufferPointer(start: items, count: found)
    }
}
