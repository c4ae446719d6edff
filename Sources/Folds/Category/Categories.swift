/// The categories that an app registered, by app version: of each the newest registration in the tie order.
///
/// It knows the registrations that were loaded and those of the batch, and of the others how many there are.
package struct Categories: Sendable {
    package struct Key: Hashable, Sendable {
        package var category: Symbol
        /// The empty string where the registration did not say.
        package var version: Symbol

        package init(category: Symbol, version: Symbol) {
            self.category = category
            self.version = version
        }
    }

    package struct Action: Hashable, Sendable {
        package var id: Symbol
        package var isTextInput: Bool
        package var isForeground: Bool
    }

    /// What of a definition other folds use; the words of its buttons may differ from device to device.
    package struct Behaviour: Hashable, Sendable {
        package var customDismiss = false
        package var actions: [Action] = []

        /// Of several buttons with one id what any of them is.
        func button(_ id: Symbol) -> (isTextInput: Bool, isForeground: Bool) {
            var result = (isTextInput: false, isForeground: false)
            for button in actions where button.id == id {
                result.isTextInput = result.isTextInput || button.isTextInput
                result.isForeground = result.isForeground || button.isForeground
            }
            return result
        }
    }

    /// Registrations of one list of categories, as an event carries it, by one version.
    package struct List: Hashable, Sendable {
        package var bytes: Symbol
        package var version: Symbol

        package init(bytes: Symbol, version: Symbol) {
            self.bytes = bytes
            self.version = version
        }
    }

    /// Of several registrations the newest in the tie order, and the time of the earliest.
    package struct Origin: Sendable {
        package var at: Moment
        package var device: Symbol
        package var id: UUIDValue
        package var firstAt: Moment

        package init(at: Moment, device: Symbol, id: UUIDValue, firstAt: Moment? = nil) {
            self.at = at
            self.device = device
            self.id = id
            self.firstAt = firstAt ?? at
        }

        package mutating func merge(_ other: Origin, _ symbols: borrowing Symbols) {
            let first = min(firstAt, other.firstAt)
            if other.isNewer(than: self, symbols) { self = other }
            firstAt = first
        }

        private var tie: Tie { Tie(at: at, device: device, id: id) }

        func isNewer(than other: Origin, _ symbols: borrowing Symbols) -> Bool {
            other.tie.isBefore(tie, symbols.names)
        }
    }

    package struct Registration: Sendable {
        package var origin: Origin
        /// In the list of the registration; of several definitions in one list the last counts.
        var ordinal: Int
        /// The definition as JSON, a symbol of ``Symbols/lists``.
        package var definition: Symbol
        package var behaviour: Behaviour
    }

    package private(set) var registrations: [Key: Registration] = [:]
    /// What the batch changes of how many versions registered something.
    package private(set) var changes = Sums<Part>(width: Versions.count)
    /// How many versions registered something, as it is stored, of the parts that were loaded.
    private var stored: [Part: Versions] = [:]

    /// A category, or a button of one.
    package struct Part: Hashable, Sendable {
        package var category: Symbol
        /// none of the category itself.
        package var action: Symbol

        package init(category: Symbol, action: Symbol = .none) {
            self.category = category
            self.action = action
        }
    }

    /// How many versions of the app registered a category or a button, and with which behaviour.
    package struct Versions: Hashable, Sendable {
        package var all: Int64 = 0
        package var customDismiss: Int64 = 0
        package var textInput: Int64 = 0
        package var foreground: Int64 = 0

        static let count = 4
        var list: [Int64] { [all, customDismiss, textInput, foreground] }
        /// What any version registered.
        var any: [Bool] { [customDismiss > 0, textInput > 0, foreground > 0] }

        package init() {}
    }

    package init() {}

    /// Takes in how many versions registered something, as it is stored.
    package mutating func load(_ part: Part, _ versions: Versions) {
        stored[part] = versions
    }

    /// Takes in a registration as it is stored.
    package mutating func load(_ key: Key, _ origin: Origin, definition: Symbol, _ symbols: inout Symbols) {
        let registration = Registration(
            origin: origin,
            ordinal: 0,
            definition: definition,
            behaviour: symbols.behaviour(definition)
        )
        registrations[key] = registration
    }

    /// Takes in the registrations of one list.
    ///
    /// - Returns: the categories in it; of each whether its behaviour is another one now.
    package mutating func merge(
        _ list: List,
        _ origin: Origin,
        _ symbols: inout Symbols
    ) throws(FoldError) -> [(Key, isChanged: Bool)] {
        var result: [(Key, isChanged: Bool)] = []
        for (index, entry) in symbols.definitions(list.bytes).enumerated() {
            let key = Key(category: entry.category, version: list.version)
            let known = registrations[key]?.behaviour
            let isChanged = merge(key, entry.definition, ordinal: index + 1, origin, &symbols)
            if isChanged {
                try count(known, of: key.category, -1)
                try count(registrations[key]?.behaviour, of: key.category, 1)
            }
            result.append((key, isChanged))
        }
        return result
    }

    /// Counts a version that registered a behaviour.
    private mutating func count(_ behaviour: Behaviour?, of category: Symbol, _ sign: Int64) throws(FoldError) {
        guard let behaviour else { return }
        var own = Versions()
        own.all = 1
        own.customDismiss = behaviour.customDismiss ? 1 : 0
        try changes.add(Part(category: category), own.list, times: sign)
        for id in Set(behaviour.actions.map(\.id)) where id != .none {
            let button = behaviour.button(id)
            var own = Versions()
            own.all = 1
            own.textInput = button.isTextInput ? 1 : 0
            own.foreground = button.isForeground ? 1 : 0
            try changes.add(Part(category: category, action: id), own.list, times: sign)
        }
    }

    private mutating func merge(
        _ key: Key,
        _ definition: Symbol,
        ordinal: Int,
        _ origin: Origin,
        _ symbols: inout Symbols
    ) -> Bool {
        guard let known = registrations[key] else {
            load(key, origin, definition: definition, &symbols)
            registrations[key]?.ordinal = ordinal
            return true
        }
        var next = known
        next.origin.merge(origin, symbols)
        let isSame =
            origin.at == known.origin.at && origin.device == known.origin.device && origin.id == known.origin.id
        if origin.isNewer(than: known.origin, symbols) || isSame && ordinal > known.ordinal {
            next.ordinal = ordinal
            if definition != known.definition {
                next.definition = definition
                next.behaviour = symbols.behaviour(definition)
            }
        }
        registrations[key] = next
        return next.behaviour != known.behaviour
    }

    /// How many versions registered something, with those of the batch.
    func versions(_ part: Part) -> Versions {
        var result = stored[part] ?? Versions()
        guard let change = changes[part] else { return result }
        let first = change.startIndex
        result.all += change[first]
        result.customDismiss += change[first + 1]
        result.textInput += change[first + 2]
        result.foreground += change[first + 3]
        return result
    }

    /// The categories that the batch changed for versions which never registered them: what any version registered is another thing now.
    ///
    /// What is stored of the parts in ``changes`` must have been loaded.
    package var changedForOthers: Set<Symbol> {
        Set(changes.rows.lazy.map(\.key).filter { (stored[$0] ?? Versions()).any != versions($0).any }.map(\.category))
    }

    /// Whether it is registered with custom_dismiss_action for this version, or where that never registered it, for any.
    func hasCustomDismiss(_ category: Symbol, version: Symbol) -> Bool {
        let own = registrations[Key(category: category, version: version)]?.behaviour.customDismiss
        return own ?? (versions(Part(category: category)).customDismiss > 0)
    }

    /// What a version registered of a button; where it never registered the category, what any version did.
    func action(_ action: Symbol, of category: Symbol, version: Symbol) -> (isTextInput: Bool, isForeground: Bool) {
        if let own = registrations[Key(category: category, version: version)] {
            return own.behaviour.button(action)
        }
        let any = versions(Part(category: category, action: action))
        return (any.textInput > 0, any.foreground > 0)
    }
}
