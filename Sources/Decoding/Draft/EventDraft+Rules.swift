import NotificationEvents

/// The rules that an event's kind declares, each from one draft to the next. ``Normaliser`` says in which order.
extension EventDraft {
    /// Fills in what absent fields take from the others.
    mutating func fillDefaults() {
        for fill in kind.defaults where values[fill.index].isAbsent && holds(fill.condition) {
            give(fill.index, fill.value)
        }
    }

    /// Refuses what only a provider knows, where another sends it.
    func checkScope(_ scope: Scope) throws(FieldFailure) {
        guard let providerOnly = kind.providerOnly, !scope.maySpeakForProvider, holds(providerOnly) else { return }
        throw FieldFailure(
            .scope,
            "says what only a provider knows: send it with a key of scope provider",
            path: ["kind"]
        )
    }

    /// Measures reply text, in Unicode scalars (PostgreSQL's characters), instead of the sender's count.
    mutating func measureReplyText() throws(FieldFailure) {
        guard let text = kind.replyText, let length = kind.replyTextLength, case .sent(let value) = values[text] else {
            return
        }
        guard tape.tag(value) == JSONTape.Tag.string else {
            throw FieldFailure.type("a string").within(kind.object.fields[text].name)
        }
        give(length, Array(String(tape.string(value).unicodeScalarCount).utf8))
    }

    /// Checks the rules across the fields.
    func checkRules() throws(FieldFailure) {
        for rule in kind.rules {
            switch rule {
            case .required(let field, let condition, let message):
                if !isPresent(field), holds(condition) {
                    throw FieldFailure(.missingField, message, path: field.path)
                }
            case .atLeastOne(let fields, let message):
                if !fields.contains(where: { isPresent($0) }) {
                    let reasons = fields.compactMap { unusable[$0.path[0]] }
                    let path = fields.first?.path ?? []
                    throw FieldFailure(.missingField, ([message] + reasons).joined(separator: "; "), path: path)
                }
            case .unique(let list, let key): try checkUnique(list, key)
            }
        }
    }

    private func checkUnique(_ list: Int, _ key: String) throws(FieldFailure) {
        guard case .sent(let value) = values[list], tape.tag(value) == JSONTape.Tag.array else { return }
        var seen: Set<String> = []
        for (position, element) in tape.elements(of: value).enumerated() {
            if tape.tag(element) == JSONTape.Tag.object, let member = tape.text(of: key, in: element),
                !seen.insert(String(decoding: tape.string(member), as: UTF8.self)).inserted
            {
                let path = [kind.object.fields[list].name, String(position), key]
                throw FieldFailure(.invalidValue, "appears twice", path: path)
            }
        }
    }

    /// The event as the kind that it means, where that is another than the one it was sent as.
    func rewritten(in vocabulary: CompiledVocabulary) -> EventDraft? {
        guard let rewrite = kind.rewrites.first(where: { holds($0.condition) }),
            let target = vocabulary.kind(named: rewrite.kind)
        else { return nil }
        var draft = EventDraft(self, as: target)
        for (name, value) in rewrite.fixed {
            if let field = target.object.index(of: name) { draft.give(field, value) }
        }
        draft.fillDefaults()
        return draft
    }

    /// The stored event, after rules that are not part of its identity.
    func revised() -> EventDraft? {
        guard let revision = kind.revisions.first(where: { holds($0.condition) }) else { return nil }
        var draft = self
        draft.give(revision.index, revision.value)
        return draft
    }
}

extension UnsafeRawBufferPointer {
    /// How many Unicode scalars there are in valid UTF-8: every byte but those that continue one.
    var unicodeScalarCount: Int {
        reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
