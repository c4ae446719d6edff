/// Bytes being written, kept from one event to the next.
final class OutputBuffer {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// How many bytes are written.
    private(set) var count = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        base.deallocate()
    }

    /// What is written.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }

    /// The bytes written between two offsets.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Goes back to an earlier count.
    @inline(__always)
    func truncate(to count: Int) {
        self.count = min(self.count, count)
    }

    /// Space for at least this number of bytes; ``advance(by:)`` sets how many were written.
    @inline(__always)
    func room(for extra: Int) -> UnsafeMutableRawPointer {
        if count + extra > capacity {
            grow(extra)
        }
        return base + count
    }

    @inline(__always)
    func advance(by written: Int) {
        count += written
    }

    private func grow(_ extra: Int) {
        let larger = max(count + extra, capacity * 2)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        moved.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        room(for: 1).storeBytes(of: byte, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        room(for: bytes.count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    @inline(__always)
    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes text that ASCII suffices for, or that needs no escapes.
    func append(plain text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Writes the number as eight bytes, for canonical forms.
    func append(word: Int64) {
        room(for: 8).storeBytes(of: word.bigEndian, as: Int64.self)
        count += 8
    }
}
