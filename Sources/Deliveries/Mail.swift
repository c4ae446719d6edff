internal import Foundation

/// A message of mail (RFC 5322, RFC 2045). Every part is in base64, in which no line can be taken for an end.
struct Mail: Sendable {
    /// Names the message in its Message-ID.
    let id: String
    let from: String
    let to: String
    let subject: String
    /// Lines of plain text.
    let text: [String]
    /// The same in HTML; nil for plain text alone.
    let page: MailPage?

    func message(at now: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        let head = [
            "Message-ID: <\(id)@notilog>", "Date: \(formatter.string(from: now))", "From: <\(from)>", "To: <\(to)>",
            "Subject: \(words)", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        ]
        return (head + body).joined(separator: "\r\n")
    }

    /// The subject in words of RFC 2047, each of 75 characters at most: 42 bytes are 56 in base64.
    private var words: String {
        var words: [String] = []
        var rest = Substring(subject)
        while !rest.isEmpty {
            var part = rest
            while part.utf8.count > 42 { part.removeLast() }
            if part.isEmpty { part = rest.prefix(1) }
            words.append("=?utf-8?B?\(Data(part.utf8).base64EncodedString())?=")
            rest = rest.dropFirst(part.count)
        }
        return words.joined(separator: "\r\n ")
    }

    /// Text, or text and HTML of which a reader shows one, the HTML together with its images (RFC 2046, RFC 2387).
    private var body: [String] {
        let plain = Self.part("text/plain; charset=utf-8", Data(text.joined(separator: "\r\n").utf8))
        guard let page else { return plain }
        var related = [Self.part("text/html; charset=utf-8", Data(page.html.utf8))]
        related += page.images.map { image in
            ["Content-ID: <\(image.id)>", "Content-Disposition: inline; filename=chart.png"]
                + Self.part("image/png", Data(image.png))
        }
        let html = multipart("related", related, more: "; type=\"text/html\"")
        return multipart("alternative", [plain, html])
    }

    private func multipart(_ kind: String, _ parts: [[String]], more: String = "") -> [String] {
        // No line of base64 begins with a hyphen.
        let boundary = "\(kind)-\(id)"
        let head = ["Content-Type: multipart/\(kind)\(more);", " boundary=\"\(boundary)\"", ""]
        return head + parts.flatMap { ["--\(boundary)"] + $0 } + ["--\(boundary)--", ""]
    }

    /// A part with its head.
    private static func part(_ type: String, _ bytes: Data) -> [String] {
        let lines = bytes.base64EncodedString(
            options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed]
        )
        return ["Content-Type: \(type)", "Content-Transfer-Encoding: base64", "", lines, ""]
    }
}
