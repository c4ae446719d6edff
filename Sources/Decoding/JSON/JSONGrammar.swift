import NotificationEvents

/// Reads JSON by its grammar alone (RFC 8259), where simdjson refused a whole body for what one item holds: a number
/// that no double can hold, an escape that stands for NUL or half a surrogate pair, or nesting without end.
///
/// It says where each item lies and what it holds that cannot be stored, so that the items beside it still count.
/// Nesting costs memory on the heap, never stack.
struct JSONGrammar {
    /// An item of the body, and the first thing in it that cannot be stored.
    struct Item {
        var range: Range<Int>
        var depth: Int
        var defect: Defect?
        /// Whether it has a whole number of more than 64 bits, which simdjson refuses. It is read as a double.
        var hasLargeIntegers = false
    }

    /// A part of an item that something else must stand in for.
    struct Edit {
        enum Kind {
            /// An escape that stands for no character.
            case escape
            /// A number that no double holds, or what nests too deep.
            case value
            /// A whole number of more than 64 bits.
            case integer
        }

        var range: Range<Int>
        var kind: Kind
        /// The names and indexes down to it.
        var path: [String]
    }

    /// Something that is JSON and cannot be stored.
    struct Defect {
        var path: [String]
        var message: String
    }

    private enum Frame {
        case object(key: Range<Int>)
        case array(index: Int)
    }

    private let bytes: UnsafeRawBufferPointer
    private let split: Bool
    private let limit: Int
    private var position = 0
    /// What is open, with the path in it as far as anybody wants to know it, and deeper only whether it is an object: a body
    /// may be all brackets.
    private var frames: [Frame] = []
    private var deeper: [Bool] = []
    private static let framesWithPlace = 256
    private var items: [Item] = []
    private var current = Item(range: 0..<0, depth: 0, defect: nil)
    private var isArray = false
    /// The parts of the one item to be stood in for, where they are looked for.
    private var edits: [Edit]?
    /// Whether a member's name is read. The last frame still has the member before, so the path ends at their object.
    private var isInKey = false
    /// How deep an item may nest, and where what nests deeper began.
    private var deepest = Int.max
    private var tooDeep: (start: Int, depth: Int, path: [String])?
    /// How many parts of one item may be stood in for: each costs memory.
    private static let mostEdits = 1000

    /// The items of a body, or `nil` where it is no JSON. The bytes must be valid UTF-8 for it to be JSON; that is not
    /// checked here.
    ///
    /// - Parameter limit: how many may be of use. Of more than that it gives one more.
    static func items(_ bytes: UnsafeRawBufferPointer, split: Bool, limit: Int = .max) -> [Item]? {
        var grammar = JSONGrammar(bytes: bytes, split: split, limit: limit)
        return grammar.read() ? grammar.items : nil
    }

    /// The parts of one item that cannot be stored, or nest too deep, in their order; `nil` where they are too many, or it is no JSON.
    ///
    /// - Parameter depth: how deep it may nest.
    static func edits(of item: UnsafeRawBufferPointer, depth: Int) -> [Edit]? {
        var grammar = JSONGrammar(bytes: item, split: false, limit: 1)
        grammar.edits = []
        grammar.deepest = depth
        guard grammar.read(), let edits = grammar.edits, edits.count <= mostEdits else { return nil }
        return edits
    }

    private init(bytes: UnsafeRawBufferPointer, split: Bool, limit: Int) {
        self.bytes = bytes
        self.split = split
        self.limit = limit
    }

    private mutating func read() -> Bool {
        skipBlanks()
        isArray = split && peek() == UInt8(ascii: "[")
        if !isArray {
            beginItem()
        }
        guard readValues() else { return false }
        if !isArray {
            endItem()
        }
        skipBlanks()
        return position == bytes.count
    }

    /// How deep items stand.
    private var base: Int {
        isArray ? 1 : 0
    }

    /// Reads one value and all in it.
    private mutating func readValues() -> Bool {
        while true {
            skipBlanks()
            if isArray, depth == base {
                beginItem()
            }
            guard let byte = peek() else { return false }
            switch byte {
            case UInt8(ascii: "{"):
                beginContainer()
                skipBlanks()
                if peek() == UInt8(ascii: "}") {
                    position += 1
                    endContainer(depth: depth + 1)
                } else {
                    guard let key = readKey() else { return false }
                    open(.object(key: key))
                    continue
                }
            case UInt8(ascii: "["):
                beginContainer()
                skipBlanks()
                if peek() == UInt8(ascii: "]") {
                    position += 1
                    endContainer(depth: depth + 1)
                } else {
                    open(.array(index: 0))
                    continue
                }
            default:
                guard readScalar(byte) else { return false }
            }
            guard let goesOn = readAfterValue() else { return false }
            if !goesOn {
                return true
            }
        }
    }

    private var depth: Int { frames.count + deeper.count }

    private var isInObject: Bool {
        if let deepest = deeper.last { return deepest }
        return if case .object = frames.last { true } else { false }
    }

    private mutating func open(_ frame: Frame) {
        if frames.count < Self.framesWithPlace {
            frames.append(frame)
        } else {
            if case .object = frame { deeper.append(true) } else { deeper.append(false) }
        }
    }

    /// Reads the bracket that opens an array or object.
    private mutating func beginContainer() {
        noteDepth(depth + 1)
        if edits != nil, tooDeep == nil, depth + 1 > deepest {
            tooDeep = (position, depth + 1, isNamed(.value) ? path : [])
        }
        position += 1
    }

