internal import Hummingbird

/// The parameters of a request's URL, decoded (WHATWG URL, `application/x-www-form-urlencoded`).
struct Query: Sendable {
    /// Names and values in the order they came.
    let items: [(name: String, value: String)]

    init(_ request: Request) {
        self.init(request.uri.query ?? "")
    }

    init(_ text: String) {
        items = text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decode(parts[0]), parts.count > 1 ? Self.decode(parts[1]) : "")
        }
    }

    /// The last value of a parameter.
    func last(_ name: String) -> String? {
        items.last { $0.name == name }?.value
    }

    /// Refuses unknown parameters, because a misspelt one would silently have its default.
    ///
    /// - Throws: ``Problem`` 400 with the accepted ones.
    func expect(only names: [String]) throws(Problem) {
        guard items.allSatisfy({ names.contains($0.name) }) else {
            throw .badParameter("a parameter is not known: accepted are \(names.joined(separator: ", "))")
        }
    }

    private static func decode(_ text: Substring) -> String {
        percentDecoded(text, plusIsSpace: true) ?? String(text)
    }
}

extension ServiceContext {
    /// A parameter of the path, decoded.
    ///
    /// - Throws: ``Problem`` 400 where it is not percent-encoded UTF-8.
    func pathParameter(_ name: String) throws(Problem) -> String {
        guard let text = parameters.get(name), let decoded = percentDecoded(text), !decoded.utf8.contains(0) else {
            throw .badParameter("the path is not percent-encoded UTF-8")
        }
        return decoded
    }
}

/// Resolves `%XX` (RFC 3986, section 2.1); `nil` where that gives no UTF-8, or a `%` stands alone.
func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = iterator.next().flatMap(hexadecimalDigit),
                let low = iterator.next().flatMap(hexadecimalDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        case UInt8(ascii: "+") where plusIsSpace:
            bytes.append(UInt8(ascii: " "))
        default:
            bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
