internal import NotificationEvents

/// Writes one JSON object into a buffer that is used again for the next. Keys are trusted to need no escape.
struct JSONLine {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init() {
        bytes.reserveCapacity(4_096)
    }

    /// Forgets the last object and opens the next.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    mutating func openObject(_ key: StaticString) {
        self.key(key)
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    mutating func closeObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func string(_ key: StaticString, _ value: String) {
        self.key(key)
        quoted(value)
    }

    mutating func integer(_ key: StaticString, _ value: Int) {
        self.key(key)
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        decimal(value.magnitude)
    }

    /// A number that is written already.
    mutating func number(_ key: StaticString, _ digits: StaticString) {
        self.key(key)
        ascii(digits)
    }

    mutating func boolean(_ key: StaticString, _ value: Bool) {
        self.key(key)
        ascii(value ? "true" : "false")
    }

    mutating func strings(_ key: StaticString, _ values: [String]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            quoted(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// A value that is JSON already.
    mutating func json(_ key: StaticString, _ value: [UInt8]) {
        self.key(key)
        bytes.append(contentsOf: value)
    }

    mutating func identifier(_ key: StaticString, _ value: Identifier) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(byteCount: EventID.formattedCount, alignment: 1) { text in
            EventID(high: value.high, low: value.low).write(to: text)
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A device token of APNs: 32 bytes, derived from its seed.
    mutating func token(_ key: StaticString, seed: UInt64) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        var generator = DeterministicGenerator(seed: seed)
        for _ in 0..<4 {
            withUnsafeBytes(of: generator.next().bigEndian) { bytes.append(contentsOf: String(hexadecimal: $0).utf8) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func key(_ key: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        ascii(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func quoted(_ value: String) {
        JSONString.with(value) { bytes.append(contentsOf: $0) }
    }

    private mutating func ascii(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func decimal(_ value: UInt) {
        if value >= 10 { decimal(value / 10) }
        bytes.append(0x30 + UInt8(value % 10))
    }

    private mutating func padded(_ value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(0x30 + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}

extension JSONLine {
    /// A time in RFC 3339, with milliseconds, or microseconds where there are some, or neither where both are 0.
    mutating func time(_ key: StaticString, _ time: Int64, offset: Int) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        let local = time + Int64(offset) * Span.minute
        let day = floorDivide(local, Span.day)
        let date = CivilDate(dayNumber: Int(day))
        let microseconds = Int(local - day * Span.day)
        let seconds = microseconds / 1_000_000
        padded(date.year, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        padded(date.month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        padded(date.day, digits: 2)
        bytes.append(UInt8(ascii: "T"))
        padded(seconds / 3_600, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        padded(seconds / 60 % 60, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        padded(seconds % 60, digits: 2)
        fraction(microseconds % 1_000_000)
        zone(offset)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func fraction(_ microseconds: Int) {
        guard microseconds > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        if microseconds % 1_000 == 0 {
            padded(microseconds / 1_000, digits: 3)
        } else {
            padded(microseconds, digits: 6)
        }
    }

    private mutating func zone(_ offset: Int) {
        guard offset != 0 else { return bytes.append(UInt8(ascii: "Z")) }
        bytes.append(UInt8(ascii: offset < 0 ? "-" : "+"))
        padded(Int(offset.magnitude) / 60, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        padded(Int(offset.magnitude) % 60, digits: 2)
    }
}
