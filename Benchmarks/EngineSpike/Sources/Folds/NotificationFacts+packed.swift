/// Facts that only the engine reads, in one string of bytes beside the typed columns: where claims come from, each place
/// once; times that no report asks for; the actions.
extension NotificationFacts {
    static let version: UInt8 = 1

    /// Appends the packed facts.
    package func pack(into bytes: inout [UInt8], _ vocabulary: borrowing Vocabulary) {
        bytes.append(Self.version)
        bytes.append(alerting.isNone ? 2 : alerting.value == vocabulary.yes ? 1 : 0)
        append(arrivedAt, to: &bytes)
        append(requestReceivedAt, to: &bytes)
        // Claims as the numbers of their places; the category's place has another stage, which its number says.
        var places: [Place] = []
        places.reserveCapacity(4)
        var numbers: [UInt8] = []
        numbers.reserveCapacity(9)
        for claim in [
            action, alerting, requestedCategory, category, trigger, interruptionLevel, campaign, variant, thread,
        ] {
            if claim.isNone {
                numbers.append(.max)
            } else if let known = places.firstIndex(of: claim.place) {
                numbers.append(UInt8(known))
            } else {
                numbers.append(UInt8(places.count))
                places.append(claim.place)
            }
        }
        bytes.append(UInt8(places.count))
        for (index, place) in places.enumerated() {
            // Most often the category's place is another one's with the stages in another order.
            let twin = places[..<index].firstIndex { $0.at == place.at && $0.id == place.id }
            bytes.append(place.stage)
            if let twin {
                bytes.append(UInt8(twin))
            } else {
                bytes.append(.max)
                append(fixed: place.at, to: &bytes)
                append(fixed: place.id.high, to: &bytes)
                append(fixed: place.id.low, to: &bytes)
            }
        }
        bytes.append(contentsOf: numbers)
        bytes.append(UInt8(clamping: actions.count))
        for action in actions {
            vocabulary.names.withBytes(of: action.action) { name in
                append(fixed: UInt16(clamping: name?.count ?? 0), to: &bytes)
                if let name { bytes.append(contentsOf: name) }
            }
            append(fixed: action.firstAt, to: &bytes)
            append(fixed: action.inExtension, to: &bytes)
            append(fixed: action.callbacks, to: &bytes)
            bytes.append(action.hasText ? 1 : 0)
            append(fixed: action.callbackReceivedAt, to: &bytes)
        }
    }

    /// Reads packed facts; values of claims are those of the typed columns, which are set before.
    package mutating func unpack(_ bytes: UnsafeRawBufferPointer, _ vocabulary: inout Vocabulary) throws(FoldError) {
        var reader = Reader(bytes: bytes)
        guard try reader.byte() == Self.version else { throw .packing }
        let alerts = try reader.byte()
        alerting.value = alerts == 2 ? ByteTable.none : alerts == 1 ? vocabulary.yes : vocabulary.no
        arrivedAt = try reader.moment()
        requestReceivedAt = try reader.moment()
        var places: [Place] = []
        for _ in 0..<(try reader.byte()) {
            let stage = try reader.byte()
            let twin = try reader.byte()
            if twin == .max {
                places.append(
                    Place(
                        stage: stage,
                        at: try reader.fixed(),
                        id: EventID(high: try reader.fixed(), low: try reader.fixed())
                    )
                )
            } else {
                guard Int(twin) < places.count else { throw .packing }
                places.append(Place(stage: stage, at: places[Int(twin)].at, id: places[Int(twin)].id))
            }
        }
        func place() throws(FoldError) -> Place {
            let number = try reader.byte()
            if number == .max { return .none }
            guard Int(number) < places.count else { throw .packing }
            return places[Int(number)]
        }
        action.place = try place()
        alerting.place = try place()
        requestedCategory.place = try place()
        category.place = try place()
        trigger.place = try place()
        interruptionLevel.place = try place()
        campaign.place = try place()
        variant.place = try place()
        thread.place = try place()
        for _ in 0..<(try reader.byte()) {
            let length: UInt16 = try reader.fixed()
            let name = try vocabulary.names.id(of: reader.bytes(Int(length)))
            actions.append(
                Action(
                    action: name,
                    firstAt: try reader.fixed(),
                    inExtension: try reader.fixed(),
                    callbacks: try reader.fixed(),
                    hasText: try reader.byte() == 1,
                    callbackReceivedAt: try reader.fixed()
                )
            )
        }
    }

    private func append(_ moment: Moment, to bytes: inout [UInt8]) {
        bytes.append(moment == .none ? 0 : 1)
        if moment != .none { append(fixed: moment, to: &bytes) }
    }

    private func append<Value: FixedWidthInteger>(fixed value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private struct Reader {
        var bytes: UnsafeRawBufferPointer
        var offset = 0

        mutating func byte() throws(FoldError) -> UInt8 {
            guard offset < bytes.count else { throw .packing }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func bytes(_ count: Int) throws(FoldError) -> UnsafeRawBufferPointer {
            guard offset + count <= bytes.count else { throw .packing }
            defer { offset += count }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        }

        mutating func fixed<Value: FixedWidthInteger>() throws(FoldError) -> Value {
            let part = try bytes(MemoryLayout<Value>.size)
            return Value(bigEndian: part.loadUnaligned(as: Value.self))
        }

        mutating func moment() throws(FoldError) -> Moment {
            try byte() == 0 ? .none : try fixed()
        }
    }
}
