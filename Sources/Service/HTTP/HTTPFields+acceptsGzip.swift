internal import HTTPTypes

extension HTTPFields {
    /// Whether `Accept-Encoding` takes gzip (RFC 9110, section 12.5.3).
    var acceptsGzip: Bool {
        (self[.acceptEncoding] ?? "").split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first, name == "gzip" || name == "*" else { return false }
            return parts.dropFirst().allSatisfy { !$0.hasPrefix("q=") || (Double($0.dropFirst(2)) ?? 1) > 0 }
        }
    }
}
