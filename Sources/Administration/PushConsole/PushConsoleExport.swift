public import NotificationEvents

/// An export of the metrics of Apple's Push Notifications Console (Apple, "Exporting delivery metrics logs"): a CSV file
/// with the columns Push Type, Status, Date (UTC) and Count.
public struct PushConsoleExport: Sendable, Equatable {
    /// One line of it.
    public struct Line: Sendable, Equatable {
        /// The value of `apns-push-type`, as Apple writes it.
        public var pushType: String
        /// What became of the pushes, as Apple writes it: received, delivered, stored or discarded, and why.
        public var status: String
        /// The beginning of the hour or day that was counted.
        public var at: Timestamp
        /// How many, rounded by Apple.
        public var count: Int64
    }

    /// The lines, in the order of the file.
    public var lines: [Line]

    /// Reads a file.
    ///
    /// Columns may be in any order, with others between them. One invalid line rejects the whole file.
    /// - Throws: ``AdministrationError`` that names the first line that is not as it must be.
    public init(csv: String) throws(AdministrationError) {
        var records = CSVRecords(csv)
        guard let header = records.next() else { throw Self.wrong(1, "the file is empty") }
        let names = header.fields.map { $0.lowercased() }
        let wanted = ["push type", "status", "date (utc)", "count"]
        let columns = wanted.compactMap { names.firstIndex(of: $0) }
        guard columns.count == wanted.count else {
            throw Self.wrong(1, "the first line must name the columns Push Type, Status, Date (UTC) and Count")
        }
        lines = []
        var seen: [[String]: Int] = [:]
        while let record = records.next() {
            guard !records.isBroken else { throw Self.wrong(record.line, "a quotation mark is never closed") }
            guard record.fields != [""] else { continue }
            guard record.fields.count == names.count else {
                throw Self.wrong(record.line, "it has \(record.fields.count) fields, and the first line \(names.count)")
            }
            let fields = columns.map { record.fields[$0] }
            let line = try Self.line(fields, record.line)
            if let before = seen.updateValue(record.line, forKey: [line.pushType, line.status, "\(line.at)"]) {
                throw Self.wrong(
                    record.line,
                    "it repeats the push type, status and date of line \(before): import one export at a time"
                )
            }
            lines.append(line)
        }
    }

    private static func line(_ fields: [String], _ number: Int) throws(AdministrationError) -> Line {
        guard (1...256).contains(fields[0].utf8.count), (1...256).contains(fields[1].utf8.count) else {
            throw wrong(number, "Push Type and Status must have 1 to 256 bytes")
        }
        guard let at = time(fields[2]) else {
            throw wrong(number, "Date (UTC) must be like 2026-03-01 or 2026-03-01 13:00:00")
        }
        guard let count = Int64(fields[3].filter { $0 != "," }), count >= 0, !fields[3].hasPrefix("+") else {
            throw wrong(number, "Count must be a whole number, 0 or more")
        }
        return Line(pushType: fields[0], status: fields[1], at: at, count: count)
    }

    /// Reads a date, with or without a time, in UTC.
    private static func time(_ text: String) -> Timestamp? {
        var text = text
        for zone in [" UTC", " +0000", "+00:00", "Z"] where text.hasSuffix(zone) {
            text.removeLast(zone.count)
            break
        }
        guard text.utf8.count >= 10 else { return nil }
        let date = text.prefix(10)
        var time = text.dropFirst(10)
        guard time.isEmpty || time.first == " " || time.first == "T" else { return nil }
        time = time.dropFirst()
        switch time.utf8.count {
        case 0: return Timestamp.parse("\(date)T00:00:00Z")?.timestamp
        case 5: return Timestamp.parse("\(date)T\(time):00Z")?.timestamp
        default: return Timestamp.parse("\(date)T\(time)Z")?.timestamp
        }
    }

    private static func wrong(_ line: Int, _ message: String) -> AdministrationError {
        AdministrationError("line \(line) of the export is not valid: \(message)")
    }
}
