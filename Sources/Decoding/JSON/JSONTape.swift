/// What simdjson parsed: a tape of 64-bit words, walked by index (simdjson, doc/tape.md).
///
/// A word holds its type in the high byte. An object's or array's low 32 bits are the index behind it; a number's value
/// is the next word; a string's low bits are where its length and bytes are.
struct JSONTape {
    let words: UnsafePointer<UInt64>
    let strings: UnsafeRawPointer

    /// The index of the root value.
    static let root = 1

    enum Tag {
        static let object = UInt8(ascii: "{")
        static let array = UInt8(ascii: "[")
        static let string = UInt8(ascii: "\"")
        static let integer = UInt8(ascii: "l")
        static let unsigned = UInt8(ascii: "u")
        static let double = UInt8(ascii: "d")
        static let yes = UInt8(ascii: "t")
        static let no = UInt8(ascii: "f")
        static let null = UInt8(ascii: "n")
    }

    @inline(__always)
    func tag(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: words[index] >> 56)
    }

    /// The index behind the value.
    @inline(__always)
    func next(_ index: Int) -> Int {
        switch tag(index) {
        case Tag.object, Tag.array: Int(words[index] & 0xFFFF_FFFF)
        case Tag.integer, Tag.unsigned, Tag.double: index + 2
        default: index + 1
        }
    }

    /// The index of the closing bracket of the object or array.
    @inline(__always)
    func close(_ index: Int) -> Int {
        Int(words[index] & 0xFFFF_FFFF) - 1
    }

    /// Whether it is a closing bracket.
    func isClose(_ index: Int) -> Bool {
        tag(index) == UInt8(ascii: "}") || tag(index) == UInt8(ascii: "]")
    }

    /// The bytes of the string; at least eight more may be read behind them.
    @inline(__always)
    func string(_ index: Int) -> UnsafeRawBufferPointer {
        let start = strings + Int(words[index] & 0x00FF_FFFF_FFFF_FFFF)
        return UnsafeRawBufferPointer(start: start + 4, count: Int(start.loadUnaligned(as: UInt32.self)))
    }

    @inline(__always)
    func integer(_ index: Int) -> Int64 {
        Int64(bitPattern: words[index + 1])
    }

    @inline(__always)
    func double(_ index: Int) -> Double {
        Double(bitPattern: words[index + 1])
    }

    /// Whether the value is the text.
    @inline(__always)
    func isString(_ index: Int, _ text: [UInt8]) -> Bool {
        tag(index) == Tag.string && text.withUnsafeBytes { string(index).isSame(as: $0) }
    }

    /// The members of an object, in their order.
    @inline(__always)
    func members(of object: Int) -> Members {
        Members(tape: self, index: object + 1, end: close(object))
    }

    /// The indexes of an array's elements, in their order.
    @inline(__always)
    func elements(of array: Int) -> Elements {
        Elements(tape: self, index: array + 1, end: close(array))
    }

    /// The elements of what is no array.
    var noElements: Elements {
        Elements(tape: self, index: 0, end: 0)
    }

    /// The value of the last field of that name in an object, if it is a string.
    func text(of key: String, in object: Int) -> Int? {
        value(of: key, in: object).flatMap { tag($0) == Tag.string ? $0 : nil }
    }

    /// The value of the last field of that name in an object; `nil` if there is none, or `null`.
    func value(of key: String, in object: Int) -> Int? {
        var found: Int?
        var key = key
        key.withUTF8 { key in
            let key = UnsafeRawBufferPointer(key)
            for member in members(of: object) where string(member.name).isSame(as: key) {
                found = tag(member.value) == Tag.null ? nil : member.value
            }
        }
        return found
    }
}

extension JSONTape {
    /// The members of an object: the indexes of each name and its value.
    struct Members: Sequence, IteratorProtocol {
        fileprivate let tape: JSONTape
        fileprivate var index: Int
        fileprivate let end: Int

        @inline(__always)
        mutating func next() -> (name: Int, value: Int)? {
            guard index < end else { return nil }
            defer { index = tape.next(index + 1) }
            return (index, index + 1)
        }
    }

    /// The elements of an array: the index of each.
    struct Elements: Sequence, IteratorProtocol {
        fileprivate let tape: JSONTape
        fileprivate var index: Int
        fileprivate let end: Int

        @inline(__always)
        mutating func next() -> Int? {
            guard index < end else { return nil }
            defer { index = tape.next(index) }
            return index
        }
    }
}
