/// Facts that only the folds read, in one string of bytes beside the typed columns: the ranks of claims, each once, and times
/// that no report asks for. The first byte is the version of the packing.
extension NotificationFacts {
    static let version: UInt8 = 1
    /// With values of the app's own dimensions: behind the numbers of the other claims' ranks that of each, in the order in which
    /// the column `attributes` has them, and first how many there are.
    static let versionWithOwn: UInt8 = 2
    /// Written by the migration of earlier releases' rows: the claims' ranks one after another, each behind a byte that says
    /// whether there is one.
    static let migrated: UInt8 = 0

    /// The claims, in the order of the packing.
    private static var claims: [WritableKeyPath<NotificationFacts, Claim>] {
        [
            \.action, \.alerting, \.requestedCategory, \.category, \.trigger, \.interruptionLevel, \.campaign,
            \.variant,
            \.thread,
        ]
    }

    /// Appends the packed facts.
    package func pack(into bytes: inout [UInt8], _ symbols: borrowing Symbols) {
        let keys = own.isEmpty ? [] : own.keys(symbols.names)
        bytes.append(keys.isEmpty ? Self.version : Self.versionWithOwn)
        let alerts: UInt8 = alerting.isNone ? 2 : alerting.value == symbols.yes ? 1 : 0
        let lastTimes = lastTimes
        bytes.append(
            alerts | (flags.contains(.hasText) ? 4 : 0) | (flags.contains(.toActivity) ? 8 : 0)
                | (lastTimes.requested == .none ? 0 : 16) | (lastTimes.withdrawn == .none ? 0 : 32)
        )
        append(arrivedAt, to: &bytes)
        // Claims as the numbers of their ranks; the category's rank has another stage, which its number says.
        var ranks: [Rank] = []
        ranks.reserveCapacity(4)
        var numbers: [UInt8] = []
        numbers.reserveCapacity(9)
        for claim in Self.claims.map({ self[keyPath: $0] }) + keys.map({ own[$0] }) {
            if claim.isNone {
                numbers.append(.max)
            } else if let known = ranks.firstIndex(of: claim.rank) {
                numbers.append(UInt8(known))
            } else {
                numbers.append(UInt8(ranks.count))
                ranks.append(claim.rank)
            }
        }
        bytes.append(UInt8(ranks.count))
        for (index, rank) in ranks.enumerated() {
            // Most often the category's rank is another one's with the stages in another order.
            let equalIndex = ranks[..<index].firstIndex { $0.at == rank.at && $0.id == rank.id }
            bytes.append(rank.stage)
            if let equalIndex {
                bytes.append(UInt8(equalIndex))
            } else {
                bytes.append(.max)
                append(fixed: rank.at, to: &bytes)
                append(fixed: rank.id.high, to: &bytes)
                append(fixed: rank.id.low, to: &bytes)
            }
        }
        bytes.append(contentsOf: numbers.prefix(Self.claims.count))
        if !keys.isEmpty {
            bytes.append(UInt8(keys.count))
            bytes.append(contentsOf: numbers.dropFirst(Self.claims.count))
        }
        // Last, where earlier releases do not read.
        for time in [lastTimes.requested, lastTimes.withdrawn] where time != .none { append(fixed: time, to: &bytes) }
    }

    /// The latest times, where they are not the first ones, which the typed columns have.
    private var lastTimes: (requested: Moment, withdrawn: Moment) {
        (
            flags.contains(.addSucceeded) && lastRequestedAt != requestedAt ? lastRequestedAt : .none,
            lastWithdrawnAt != withdrawnAt ? lastWithdrawnAt : .none
        )
    }

    /// Reads packed facts; values of claims are those of the typed columns, which are set before.
    package mutating func unpack(_ bytes: UnsafeRawBufferPointer, _ symbols: inout Symbols) throws(FoldError) {
        var reader = Reader(bytes: bytes)
        let version = try reader.byte()
        guard version <= Self.versionWithOwn else { throw .packing }
        let bits = try reader.byte()
        if bits & 4 != 0 { flags.insert(.hasText) }
        if bits & 8 != 0 { flags.insert(.toActivity) }
        alerting.value = bits & 3 == 2 ? .none : bits & 3 == 1 ? symbols.yes : symbols.no
        lastRequestedAt = flags.contains(.addSucceeded) ? requestedAt : .none
        lastWithdrawnAt = withdrawnAt
        arrivedAt = try reader.moment()
        if version == Self.migrated {
            for claim in Self.claims where try reader.byte() == 1 {
                self[keyPath: claim].rank = Rank(
                    stage: try reader.byte(),
                    at: try reader.fixed(),
                    id: UUIDValue(high: try reader.fixed(), low: try reader.fixed())
                )
            }
            return forgetErased(ofOwn: [], symbols.names)
        }
        var ranks: [Rank] = []
        for _ in 0..<(try reader.byte()) {
            let stage = try reader.byte()
            let equalIndex = try reader.byte()
            if equalIndex == .max {
                ranks.append(
                    Rank(
                        stage: stage,
                        at: try reader.fixed(),
                        id: UUIDValue(high: try reader.fixed(), low: try reader.fixed())
                    )
                )
            } else {
                guard Int(equalIndex) < ranks.count else { throw .packing }
                ranks.append(Rank(stage: stage, at: ranks[Int(equalIndex)].at, id: ranks[Int(equalIndex)].id))
            }
        }
        func rank() throws(FoldError) -> Rank {
            let number = try reader.byte()
            if number == .max { return .none }
            guard Int(number) < ranks.count else { throw .packing }
            return ranks[Int(number)]
        }
        for claim in Self.claims { self[keyPath: claim].rank = try rank() }
        var ofOwn: [Rank] = []
        if version == Self.versionWithOwn {
            for _ in 0..<(try reader.byte()) { ofOwn.append(try rank()) }
        }
        if bits & 16 != 0 { lastRequestedAt = try reader.fixed() }
        if bits & 32 != 0 { lastWithdrawnAt = try reader.fixed() }
        forgetErased(ofOwn: ofOwn, symbols.names)
    }

    /// An erasure takes the value of a claim, and with it the claim; of the app's own dimensions all values.
    private mutating func forgetErased(ofOwn ranks: [Rank], _ names: borrowing SymbolTable) {
        for claim in Self.claims where self[keyPath: claim].isNone { self[keyPath: claim] = Claim() }
        let stored = own
        own = OwnValues()
        let keys = stored.isEmpty ? [] : stored.keys(names)
        guard keys.count == ranks.count else { return }
        for (key, rank) in zip(keys, ranks) { own.merge(key, Claim(rank: rank, value: stored[key].value)) }
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
