/// What the folds have numbers for: names of dimensions; contexts and settings of devices.
package struct Vocabulary: Sendable {
    /// A context's dimensions.
    package struct Context: Hashable, Sendable {
        package var platform = ByteTable.none
        package var osVersion = ByteTable.none
        package var appVersion = ByteTable.none
        package var locale = ByteTable.none
        package var timeZone = ByteTable.none

        package init() {}
    }

    package var names = ByteTable()
    /// Contexts without device_model and sdk_version, settings without context and attributes, each as jsonb writes it.
    package private(set) var values = ByteTable()
    private var contexts: [Context] = [Context()]
    private var denials: [Bool] = [false]
    /// Contexts and settings as events carry them, and the number of what is left of each.
    private var raw = ByteTable()
    private var valueOfRaw: [ByteTable.ID] = [0]
    private var scratch: [UInt8] = []

    package let yes, no, push, `default`: ByteTable.ID

    package init() {
        yes = names.id(of: "true")
        no = names.id(of: "false")
        push = names.id(of: "push")
        `default` = names.id(of: "default")
    }

    package var memory: Int { names.memory + values.memory + raw.memory + contexts.capacity * 21 }

    package func context(_ value: ByteTable.ID) -> Context {
        value == ByteTable.none ? Context() : contexts[Int(value)]
    }
    package func isDenied(_ value: ByteTable.ID) -> Bool { value == ByteTable.none ? false : denials[Int(value)] }

    /// The number of a context as an event carries it.
    package mutating func context(_ bytes: UnsafeRawBufferPointer) -> ByteTable.ID {
        remembered(bytes) { !$0.isWord("device_model") && !$0.isWord("sdk_version") }
    }

    /// The number of the settings that an event's data are.
    package mutating func settings(_ bytes: UnsafeRawBufferPointer) -> ByteTable.ID {
        without(bytes) { !$0.isWord("context") && !$0.isWord("attributes") }
    }

    /// The number of a value as it is stored.
    package mutating func stored(_ bytes: UnsafeRawBufferPointer) -> ByteTable.ID {
        let id = values.id(of: bytes)
        if Int(id) == contexts.count { describe(bytes) }
        return id
    }

    private mutating func remembered(_ bytes: UnsafeRawBufferPointer, keep: (UnsafeRawBufferPointer) -> Bool)
        -> ByteTable.ID
    {
        let id = raw.id(of: bytes)
        if Int(id) < valueOfRaw.count { return valueOfRaw[Int(id)] }
        let value = without(bytes, keep: keep)
        valueOfRaw.append(value)
        return value
    }

    private mutating func without(_ bytes: UnsafeRawBufferPointer, keep: (UnsafeRawBufferPointer) -> Bool)
        -> ByteTable.ID
    {
        guard bytes.first == UInt8(ascii: "{") else { return stored(bytes) }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(ascii: "{"))
        var object = JSONObject(bytes)
        while let (key, value) = object.next() {
            guard keep(key) else { continue }
            if scratch.count > 1 { scratch.append(contentsOf: [UInt8(ascii: ","), UInt8(ascii: " ")]) }
            scratch.append(UInt8(ascii: "\""))
            scratch.append(contentsOf: key)
            scratch.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: " ")])
            scratch.append(contentsOf: value)
        }
        scratch.append(UInt8(ascii: "}"))
        let copy = scratch
        return copy.withUnsafeBytes { stored($0) }
    }

    private mutating func describe(_ bytes: UnsafeRawBufferPointer) {
        var context = Context()
        var isDenied = false
        if bytes.first == UInt8(ascii: "{") {
            var object = JSONObject(bytes)
            while let (key, value) = object.next() {
                switch key.count {
                case 8: if key.isWord("platform") { context.platform = value.text(in: &names) }
                case 10: if key.isWord("os_version") { context.osVersion = value.text(in: &names) }
                case 11: if key.isWord("app_version") { context.appVersion = value.text(in: &names) }
                case 6: if key.isWord("locale") { context.locale = value.text(in: &names) }
                case 9: if key.isWord("time_zone") { context.timeZone = value.text(in: &names) }
                case 20: if key.isWord("authorization_status") { isDenied = value.isString("denied") }
                default: break
                }
            }
        }
        contexts.append(context)
        denials.append(isDenied)
    }
}
