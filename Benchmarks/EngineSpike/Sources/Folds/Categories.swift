/// The categories that an app registered, by app version: of each the newest registration in the tie order.
package struct Categories: Sendable {
    package struct Key: Hashable, Sendable {
        package var category: ByteTable.ID
        package var version: ByteTable.ID
    }

    package struct Action: Hashable, Sendable {
        package var id: ByteTable.ID
        package var isTextInput: Bool
        package var isForeground: Bool
    }

    /// What of a definition other folds use.
    package struct Behaviour: Hashable, Sendable {
        package var customDismiss = false
        package var actions: [Action] = []
    }

    /// A registration of a whole list, by its number among the lists.
    package struct ListKey: Hashable, Sendable {
        package var list: ByteTable.ID
        package var version: ByteTable.ID

        package init(list: ByteTable.ID, version: ByteTable.ID) {
            self.list = list
            self.version = version
        }
    }

    /// Of registrations of one list the newest in the tie order, and when the earliest was.
    package struct Said: Sendable {
        package var at: Moment
        package var device: String
        package var id: EventID
        package var firstAt: Moment

        package init(at: Moment, device: String, id: EventID) {
            self.at = at
            self.device = device
            self.id = id
            firstAt = at
        }

        package mutating func merge(_ other: Said) {
            let first = Swift.min(firstAt, other.firstAt)
            if Categories.isNewer(other, than: self) { self = other }
            firstAt = first
        }
    }

    package struct Registration: Sendable {
        package var said: Said
        package var ordinal: Int
        package var definition: ByteTable.ID
        package var behaviour: Behaviour
    }

    package private(set) var registrations: [Key: Registration] = [:]
    private var versions: [ByteTable.ID: [ByteTable.ID]] = [:]
    private var lists = ByteTable()
    package private(set) var definitions = ByteTable()

    package init() {}

    /// The number of a list of categories.
    package mutating func list(_ bytes: UnsafeRawBufferPointer) -> ByteTable.ID { lists.id(of: bytes) }

    /// Takes in registrations of one list.
    ///
    /// - Returns: the categories in it, and whether the behaviour of each is another one now.
    package mutating func merge(_ key: ListKey, _ said: Said, names: inout ByteTable) -> [(key: Key, isChanged: Bool)] {
        var result: [(key: Key, isChanged: Bool)] = []
        let bytes = lists.withBytes(of: key.list) { Array($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
        bytes.withUnsafeBytes { bytes in
            var list = JSONObject(bytes)
            var ordinal = 0
            while let definition = list.nextElement() {
                ordinal += 1
                if let changed = merge(definition, ordinal, key.version, said, &names) { result.append(changed) }
            }
        }
        return result
    }

    private mutating func merge(
        _ definition: UnsafeRawBufferPointer,
        _ ordinal: Int,
        _ version: ByteTable.ID,
        _ said: Said,
        _ names: inout ByteTable
    ) -> (key: Key, isChanged: Bool)? {
        var object = JSONObject(definition)
        var category = ByteTable.none
        while let (key, value) = object.next() {
            if key.isWord("id") { category = value.text(in: &names) }
        }
        if category == ByteTable.none { return nil }
        let key = Key(category: category, version: version)
        let number = definitions.id(of: definition)
        guard let known = registrations[key] else {
            registrations[key] = Registration(
                said: said,
                ordinal: ordinal,
                definition: number,
                behaviour: Self.behaviour(definition, &names)
            )
            versions[category, default: []].append(version)
            return (key, true)
        }
        var next = known
        next.said.merge(said)
        let isSame = said.at == known.said.at && said.device == known.said.device && said.id == known.said.id
        if Self.isNewer(said, than: known.said) || isSame && ordinal > known.ordinal {
            next.ordinal = ordinal
            if number != known.definition {
                next.definition = number
                next.behaviour = Self.behaviour(definition, &names)
            }
        }
        registrations[key] = next
        return (key, next.behaviour != known.behaviour)
    }

    /// The tie order.
    private static func isNewer(_ left: Said, than right: Said) -> Bool {
        if left.at != right.at { return left.at > right.at }
        if left.device != right.device { return right.device.utf8.lexicographicallyPrecedes(left.device.utf8) }
        return left.id > right.id
    }

    /// Whether it is registered with custom_dismiss_action for this version, or where that never registered it, for any.
    func hasCustomDismiss(_ category: ByteTable.ID, version: ByteTable.ID) -> Bool {
        guard category != ByteTable.none, let versions = versions[category] else { return false }
        if let own = registrations[Key(category: category, version: version)] { return own.behaviour.customDismiss }
        return versions.contains {
            registrations[Key(category: category, version: $0)]?.behaviour.customDismiss == true
        }
    }

    /// What a version registered of a button; where it never registered the category, what any version did.
    func action(_ action: ByteTable.ID, of category: ByteTable.ID, version: ByteTable.ID) -> (
        isTextInput: Bool, isForeground: Bool
    ) {
        guard category != ByteTable.none, let versions = versions[category] else { return (false, false) }
        var result = (isTextInput: false, isForeground: false)
        let asked = registrations[Key(category: category, version: version)] == nil ? versions : [version]
        for version in asked {
            for button in registrations[Key(category: category, version: version)]?.behaviour.actions ?? []
            where button.id == action {
                result.isTextInput = result.isTextInput || button.isTextInput
                result.isForeground = result.isForeground || button.isForeground
            }
        }
        return result
    }

    private static func behaviour(_ definition: UnsafeRawBufferPointer, _ names: inout ByteTable) -> Behaviour {
        var result = Behaviour()
        var object = JSONObject(definition)
        while let (key, value) = object.next() {
            if key.isWord("options") {
                result.customDismiss = has("custom_dismiss_action", value)
            } else if key.isWord("actions") {
                var list = JSONObject(value)
                while let element = list.nextElement() {
                    var action = Action(id: ByteTable.none, isTextInput: false, isForeground: false)
                    var members = JSONObject(element)
                    while let (key, value) = members.next() {
                        if key.isWord("id") {
                            action.id = value.text(in: &names)
                        } else if key.isWord("type") {
                            action.isTextInput = value.isString("text_input")
                        } else if key.isWord("options") {
                            action.isForeground = has("foreground", value)
                        }
                    }
                    result.actions.append(action)
                }
            }
        }
        return result
    }

    private static func has(_ option: StaticString, _ list: UnsafeRawBufferPointer) -> Bool {
        var options = JSONObject(list)
        while let element = options.nextElement() {
            if element.isString(option) { return true }
        }
        return false
    }
}
