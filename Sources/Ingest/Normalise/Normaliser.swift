import NotificationEvents

/// Turns one parsed item into the event that is stored, or says why not.
///
/// It keeps its buffers from one event to the next, and so serves one item at a time.
final class Normaliser {
    /// What is the same for all items of a body.
    struct Setting {
        var policy: IngestPolicy
        var receivedAt: Timestamp
        var sentAt: Timestamp?
    }

    /// A value that no field of the item holds as it is: JSON in ``side``, for the field of that id.
    struct Override {
        var fieldID: Int
        var range: Range<Int>
    }

    /// What of an event goes into columns.
    struct Columns {
        var id: EventID?
        var occurredAt: Timestamp.Zoned?
        var occurrence: Timestamp?
        var deviceID = ""
        var notificationID: String?
        var requestIdentifier: String?
        var token: [UInt8]?
    }

    let catalogue = CompiledCatalogue.shared
    let out = OutputBuffer()
    let side = OutputBuffer()
    var setting: Setting
    var tape: JSONTape
    var overrides: [Override] = []
    var columns = Columns()
    var warnings: [String] = []
    /// The names of the fields around the object at hand.
    var names: [String] = []
    /// Where values that were taken from elsewhere really stand, by the name of the field that they became.
    var sources: [String: [String]] = [:]
    /// For each field of the object at hand, and of those around it, the index of its value; 0 where it is absent.
    var slots: UnsafeMutablePointer<UInt32>
    private var slotsInUse = 0
    private let slotCapacity = 1024
    /// The kind that the item was sent as, once it is known.
    var sentKind: CompiledKind?
    /// What was found of the item before anything could fail, for its rejection.
    var sent = ItemSource()

    init(setting: Setting, tape: JSONTape) {
        self.setting = setting
        self.tape = tape
        slots = .allocate(capacity: slotCapacity)
    }

    deinit {
        slots.deallocate()
    }

    /// Slots for an object of so many fields, all absent; give them back with ``release(_:)``.
    func claim(_ count: Int) throws(FieldFailure) -> Int {
        guard slotsInUse + count <= slotCapacity else {
            throw FieldFailure(.tooDeep, "nests too deep")
        }
        let start = slotsInUse
        (slots + start).update(repeating: 0, count: count)
        slotsInUse += count
        return start
    }

    func release(_ start: Int) {
        slotsInUse = start
    }

    /// Begins the item whose value is at that index of the tape: finds its parts and its kind.
    func begin(_ item: Int, cloudEvent: Bool) throws(FieldFailure) -> CompiledKind {
        out.truncate(to: 0)
        side.truncate(to: 0)
        overrides.removeAll(keepingCapacity: true)
        sources.removeAll(keepingCapacity: true)
        warnings.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        columns = Columns()
        slotsInUse = 0
        sentKind = nil
        sent = ItemSource()

        guard tape.tag(item) == JSONTape.Tag.object else {
            throw FieldFailure(.invalidType, "must be a JSON object, one event")
        }
        sent = cloudEvent ? try readEnvelope(item) : ItemSource(object: item, kind: tape.value(of: "kind", in: item))
        let kind = try findKind()
        sentKind = kind
        return kind
    }

    /// Normalises the item that was begun.
    func normalise(_ kind: CompiledKind) throws(FieldFailure) -> NormalisedEvent {
        let base = try claim(kind.object.fields.count)
        try fill(kind.object, base, from: sent.object)
        placeEnvelope(kind, base)
        try takePushFields(kind, base)
        fillDefaults(kind, base)
        if let providerOnly = kind.providerOnly, !setting.policy.scope.maySpeakForProvider,
            holds(providerOnly, kind, base)
        {
            throw FieldFailure(
                .scope,
                "says what only a provider knows: send it with a key of scope provider",
                path: ["kind"]
            )
        }
        try writeEvent(kind, base)
        guard let rewrite = kind.rewrites.first(where: { holds($0.condition, kind, base) }),
            let target = catalogue.kind(named: rewrite.kind)
        else {
            return try finish(kind, base)
        }
        return try finishRewritten(kind, base, rewrite, target)
    }

    private func findKind() throws(FieldFailure) -> CompiledKind {
        guard let index = sent.kind else {
            throw FieldFailure(.missingField, "is needed: one of \(catalogue.names)", path: ["kind"])
        }
        guard tape.tag(index) == JSONTape.Tag.string else {
            throw FieldFailure.type("a string").within("kind")
        }
        let name = UnsafeRawBufferPointer(rebasing: tape.string(index).dropFirst(sent.kindPrefix))
        let found = catalogue.table.index(of: name)
        guard found >= 0 else {
            var failure = FieldFailure.value("is none of \(catalogue.names)", name)
            failure.code = .unknownKind
            throw failure.within("kind")
        }
        return catalogue.kinds[found]
    }

    /// Writes an event again as the kind that it means.
    private func finishRewritten(
        _ kind: CompiledKind,
        _ base: Int,
        _ rewrite: CompiledKind.CompiledRewrite,
        _ target: CompiledKind
    ) throws(FieldFailure) -> NormalisedEvent {
        let start = try claim(target.object.fields.count)
        for (index, field) in target.object.fields.enumerated() {
            if let source = kind.object.index(of: field.name) {
                slots[start + index] = slots[base + source]
            }
        }
        out.truncate(to: 0)
        overrides.removeAll(keepingCapacity: true)
        // The first writing gave the warnings about nested fields already.
        let known = warnings
        let id = columns.id
        columns = Columns()
        columns.id = id
        for (name, value) in rewrite.fixed {
            if let index = target.object.index(of: name) {
                slots[start + index] = 0
                override(target.object.fields[index], with: value)
            }
        }
        fillDefaults(target, start)
        try writeEvent(target, start)
        warnings = known
        return try finish(target, start)
    }
}
