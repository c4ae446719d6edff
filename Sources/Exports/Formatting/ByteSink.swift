/// A buffer that bytes are appended to, in space reserved beforehand.
struct ByteSink: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    /// The bytes written.
    var bytes: [UInt8] {
        Array(UnsafeBufferPointer(start: base, count: count))
    }

    /// Reserves space for more bytes: the functions below write without checking.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        base[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    mutating func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { put($0) }
    }

    /// Lets a writer fill the next bytes; it returns the address after the last one.
    @inline(__always)
    mutating func put(_ write: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer) {
        let start = UnsafeMutableRawPointer(base + count)
        count += write(start) - start
    }

    /// Lets a writer fill the next bytes.
    @inline(__always)
    mutating func put(count length: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        write(UnsafeMutableRawBufferPointer(start: base + count, count: length))
        count += length
    }
}
