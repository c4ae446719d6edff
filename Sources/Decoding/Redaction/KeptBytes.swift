/// How much of the rejected items of one body is kept: a small body must not become a large quarantine.
final class KeptBytes {
    /// What the digests and hashes of an item, and the numbers of its attributes written out, may add to its bytes as sent.
    private static let added = 8 << 10

    private var left: Int

    init(_ limits: DecodingLimits) {
        left = 2 * min(max(limits.bodyBytes, limits.eventBytes), 1 << 31)
    }

    /// The most bytes that are kept of the next item, which was sent as so many.
    func most(ofLength length: Int) -> Int {
        min(2 * length + Self.added, left)
    }

    /// Counts an item that is not kept after all.
    func giveBack(_ bytes: Int) {
        left += bytes
    }

    /// Counts an item that is kept.
    func take(_ bytes: Int) {
        left -= bytes
    }
}
