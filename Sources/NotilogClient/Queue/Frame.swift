import Foundation

/// How an event lies in a segment: a mark, the length and the CRC-32 of what follows, then time, id and JSON. Numbers are
/// little-endian.
enum Frame {
    static let mark: [UInt8] = [0xF5, 0x4E, 0x4C, 0x51]
    static let headerBytes = 12
    static let prefixBytes = 24
    /// A size larger than any event may have.
    static let maxPayloadBytes = 128 << 10

    static func encode(_ event: Notilog.QueuedEvent, into bytes: inout [UInt8]) {
        var payload: [UInt8] = []
        payload.reserveCapacity(prefixBytes + event.json.count)
        payload.append(UInt64(bitPattern: Int64(event.queuedAt.timeIntervalSince1970 * 1_000_000)))
        withUnsafeBytes(of: event.id.uuid) { payload.append(contentsOf: $0) }
        payload.append(contentsOf: event.json)
        bytes.append(contentsOf: mark)
        bytes.append(UInt32(payload.count))
        bytes.append(CRC32.checksum(payload))
        bytes.append(contentsOf: payload)
    }

    /// The range of the payload, if a whole frame begins at `offset`.
    static func payload(_ bytes: [UInt8], at offset: Int) -> Range<Int>? {
        guard bytes.count - offset >= headerBytes + prefixBytes, bytes[offset..<offset + 4].elementsEqual(mark) else {
            return nil
        }
        let length = Int(bytes.number(UInt32.self, at: offset + 4))
        let start = offset + headerBytes
        guard length >= prefixBytes, length <= maxPayloadBytes, length <= bytes.count - start,
            CRC32.checksum(bytes[start..<start + length]) == bytes.number(UInt32.self, at: offset + 8)
        else { return nil }
        return start..<start + length
    }

    static func queuedAt(_ bytes: [UInt8], _ payload: Range<Int>) -> Date {
        let time = Int64(bitPattern: bytes.number(UInt64.self, at: payload.lowerBound))
        return Date(timeIntervalSince1970: Double(time) / 1_000_000)
    }

    static func decode(_ bytes: [UInt8], _ payload: Range<Int>, segment: UInt64) -> Notilog.QueuedEvent {
        let start = payload.lowerBound
        let b = bytes[start + 8..<start + prefixBytes].map { $0 }
        return Notilog.QueuedEvent(
            id: UUID(
                uuid: (
                    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                    b[15]
                )
            ),
            queuedAt: queuedAt(bytes, payload),
            json: Data(bytes[start + prefixBytes..<payload.upperBound]),
            position: Notilog.QueuePosition(segment: segment, offset: UInt64(payload.upperBound))
        )
    }

    /// The next offset, at or after `offset`, at which a whole frame begins.
    static func next(_ bytes: [UInt8], from offset: Int) -> Int? {
        var offset = offset
        while bytes.count - offset >= headerBytes + prefixBytes {
            if payload(bytes, at: offset) != nil { return offset }
            offset += 1
        }
        return nil
    }

    /// The end of the consecutive frames from `offset`, and their number.
    static func run(_ bytes: [UInt8], from offset: Int) -> (end: Int, count: Int) {
        var (end, count) = (offset, 0)
        while let payload = payload(bytes, at: end) {
            end = payload.upperBound
            count += 1
        }
        return (end, count)
    }
}

extension [UInt8] {
    mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
        var number: Number = 0
        for index in stride(from: MemoryLayout<Number>.size - 1, through: 0, by: -1) {
            number = number << 8 | Number(truncatingIfNeeded: self[offset + index])
        }
        return number
    }
}
