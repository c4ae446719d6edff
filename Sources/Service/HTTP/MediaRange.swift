/// What a client wants to be answered with, most wanted first (RFC 9110, section 12.5.1).
struct MediaRange: Equatable, Sendable {
    var type: String
    var quality: Double

    /// Reads an `Accept` header; what is not understood is left out.
    static func parse(_ header: String) -> [MediaRange] {
        let ranges = header.split(separator: ",").compactMap { item -> MediaRange? in
            let parts = item.split(separator: ";").map { String($0.filter { $0 != " " && $0 != "\t" }).lowercased() }
            guard let type = parts.first, type.contains("/") else { return nil }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return quality > 0 ? MediaRange(type: type, quality: quality) : nil
        }
        // Sorting need not be stable, so the index breaks ties.
        return ranges.enumerated()
            .sorted { ($0.element.quality, -$0.offset) > ($1.element.quality, -$1.offset) }
            .map(\.element)
    }
}
