/// The categories that an app registered, by app version: of each the newest registration in the tie order.
///
/// It knows those that were loaded, each with all its versions, and those of the batch.
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
    package struct Said: Sendable {
        package var at: Moment
        package var device: Symbol
        package var id: EventID
        package var firstAt: Moment

        package init(at: Moment, device: Symbol, id: EventID, firstAt: Moment? = nil) {
            self.at = at
            self.device = device
            self.id = id
            self.firstAt = firstAt ?? at
        }

        package mutating func merge(_ other: Said, _ vocabulary: borrowing Vocabulary) {
            let first = min(firstAt, other.firstAt)
            if other.isNewer(than: self, vocabulary) { self = other }
            firstAt = first
        }

        private var tie: Tie { Tie(at: at, device: device, id: id) }

        func isNewer(than other: Said, _ vocabulary: borrowing Vocabulary) -> Bool {
            other.tie.isBefore(tie, vocabulary.names)
        }
    }

    package struct Registration: Sendable {
        package var said: Said
        /// In the list of the registration; of several definitions in one list the last counts.
        var ordinal: Int
        /// The definition as JSON, a symbol of ``Vocabulary/lists``.
        package var definition: Symbol
        package var behaviour: Behaviour
    }

    package private(set) var registrations: [Key: Registration] = [:]
    /// What any version of a category registered, once ``unite()`` has put it together.
    private var united: [Symbol: Union] = [:]

    private struct Union: Sendable {
        var customDismiss = false
        var actions: [Symbol: (isTextInput: Bool, isForeground: Bool)] = [:]

        mutating func add(_ behaviour: Behaviour) {
            customDismiss = customDismiss || behaviour.customDismiss
            for action in behaviour.actions {
                let known = actions[action.id] ?? (false, false)
                actions[action.id] = (
                    known.isTextInput || action.isTextInput, known.isForeground || action.isForeground
                )
            }
        }
    }

    package init() {}

    /// Takes in a registration as it is stored.
    package mutating func load(_ key: Key, _ said: Said, definition: Symbol, _ vocabulary: inout Vocabulary) {
        let registration = Registration(
            said: said,
            ordinal: 0,
            definition: definition,
            behaviour: vocabulary.behaviour(definition)
        )
        registrations[key] = registration
    }

    /// Takes in the registrations of one list.
    ///
    /// - Returns: the categories in it; of each whether its behaviour is another one now.
    package mutating func merge(_ list: List, _ said: Said, _ vocabulary: inout Vocabulary) -> [(Key, isChanged: Bool)]
    {
        var result: [(Key, isChanged: Bool)] = []
        for (index, entry) in vocabulary.definitions(list.bytes).enumerated() {
            let key = Key(category: entry.category, version: list.version)
            result.append((key, merge(key, entry.definition, ordinal: index + 1, said, &vocabulary)))
        }
        return result
    }

    private mutating func merge(
        _ key: Key,
        _ definition: Symbol,
        ordinal: Int,
        _ said: Said,
        _ vocabulary: inout Vocabulary
    ) -> Bool {
        guard let known = registrations[key] else {
            load(key, said, definition: definition, &vocabulary)
            registrations[key]?.ordinal = ordinal
            return true
        }
        var next = known
        next.said.merge(said, vocabulary)
        let isSame = said.at == known.said.at && said.device == known.said.device && said.id == known.said.id
        if said.isNewer(than: known.said, vocabulary) || isSame && ordinal > known.ordinal {
            next.ordinal = ordinal
            if definition != known.definition {
                next.definition = definition
                next.behaviour = vocabulary.behaviour(definition)
            }
        }
        registrations[key] = next
        return next.behaviour != known.behaviour
    }

    /// Puts together what the versions of each category registered: once a batch, so that a notification is derived at one cost
    /// however many versions clients name.
    package mutating func unite() {
        united = [:]
        for (key, registration) in registrations { united[key.category, default: Union()].add(registration.behaviour) }
    }

    /// Whether it is registered with custom_dismiss_action for this version, or where that never registered it, for any.
    func hasCustomDismiss(_ category: Symbol, version: Symbol) -> Bool {
        let own = registrations[Key(category: category, version: version)]?.behaviour.customDismiss
        return own ?? united[category]?.customDismiss ?? false
    }

    /// What a version registered of a button; where it never registered the category, what any version did.
    func action(_ action: Symbol, of category: Symbol, version: Symbol) -> (isTextInput: Bool, isForeground: Bool) {
        guard let own = registrations[Key(category: category, version: version)] else {
            return united[category]?.actions[action] ?? (false, false)
        }
        var result = (isTextInput: false, isForeground: false)
        for button in own.behaviour.actions where button.id == action {
            result.isTextInput = result.isTextInput || button.isTextInput
            result.isForeground = result.isForeground || button.isForeground
        }
        return result
    }
}
