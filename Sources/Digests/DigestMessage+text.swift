internal import Foundation
internal import Reports

extension DigestMessage {
    /// App, view and days.
    public var subject: String {
        "\(app): \(view), \(period)"
    }

    /// The days that it is of.
    var period: String { DigestWords.days(from: from, to: to) }

    /// With what they are compared, in words.
    var comparison: String {
        "Compared with \(DigestWords.days(from: before, to: from)). " + (compared ?? "")
    }

    /// Of when the figures are.
    var positionLine: String { "At position \(position), \(at)." }

    /// How to end it; nil for one that is printed.
    var ending: String? {
        digest.map { "To end this digest: notilog digests remove \($0) --app \(app)" }
    }

    /// The digest in plain text.
    public var lines: [String] {
        var lines = ["\(app): \(view)", question, "\(period), \(tz)", ""]
        if figures.isEmpty && rows.isEmpty { lines += ["There was nothing in it.", ""] }
        if !figures.isEmpty {
            lines += Self.aligned(
                figures.map { figure in
                    let value = DigestWords.value(figure)
                    let interval = DigestWords.interval(figure).map { "(\($0))" } ?? ""
                    return [DigestWords.name(figure.name), value, interval, DigestWords.change(figure) ?? ""]
                },
                numbers: 1..<2
            )
            lines.append("")
        }
        if let first = rows.first {
            let names =
                [keys.map(DigestWords.name).joined(separator: ", ")]
                + first.figures.flatMap { [DigestWords.name($0.name), ""] }
            lines += Self.aligned(
                [names]
                    + rows.map { row in
                        [TerminalText.fitted(DigestWords.key(row.key), 40)]
                            + row.figures.flatMap { figure in
                                [DigestWords.value(figure), DigestWords.change(figure) ?? ""]
                            }
                    },
                numbers: 1..<names.count
            )
            if hasMore { lines.append("and others") }
            lines.append("")
        }
        lines += [comparison.trimmingCharacters(in: .whitespaces), positionLine, link]
        if let ending { lines += ["", ending] }
        return lines
    }

    /// Columns as wide as their widest cell, numbers to the right.
    private static func aligned(_ rows: [[String]], numbers: Range<Int>) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { TerminalText.width($0[column]) }.max() ?? 0
        }
        return rows.map { row in
            TerminalText.line(
                row.indices.map { column in
                    TerminalText.padded(row[column], to: widths[column], isNumber: numbers.contains(column))
                }
            )
        }
        .map { "  " + $0 }
    }
}
