/// The rank of an event in the order of stages and, within its stage, in the tie order of one device.
package struct Rank: Comparable, Hashable, Sendable {
    package var stage: UInt8
    package var at: Moment
    package var id: UUIDValue

    package init(stage: UInt8, at: Moment, id: UUIDValue) {
        self.stage = stage
        self.at = at
        self.id = id
    }

    /// After every event.
    package static let none = Rank(stage: .max, at: .max, id: UUIDValue(high: .max, low: .max))

    @inline(__always)
    package static func < (left: Rank, right: Rank) -> Bool {
        if left.stage != right.stage { return left.stage < right.stage }
        if left.at != right.at { return left.at < right.at }
        return left.id < right.id
    }
}

/// What the first event that says something says: of two claims the one with the lower rank holds.
package struct Claim: Hashable, Sendable {
    package var rank: Rank
    package var value: Symbol

    package init(rank: Rank = .none, value: Symbol = .none) {
        self.rank = rank
        self.value = value
    }

    package var isNone: Bool { value == .none }

    @inline(__always)
    package mutating func merge(_ other: Claim) {
        if other.rank < rank, !other.isNone { self = other }
    }

    @inline(__always)
    mutating func merge(_ rank: Rank, _ value: Symbol) {
        if value != .none, rank < self.rank {
            self.rank = rank
            self.value = value
        }
    }
}
