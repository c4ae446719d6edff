public import NotificationEvents

/// Writes JSON (RFC 8259) as UTF-8, members in the order of the calls.
public struct JSONWriter {
    /// What is written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: the bytes for which there is room at once.
    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object.
    public mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        try nest("{", "}", body)
    }

    /// Writes an array.
    public mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        try nest("[", "]", body)
    }

    /// Writes a member's name; its value comes next.
    public mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        write(name)
        write("\":")
        needsComma = false
    }

    /// Writes a member's name that is not known beforehand.
    public mutating func name(text: String) {
        string(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member whose value is text; `null` for none.
    public mutating func field(_ name: StaticString, _ value: String?) {
        self.name(name)
        string(value)
    }

    /// Writes a member whose value is a whole number.
    public mutating func field(_ name: StaticString, _ value: some BinaryInteger) {
        self.name(name)
        integer(value)
    }

    /// Writes a member whose value is a number; `null` for none, or for one that is not finite, which JSON cannot hold.
    public mutating func field(_ name: StaticString, _ value: Double?) {
        field(name, json: value.flatMap { $0.isFinite ? "\($0)" : nil })
    }

    /// Writes a member whose value is true or false.
    public mutating func field(_ name: StaticString, _ value: Bool) {
        self.name(name)
        raw(value ? "true" : "false")
    }

    /// Writes a member whose value is a moment, in UTC with microseconds; `null` for none.
    public mutating func field(_ name: StaticString, _ value: Timestamp?) {
        self.name(name)
        guard let value else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(byteCount: Timestamp.formattedCount, alignment: 1) { text in
            value.write(to: text)
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a member whose value is JSON already.
    public mutating func field(_ name: StaticString, json: String?) {
        self.name(name)
        raw(json ?? "null")
    }

    /// Writes `null`.
    public mutating func null() {
        raw("null")
    }

    /// Writes a whole number.
    public mutating func integer(_ value: some BinaryInteger) {
        // Not of any width, which takes ten times as long.
        raw(Int64(exactly: value).map { String($0) } ?? String(value))
    }

    /// Writes JSON that is written already.
    public mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
        needsComma = true
    }

    /// Writes a string, escaped; `null` for none.
    public mutating func string(_ value: String?) {
        guard let value else { return null() }
        separate()
        JSONString.with(value) { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    private mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func nest(
        _ open: StaticString,
        _ close: StaticString,
        _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        separate()
        write(open)
        needsComma = false
        try body(&self)
        write(close)
        needsComma = true
    }
}
