import CSimdJSON

/// The bytes of a body, with the padding behind them that simdjson reads into.
final class InputBuffer {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    /// How many bytes of body there are.
    var count = 0

    init() {
        capacity = 16 << 10
        base = .allocate(capacity: capacity + notilog_json_padding)
        base.initialize(repeating: 0, count: capacity + notilog_json_padding)
    }

    deinit {
        base.deallocate()
    }

    /// The body.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }

    /// Reserves space for a number of bytes, keeping the content.
    func reserve(_ wanted: Int) {
        guard wanted > capacity else { return }
        let larger = max(wanted, capacity * 2)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + notilog_json_padding)
        moved.initialize(from: base, count: count)
        (moved + count).initialize(repeating: 0, count: larger + notilog_json_padding - count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    /// Takes a body unchanged.
    func fill(_ body: UnsafeRawBufferPointer) {
        count = 0
        reserve(body.count)
        if let source = body.baseAddress {
            UnsafeMutableRawPointer(base).copyMemory(from: source, byteCount: body.count)
        }
        count = body.count
    }

    /// Takes what was written, which may go after that.
    func fill(_ written: OutputBuffer) {
        withExtendedLifetime(written) { fill(written.bytes) }
    }
}
