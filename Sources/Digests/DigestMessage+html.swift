public import Deliveries
internal import Foundation
internal import PNG
internal import Reports

extension DigestMessage {
    /// The digest in HTML, with its chart.
    public var page: MailPage? {
        let png = picture
        let source = png == nil ? nil : "cid:\(Self.chartID)"
        let images = png.map { [MailPage.Image(id: Self.chartID, png: $0)] } ?? []
        return MailPage(html: html(chart: source), images: images)
    }

    /// A document that shows the chart by itself, for a browser.
    public var document: String {
        html(chart: picture.map { "data:image/png;base64,\(Data($0).base64EncodedString())" })
    }

    private static let chartID = "chart@notilog"
    private static let cell = "padding:2px 12px 2px 0;text-align:left;vertical-align:top"
    private static let soft = "color:#5b6470"

    private func html(chart source: String?) -> String {
        var parts = [
            "<h1 style=\"font-size:18px;margin:0\">\(app.escaped): \(view.escaped)</h1>",
            "<p style=\"margin:0 0 12px;\(Self.soft)\">\(question.escaped)<br>\(period.escaped), \(tz.escaped)</p>",
        ]
        if figures.isEmpty && rows.isEmpty { parts.append("<p>There was nothing in it.</p>") }
        if !figures.isEmpty {
            parts.append(
                Self.table(
                    nil,
                    figures.map { figure in
                        [
                            DigestWords.name(figure.name), DigestWords.value(figure),
                            DigestWords.interval(figure).map { "(\($0))" } ?? "", DigestWords.change(figure) ?? "",
                        ]
                    }
                )
            )
        }
        if let chart, let source { parts.append(Self.drawing(chart, source)) }
        if let first = rows.first {
            let names =
                [keys.map(DigestWords.name).joined(separator: ", ")] + first.figures.map { DigestWords.name($0.name) }
            parts.append(
                Self.table(
                    names,
                    rows.map { row in
                        [DigestWords.key(row.key)]
                            + row.figures.map { figure in
                                let value = DigestWords.value(figure)
                                return value + (DigestWords.change(figure).map { " (\($0))" } ?? "")
                            }
                    }
                )
            )
            if hasMore { parts.append("<p style=\"margin:0\">and others</p>") }
        }
        parts.append("<p style=\"\(Self.soft)\">\(comparison.escaped)<br>\(positionLine.escaped)</p>")
        parts.append("<p><a href=\"\(link.escaped)\">\(view.escaped)</a></p>")
        if let ending { parts.append("<p style=\"\(Self.soft)\">\(ending.escaped)</p>") }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(subject.escaped)</title></head>
            <body style="font:14px/1.45 system-ui,sans-serif;color:#1c2126;background:#ffffff;margin:16px">
            \(parts.joined(separator: "\n"))
            </body></html>
            """
    }

    private static func table(_ names: [String]?, _ rows: [[String]]) -> String {
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag) style=\"\(cell)\">\($0.escaped)</\(tag)>" }.joined() + "</tr>"
        }
        let head = names.map { [row($0, "th")] } ?? []
        let lines = head + rows.map { row($0, "td") }
        return "<table style=\"border-collapse:collapse;margin:0 0 12px\">\n\(lines.joined(separator: "\n"))\n</table>"
    }

    /// The picture between its labels: the highest value above, the first and the last day below.
    private static func drawing(_ chart: Chart, _ source: String) -> String {
        let name = DigestWords.name(chart.name)
        let highest = FigureText.value(chart.highest, unit: chart.unit)
        let (width, height) = (DigestChart.width / 2, DigestChart.height / 2)
        let legend =
            chart.lines.count < 2
            ? ""
            : " · "
                + zip(chart.lines, DigestChart.colours).map { line, colour in
                    "<span style=\"color:#\(String(format: "%06x", colour))\">■</span> \(DigestWords.key(line.key).escaped)"
                }.joined(separator: " ")
        return """
            <p style="margin:0;\(soft)">\(name.escaped), 0 to \(highest.escaped)\(legend)</p>
            <img src="\(source)" width="\(width)" height="\(height)" alt="\(chart.words.escaped)" style="display:block;max-width:100%">
            <p style="margin:0 0 12px;\(soft)">\(chart.days.first ?? "") to \(chart.days.last ?? "")\(chart.noted.map { " · \($0.escaped)" } ?? "")</p>
            """
    }

    private var picture: [UInt8]? {
        chart.map { DigestChart.picture($0).png }
    }
}

extension DigestMessage.Chart {
    /// The greatest value; 1 where there is none, as a scale needs one.
    var highest: Double {
        let greatest = lines.flatMap(\.values).compactMap(\.self).max() ?? 0
        return greatest > 0 ? greatest : 1
    }

    /// What the picture shows, in words.
    var words: String {
        lines.map { line in
            let values = zip(days, line.values).map { "\($0) \(FigureText.value($1, unit: unit))" }
            let name = DigestWords.name(name) + (line.key.isEmpty ? "" : " of \(DigestWords.key(line.key))")
            return "\(name): \(values.joined(separator: ", "))"
        }.joined(separator: "; ") + (noted.map { "; \($0)" } ?? "")
    }

    /// What was noted in its days, in words; nil for nothing.
    var noted: String? {
        guard let notes, !notes.isEmpty else { return nil }
        return "noted: " + notes.map { "\($0.day) \($0.label)" }.joined(separator: ", ")
    }
}

extension String {
    /// Without what HTML would read as markup.
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
