import NotificationEvents

/// A kind of event, made ready for many events.
final class CompiledKind: Sendable {
    enum CompiledRule {
        case required(FieldReference, when: CompiledCondition, message: String)
        case atLeastOne([FieldReference], message: String)
        case unique(index: Int, key: String)
    }

    struct CompiledDefault {
        let index: Int
        let value: [UInt8]
        let condition: CompiledCondition

        init?(_ fill: ConditionalDefault, in object: CompiledObject) {
            guard let index = object.index(of: fill.field) else { return nil }
            self.index = index
            value = Array(fill.value.utf8)
            condition = CompiledCondition(fill.condition, in: object)
        }
    }

    struct CompiledRewrite {
        let condition: CompiledCondition
        let kind: String
        let fixed: [(name: String, value: [UInt8])]
    }

    let kind: EventKind
    let object: CompiledObject
    let rules: [CompiledRule]
    let defaults: [CompiledDefault]
    let revisions: [CompiledDefault]
    let rewrites: [CompiledRewrite]
    let providerOnly: CompiledCondition?
    /// Where the field of each type or name is, if the kind has one.
    let provider: Int?
    let payload: Int?
    let headers: Int?
    let replyText: Int?
    let replyTextLength: Int?
    let kindName: Int?
    let id: Int?
    let occurredAt: Int?
    let deviceID: Int?

    init(_ kind: EventKind) {
        self.kind = kind
        var ids = 0
        let object = CompiledObject(kind.fields, ids: &ids)
        self.object = object
        rules = kind.rules.compactMap { rule in
            switch rule {
            case .required(let path, let condition, let reason):
                FieldReference(path, in: object).map {
                    .required($0, when: CompiledCondition(condition, in: object), message: "is required \(reason)")
                }
            case .atLeastOne(let paths):
                .atLeastOne(
                    paths.compactMap { FieldReference($0, in: object) },
                    message: "is required unless \(paths.dropFirst().joined(separator: " or ")) is given"
                )
            case .unique(let path, let key):
                object.index(of: path).map { .unique(index: $0, key: key) }
            }
        }
        defaults = kind.conditionalDefaults.compactMap { CompiledDefault($0, in: object) }
        revisions = kind.revisions.compactMap { CompiledDefault($0, in: object) }
        rewrites = kind.rewrites.map { rewrite in
            CompiledRewrite(
                condition: CompiledCondition(rewrite.condition, in: object),
                kind: rewrite.kind,
                fixed: rewrite.fixed.map { ($0.field, Array($0.value.utf8)) }
            )
        }
        providerOnly = kind.providerOnly.map { CompiledCondition($0, in: object) }
        provider = object.index(of: "provider")
        kindName = object.index(of: "kind")
        id = object.index(of: "id")
        occurredAt = object.index(of: "occurred_at")
        deviceID = object.index(of: "device_id")
        payload = object.fields.firstIndex { if case .payload = $0.type { true } else { false } }
        headers = object.fields.firstIndex { if case .headers = $0.type { true } else { false } }
        replyText = object.fields.firstIndex { if case .replyText = $0.type { true } else { false } }
        replyTextLength = replyText.flatMap {
            if case .replyText(let name) = object.fields[$0].type { object.index(of: name) } else { nil }
        }
    }
}

/// Every kind, compiled once.
final class CompiledVocabulary: Sendable {
    static let shared = CompiledVocabulary()

    let kinds: [CompiledKind]
    let table: KeyTable
    /// The fields of all kinds together, by which an item of an unknown kind is redacted.
    let union: CompiledObject
    /// The names of the kinds, for messages.
    let names: String

    private init() {
        kinds = EventKind.all.map { CompiledKind($0) }
        table = KeyTable(EventKind.all.enumerated().map { ($0.element.name, $0.offset) })
        names = EventKind.all.map(\.name).joined(separator: ", ")
        var seen: Set<String> = []
        var ids = 0
        union = CompiledObject(EventKind.all.flatMap(\.fields).filter { seen.insert($0.name).inserted }, ids: &ids)
    }

    /// The kind of that name. Eight bytes behind the name must be readable, as in simdjson's strings.
    func kind(named name: UnsafeRawBufferPointer) -> CompiledKind? {
        let found = table.index(of: name)
        return found < 0 ? nil : kinds[found]
    }

    /// The kind that was declared as this one.
    func kind(named name: String) -> CompiledKind? {
        kinds.first { $0.kind.name == name }
    }
}
