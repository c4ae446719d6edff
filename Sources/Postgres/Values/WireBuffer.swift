/// Bytes in network order, as PostgreSQL's binary format wants them, at an address that stays while the buffer lives.
///
/// A class, so that the pointers handed to libpq are good for as long as the buffer is held and no longer: the values of
/// a statement are kept alive across the call. Written by its maker only, then never changed.
final class WireBuffer: @unchecked Sendable {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        start = .allocate(byteCount: self.capacity, alignment: 8)
    }

    deinit {
        start.deallocate()
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    @inline(__always)
    func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    private func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = larger
    }

    @inline(__always)
    func append<I: FixedWidthInteger>(_ value: I) {
        let size = MemoryLayout<I>.size
        reserve(size)
        start.storeBytes(of: value.bigEndian, toByteOffset: count, as: I.self)
        count += size
    }

    @inline(__always)
    func append(raw: UnsafeRawBufferPointer) {
        reserve(raw.count)
        if let base = raw.baseAddress { (start + count).copyMemory(from: base, byteCount: raw.count) }
        count += raw.count
    }

    func overwrite(_ value: Int32, at offset: Int) {
        start.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self)
    }
}