    /// Takes note of what nested too deep, behind its end.
    private mutating func endContainer(depth: Int) {
        guard let part = tooDeep, part.depth == depth else { return }
        tooDeep = nil
        edit(.value, from: part.start, at: part.path)
    }

    /// Notes where in what is open the next value is.
    private mutating func goOn(at frame: Frame) {
        if deeper.isEmpty { frames[frames.count - 1] = frame }
    }

    private mutating func close() {
        endContainer(depth: depth)
        if deeper.popLast() == nil { frames.removeLast() }
    }

    /// Reads what follows a value: whether another one does, or `nil` where nothing may.
    private mutating func readAfterValue() -> Bool? {
        while depth > 0 {
            if isArray, depth == base {
                endItem()
            }
            skipBlanks()
            let byte = peek()
            position += 1
            switch (isInObject, byte) {
            case (true, UInt8(ascii: ",")):
                skipBlanks()
                isInKey = deeper.isEmpty
                guard let key = readKey() else { return nil }
                isInKey = false
                goOn(at: .object(key: key))
                return true
            case (false, UInt8(ascii: ",")):
                if case .array(let index) = frames.last { goOn(at: .array(index: index + 1)) }
                return true
            case (true, UInt8(ascii: "}")), (false, UInt8(ascii: "]")):
                close()
            default:
                return nil
            }
        }
        return false
    }

    private mutating func readKey() -> Range<Int>? {
        guard peek() == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        guard readString() else { return nil }
        let key = start..<(position - 1)
        skipBlanks()
        guard peek() == UInt8(ascii: ":") else { return nil }
        position += 1
        return key
    }

    private mutating func readScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""): readString()
        case UInt8(ascii: "t"): readWord("true")
        case UInt8(ascii: "f"): readWord("false")
        case UInt8(ascii: "n"): readWord("null")
        default: readNumber()
        }
    }

    private mutating func readWord(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] {
            return false
        }
        position = end
        return true
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func beginItem() {
        current = Item(range: position..<position, depth: 0, defect: nil)
    }

    private mutating func endItem() {
        current.range = current.range.lowerBound..<position
        if items.count <= limit { items.append(current) }
    }

    private mutating func noteDepth(_ depth: Int) {
        current.depth = max(current.depth, depth - base)
    }

    private mutating func note(_ message: String, _ kind: Edit.Kind, from start: Int) {
        if edits != nil {
            edit(kind, from: start)
        } else if current.defect == nil {
            current.defect = Defect(path: path, message: message)
        }
    }

    private mutating func edit(_ kind: Edit.Kind, from start: Int, at path: [String]? = nil) {
        guard let count = edits?.count, tooDeep == nil, count <= Self.mostEdits else { return }
        let path = isNamed(kind) ? path ?? self.path : []
        edits?.append(Edit(range: start..<position, kind: kind, path: path))
    }

    /// Whether a warning names the next part to be stood in for. A path is dear, and a body may be all brackets.
    private func isNamed(_ kind: Edit.Kind) -> Bool {
        kind != .integer && (edits?.count ?? 0) < 64
    }

    /// The names and indexes down to the value at hand.
    private var path: [String] {
        frames.dropLast(isInKey ? 1 : 0).dropFirst(base).prefix(64).map { frame in
            switch frame {
            case .object(let key): String(decoding: bytes[key].prefix(128), as: UTF8.self)
            case .array(let index): String(index)
            }
        }
    }
}

extension JSONGrammar {
    private mutating func readNumber() -> Bool {
        let start = position
        var isWhole = true
        if peek() == UInt8(ascii: "-") {
            position += 1
        }
        let first = position
        guard readDigits(), !(bytes[first] == UInt8(ascii: "0") && position > first + 1) else { return false }
        if peek() == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard readDigits() else { return false }
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            guard readDigits() else { return false }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard !isWhole || Int64(text) == nil && UInt64(text) == nil else { return true }
        if !(Double(text) ?? .infinity).isFinite {
            note("holds a number that is too large", .value, from: start)
        } else if isWhole {
            current.hasLargeIntegers = true
            edit(.integer, from: start)
        }
        return true
    }

    private mutating func readDigits() -> Bool {
        let start = position
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        return position > start
    }

    private mutating func readString() -> Bool {
        position += 1
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0..<0x20: return false
            case UInt8(ascii: "\\"):
                guard readEscape() else { return false }
            default: break
            }
        }
        return false
    }

    private mutating func readEscape() -> Bool {
        guard let byte = peek() else { return false }
        position += 1
        guard byte == UInt8(ascii: "u") else { return #""\/bfnrt"#.utf8.contains(byte) }
        guard let unit = readUnit() else { return false }
        switch unit {
        case 0: note("holds the character NUL", .escape, from: position - 6)
        case 0xDC00...0xDFFF: note("holds half a surrogate pair", .escape, from: position - 6)
        case 0xD800...0xDBFF:
            let before = position
            if peek() == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u") {
                position += 2
                guard let low = readUnit() else { return false }
                if low >= 0xDC00, low <= 0xDFFF {
                    return true
                }
                position = before
            }
            note("holds half a surrogate pair", .escape, from: position - 6)
        default: break
        }
        return true
    }

    private mutating func readUnit() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            let byte = bytes[position]
            guard byte.isASCIIAlphanumeric, let digit = UInt32(String(UnicodeScalar(byte)), radix: 16) else {
                return nil
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }
}
