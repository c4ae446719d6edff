import NotificationEvents

/// An item with parts that nothing can store, or that nest too deep, twice with something else in their place. Where both are read as
/// the same event, it does not depend on those parts: they are of what is dropped.
struct MendedItem {
    /// The item with each of the stand-ins.
    let texts: [OutputBuffer]
    /// Where the parts are, for warnings.
    let paths: [String]
    /// Whether nothing is missing from it: all that simdjson refuses are whole numbers of more than 64 bits.
    var isWhole: Bool { texts.count == 1 }

    /// - Parameter depth: how deep an item may nest.
    /// - Returns: `nil` where more is wrong with it than is looked at.
    init?(_ bytes: UnsafeRawBufferPointer, depth: Int) {
        guard let edits = JSONGrammar.edits(of: bytes, depth: depth) else { return nil }
        let isWhole = edits.allSatisfy { $0.kind == .integer }
        texts = [false, true].prefix(isWhole ? 1 : 2).map { Self.text(bytes, edits, isSecond: $0) }
        var warnings = Warnings()
        for edit in edits where !edit.path.isEmpty { warnings.warn(edit.path.joined(separator: "/")) }
        paths = warnings.names
    }

    private static func text(
        _ bytes: UnsafeRawBufferPointer,
        _ edits: [JSONGrammar.Edit],
        isSecond: Bool
    ) -> OutputBuffer {
        let out = OutputBuffer(capacity: bytes.count + 2 * edits.count + 16)
        var copied = 0
        for edit in edits {
            out.append(UnsafeRawBufferPointer(rebasing: bytes[copied..<edit.range.lowerBound]))
            switch edit.kind {
            case .escape: out.append(isSecond ? #"\ufffc"# : #"\ufffd"#)
            // No field for a number takes them, so that payloads are read without it.
            case .value: out.append(isSecond ? "true" : "false")
            case .integer:
                out.append(UnsafeRawBufferPointer(rebasing: bytes[edit.range]))
                out.append("e0")
            }
            copied = edit.range.upperBound
        }
        out.append(UnsafeRawBufferPointer(rebasing: bytes[copied...]))
        return out
    }
}

extension Workspace {
    /// Reads an item without the parts that nothing can store, or that nest too deep; `nil` where the event depends on them.
    func mended(
        _ location: ItemLocation,
        isCloudEvent: Bool,
        _ normaliser: Normaliser
    ) -> DecodedOutcome? {
        let bytes = UnsafeRawBufferPointer(rebasing: input.bytes[location.range])
        let limits = normaliser.limits
        guard let inner = try? inner(), let mended = MendedItem(bytes, depth: limits.depth),
            mended.isWhole || bytes.count <= limits.eventBytes
        else { return nil }
        var context = normaliser.context
        // It was measured as it was sent.
        if bytes.count <= limits.eventBytes { context.policy.limits.eventBytes = .max }
        let readings = mended.texts.map { text in
            inner.input.fill(text)
            return (try? inner.decodeDocument(context, cloudEvents: isCloudEvent, split: false)) ?? []
        }
        guard let outcome = mended.events(readings, context.kept)?.first?.item else { return nil }
        guard case .rejected(var rejected) = outcome else { return outcome }
        rejected.error.pointer = location.pointer + rejected.error.pointer
        return .rejected(sent(rejected, location))
    }
}

extension MendedItem {
    /// What the item is, with warnings of the parts that it is without; `nil` where that depends on what stands in for them.
    ///
    /// - Parameter readings: what it was read as, with each of the stand-ins.
    func events(_ readings: [[DecodedItem]], _ kept: KeptBytes) -> [DecodedItem]? {
        let first = readings[0]
        let isSame = readings.dropFirst().allSatisfy { other in
            other.count == first.count && zip(other, first).allSatisfy { $0.item.says(as: $1.item) }
        }
        for item in isSame ? readings.dropFirst().joined() : readings[...].joined() {
            if case .rejected(let rejected) = item.item { kept.giveBack(rejected.redacted?.count ?? 0) }
        }
        guard isSame else { return nil }
        return first.map { item in
            guard case .accepted(let event, let names) = item.item else { return item }
            var warnings = Warnings()
            for name in names + paths { warnings.warn(name) }
            var item = item
            item.item = .accepted(event, warnings: warnings.names)
            return item
        }
    }
}

extension DecodedOutcome {
    /// Whether both are the same event, or rejected for the same.
    fileprivate func says(as other: DecodedOutcome) -> Bool {
        switch (self, other) {
        case (.accepted(let event, _), .accepted(let other, _)):
            event.kind.name == other.kind.name && event.id == other.id && event.digest == other.digest
                && event.data == other.data
        case (.rejected(let item), .rejected(let other)):
            item.error == other.error && item.id == other.id && item.redacted == other.redacted
        default: false
        }
    }
}
