internal import HTTPTypes

/// What a client wants to be answered with, most wanted first (RFC 9110, section 12.5.1).
struct MediaRange: Equatable, Sendable {
    var type: String
    var quality: Double

    /// The format that an `Accept` header asks for; the first of the accepted ones without a header.
    ///
    /// - Parameter accepted: media types with their formats. A range such as `text/*` stands for the first that it includes.
    /// - Throws: ``Problem`` 406 if it accepts none of them.
    static func negotiate<Format>(
        _ accept: String?,
        _ accepted: KeyValuePairs<String, Format>
    ) throws(Problem) -> Format {
        for range in accept.map(parse) ?? [MediaRange(type: "*/*", quality: 1)] {
            if let match = accepted.first(where: { range.includes($0.key) }) { return match.value }
        }
        let types = accepted.map(\.key)
        throw Problem(
            .notAcceptable,
            "not_acceptable",
            "Accept takes \(types.dropLast().joined(separator: ", ")) or \(types.last ?? ""); or use format="
        )
    }

    private func includes(_ media: String) -> Bool {
        type == "*/*" || type == media || type.hasSuffix("/*") && media.hasPrefix(type.dropLast())
    }

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
