/// An object as the service or jsonb writes it: walked member by member, in whichever order, without building anything.
struct JSONObject {
    typealias Bytes = UnsafeRawBufferPointer
    private let bytes: Bytes
    private var offset: Int

    /// - Parameter bytes: an object or an array; any other value has no members.
    init(_ bytes: Bytes) {
        self.bytes = bytes
        offset = bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") ? 1 : bytes.count
    }

    /// The next key, without its quotes, and its value as it stands; a string with its quotes.
    @inline(__always)
    mutating func next() -> (key: Bytes, value: Bytes)? {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "}") { return nil }
            offset += 1
        }
        guard offset < bytes.count else { return nil }
        let keyStart = offset + 1
        skipString()
        let keyEnd = offset - 1
        // Cut short within the key.
        guard keyStart <= keyEnd else { return nil }
        while offset < bytes.count, bytes[offset] == UInt8(ascii: ":") || bytes[offset] == UInt8(ascii: " ") {
            offset += 1
        }
        let valueStart = offset
        skipValue()
        return (Bytes(rebasing: bytes[keyStart..<keyEnd]), Bytes(rebasing: bytes[valueStart..<offset]))
    }

    /// The next element of an array.
    mutating func nextElement() -> Bytes? {
        while offset < bytes.count, bytes[offset] == UInt8(ascii: ",") || bytes[offset] == UInt8(ascii: " ") {
            offset += 1
        }
        guard offset < bytes.count, bytes[offset] != UInt8(ascii: "]"), bytes[offset] != UInt8(ascii: "}") else {
            return nil
        }
        let start = offset
        skipValue()
        return Bytes(rebasing: bytes[start..<offset])
    }

    @inline(__always)
    private mutating func skipString() {
        offset += 1
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return
            }
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        offset = bytes.count
    }

    private mutating func skipValue() {
        guard offset < bytes.count else { return }
        switch bytes[offset] {
        case UInt8(ascii: "\""):
            skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var depth = 0
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "\""):
                    skipString()
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                offset += 1
                if depth == 0 { return }
            }
        default:
            while offset < bytes.count {
                let byte = bytes[offset]
                if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return }
                offset += 1
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The member of an object as it stands; nil where the object has none.
    package func member(_ name: StaticString) -> UnsafeRawBufferPointer? {
        var object = JSONObject(self)
        while let (key, value) = object.next() {
            if key.isWord(name) { return value }
        }
        return nil
    }

    /// Whether these are the bytes of a word.
    @inline(__always)
    func isWord(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != word.utf8Start[index] { return false }
        return true
    }

    /// Whether this is a JSON string of this word.
    @inline(__always)
    package func isString(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount + 2, self[0] == UInt8(ascii: "\"") else { return false }
        for index in 0..<word.utf8CodeUnitCount where self[index + 1] != word.utf8Start[index] { return false }
        return true
    }

    /// What `->>` gives of a value, in a table: a string without quotes and escapes, a number without an exponent, null as none, the
    /// rest as it stands.
    package func text(in names: inout SymbolTable) -> Symbol {
        guard count >= 2, self[0] == UInt8(ascii: "\"") else {
            if let plain = withoutExponent { return plain.withUnsafeBytes { names.symbol(of: $0) } }
            return isWord("null") ? .none : names.symbol(of: self)
        }
        let inner = UnsafeRawBufferPointer(rebasing: self[1..<count - 1])
        guard inner.contains(UInt8(ascii: "\\")) else { return names.symbol(of: inner) }
        let plain = Self.unescaped(inner)
        return plain.withUnsafeBytes { names.symbol(of: $0) }
    }

    /// A number that is written with an exponent as `numeric` has it: all of its digits. Nil for any other value.
    private var withoutExponent: [UInt8]? {
        guard let first, first == UInt8(ascii: "-") || 48...57 ~= first,
            let mark = firstIndex(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
            let exponent = Int(String(decoding: self[(mark + 1)...], as: UTF8.self)), exponent.magnitude < 400
        else { return nil }
        let unsigned = self[(first == UInt8(ascii: "-") ? 1 : 0)..<mark]
        let point = unsigned.firstIndex(of: UInt8(ascii: ".")) ?? mark
        var whole = Array(unsigned[..<point])
        var fraction = Array(unsigned[point...].dropFirst())
        // The point moves to the right, or to the left.
        for _ in 0..<Swift.max(exponent, 0) {
            whole.append(fraction.isEmpty ? UInt8(ascii: "0") : fraction.removeFirst())
        }
        for _ in 0..<Swift.max(-exponent, 0) { fraction.insert(whole.popLast() ?? UInt8(ascii: "0"), at: 0) }
        whole = Array(whole.drop { $0 == UInt8(ascii: "0") })
        if whole.isEmpty { whole = [UInt8(ascii: "0")] }
        let sign = first == UInt8(ascii: "-") ? [first] : []
        return sign + whole + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
    }

    private static func unescaped(_ inner: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < inner.count {
            guard inner[index] == UInt8(ascii: "\\"), index + 1 < inner.count else {
                result.append(inner[index])
                index += 1
                continue
            }
            switch inner[index + 1] {
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "b"): result.append(8)
            case UInt8(ascii: "f"): result.append(12)
            case UInt8(ascii: "u") where index + 6 <= inner.count:
                // Control characters alone are written in this way.
                let digits = String(decoding: inner[index + 2..<index + 6], as: UTF8.self)
                result.append(UInt8(truncatingIfNeeded: UInt32(digits, radix: 16) ?? 0))
                index += 4
            case let byte: result.append(byte)
            }
            index += 2
        }
        return result
    }

    /// A number that is an integer of the type.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws(FoldError) -> Value {
        guard let number = Value(String(decoding: self, as: UTF8.self)) else { throw .value }
        return number
    }

    /// Appends a value such that two values that `jsonb` takes as equal are the same bytes: it keeps the zeros at the end of a
    /// fraction, which make no difference.
    func appendCanonical(to bytes: inout [UInt8]) {
        var isInString = false
        var index = 0
        while index < count {
            let byte = self[index]
            if byte == UInt8(ascii: "\\"), isInString, index + 1 < count {
                bytes.append(byte)
                index += 1
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if byte == UInt8(ascii: "."), !isInString {
                var end = index + 1
                while end < count, 48...57 ~= self[end] { end += 1 }
                var last = end
                while last > index + 1, self[last - 1] == 48 { last -= 1 }
                if last > index + 1 { bytes.append(contentsOf: self[index..<last]) }
                index = end
                continue
            }
            bytes.append(self[index])
            index += 1
        }
    }

    /// An RFC 3339 time in a JSON string.
    func moment() throws(FoldError) -> Moment {
        guard count >= 22, self[0] == UInt8(ascii: "\"") else { throw .value }
        func number(_ start: Int, _ digits: Int) throws(FoldError) -> Int {
            var value = 0
            for index in start..<start + digits {
                guard index < count, case let digit = Int(self[index]) - 48, 0...9 ~= digit else { throw .value }
                value = value * 10 + digit
            }
            return value
        }
        let (year, month, day) = (try number(1, 4), try number(6, 2), try number(9, 2))
        let seconds = try number(12, 2) * 3600 + number(15, 2) * 60 + number(18, 2)
        var index = 20
        var fraction = 0
        var scale = 1_000_000
        if self[index] == UInt8(ascii: ".") {
            index += 1
            while index < count, case let digit = Int(self[index]) - 48, 0...9 ~= digit {
                if scale > 1 {
                    scale /= 10
                    fraction += digit * scale
                }
                index += 1
            }
        }
        var offset = 0
        guard index < count else { throw .value }
        if self[index] != UInt8(ascii: "Z") {
            let sign = self[index] == UInt8(ascii: "-") ? -1 : 1
            offset = try sign * (number(index + 1, 2) * 3600 + number(index + 4, 2) * 60)
        }
        // Days from the civil calendar, from March on.
        let shiftedYear = month > 2 ? year : year - 1
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 730_425
        return Int64(days * 86_400 + seconds - offset) * 1_000_000 + Int64(fraction)
    }
}
