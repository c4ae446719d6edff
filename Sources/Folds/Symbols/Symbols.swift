/// The symbols of one batch: ids and names; contexts and settings of devices, with what folds read of them.
package struct Symbols: Sendable {
    /// A context's dimensions.
    package struct Context: Hashable, Sendable {
        package var platform = Symbol.none
        package var osVersion = Symbol.none
        package var appVersion = Symbol.none
        package var locale = Symbol.none
        package var timeZone = Symbol.none

        package init() {}
    }

    package var names = SymbolTable()
    /// Contexts without device_model and sdk_version, settings without context and attributes, each as jsonb writes it.
    package private(set) var values = SymbolTable()
    /// Lists of categories, and definitions of categories, as JSON.
    package var lists = SymbolTable()
    private var contexts: [Context] = [Context()]
    private var settingsInForce = [SettingsInForce()]
    /// Contexts and settings as events carry them, and the symbol of what is left of each.
    private var raw = SymbolTable()
    private var valueOfRaw: [Symbol] = [.empty]
    private var scratch: [UInt8] = []

    package let yes, no, push, dismiss, filtered, `default`, activityUpdate, critical, timeSensitive: Symbol

    package init() {
        yes = names.symbol(of: "true")
        no = names.symbol(of: "false")
        push = names.symbol(of: "push")
        dismiss = names.symbol(of: "dismiss")
        filtered = names.symbol(of: "filtered")
        `default` = names.symbol(of: "default")
        activityUpdate = names.symbol(of: "activity_update")
        critical = names.symbol(of: "critical")
        timeSensitive = names.symbol(of: "time_sensitive")
    }

    package func context(_ value: Symbol) -> Context {
        value == .none ? Context() : contexts[Int(value.number)]
    }
    package func settings(_ value: Symbol) -> SettingsInForce {
        value == .none ? SettingsInForce() : settingsInForce[Int(value.number)]
    }

    /// The symbol of a context as an event carries it.
    package mutating func context(_ bytes: UnsafeRawBufferPointer) -> Symbol {
        remembered(bytes) { !$0.isWord("device_model") && !$0.isWord("sdk_version") }
    }

    /// The symbol of the settings that an event's data are.
    package mutating func settings(_ bytes: UnsafeRawBufferPointer) -> Symbol {
        without(bytes) { !$0.isWord("context") && !$0.isWord("attributes") }
    }

    /// The symbol of a value as it is stored.
    package mutating func stored(_ bytes: UnsafeRawBufferPointer) -> Symbol {
        let symbol = values.symbol(of: bytes)
        if Int(symbol.number) == contexts.count { describe(bytes) }
        return symbol
    }

    private mutating func remembered(_ bytes: UnsafeRawBufferPointer, keep: (UnsafeRawBufferPointer) -> Bool)
        -> Symbol
    {
        let number = Int(raw.symbol(of: bytes).number)
        if number < valueOfRaw.count { return valueOfRaw[number] }
        let value = without(bytes, keep: keep)
        valueOfRaw.append(value)
        return value
    }

    private mutating func without(_ bytes: UnsafeRawBufferPointer, keep: (UnsafeRawBufferPointer) -> Bool)
        -> Symbol
    {
        guard bytes.first == UInt8(ascii: "{") else { return stored(bytes) }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(ascii: "{"))
        var object = JSONObject(bytes)
        var members: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
        while let member = object.next() {
            if keep(member.key) { members.append(member) }
        }
        // As jsonb has them, which is how tables store them: events have them in the order of their kind's fields.
        members.sort { left, right in
            left.key.count != right.key.count
                ? left.key.count < right.key.count : left.key.lexicographicallyPrecedes(right.key)
        }
        for (key, value) in members {
            if scratch.count > 1 { scratch.append(contentsOf: ", ".utf8) }
            scratch.append(UInt8(ascii: "\""))
            scratch.append(contentsOf: key)
            scratch.append(contentsOf: "\": ".utf8)
            value.appendCanonical(to: &scratch)
        }
        scratch.append(UInt8(ascii: "}"))
        let copy = scratch
        return copy.withUnsafeBytes { stored($0) }
    }

    private mutating func describe(_ bytes: UnsafeRawBufferPointer) {
        var context = Context()
        var settings = SettingsInForce()
        if bytes.first == UInt8(ascii: "{") {
            var object = JSONObject(bytes)
            while let (key, value) = object.next() {
                switch key.count {
                case 8: if key.isWord("platform") { context.platform = value.text(in: &names) }
                case 10: if key.isWord("os_version") { context.osVersion = value.text(in: &names) }
                case 11: if key.isWord("app_version") { context.appVersion = value.text(in: &names) }
                case 6: if key.isWord("locale") { context.locale = value.text(in: &names) }
                case 9: if key.isWord("time_zone") { context.timeZone = value.text(in: &names) }
                default: break
                }
                settings.take(key, value)
            }
        }
        contexts.append(context)
        settingsInForce.append(settings)
    }
}
