internal import Decoding
internal import EventLog
internal import NIOCore

/// Decodes bodies. While it does, a body needs some 13 times its size, so few that are large, or may become so, are decoded at once.
struct BodyDecoding: Sendable {
    private static let largeBody = 1 << 20

    private let limit: Int
    private let large: WaitingSlots

    /// - Parameters:
    ///   - limit: the most bytes of a body, decompressed.
    ///   - large: bodies that are decoded now, of those that are large or compressed.
    init(
        limit: Int,
        large: WaitingSlots = WaitingSlots("requests", of: "app", perKey: 2, perApp: 2, total: 2, queue: .max)
    ) {
        self.limit = limit
        self.large = large
    }

    /// Decodes a body, when it is its turn.
    ///
    /// - Parameters:
    ///   - encoding: the header `Content-Encoding`.
    ///   - app: whose it is.
    ///   - holding: what the request holds of the memory for bodies; afterwards that is what the body and its items need.
    ///   - decode: decodes its bytes.
    /// - Throws: ``Problem`` 429 if its turn does not come in time, 503 if there is no room for it; what `decode` throws.
    nonisolated(nonsending) func decode(
        _ body: ByteBuffer,
        encoding: String?,
        of app: AppID,
        holding: inout Holding,
        _ decode: (UnsafeRawBufferPointer) throws -> [DecodedItem]
    ) async throws -> [DecodedItem] {
        let isLarge = encoding != nil || body.readableBytes > Self.largeBody
        let slot = try await isLarge ? large.take(app.description) : nil
        defer { withExtendedLifetime(slot) {} }
        // Decompressed, it may be as large as the limit. Not before its turn: a few that wait would keep everybody else out.
        if encoding != nil { try holding.hold(body.readableBytes + limit) }
        let items: [DecodedItem]
        do {
            items = try body.withUnsafeReadableBytes { bytes in try decode(bytes) }
        } catch {
            // While it has the slot: the next one needs the room.
            try holding.hold(body.readableBytes)
            throw error
        }
        try holding.hold(body.readableBytes + items.reduce(0) { $0 + $1.bytesInMemory })
        return items
    }
}
