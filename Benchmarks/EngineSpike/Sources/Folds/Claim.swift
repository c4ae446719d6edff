/// Microseconds since 2000, as PostgreSQL counts them.
package typealias Moment = Int64

extension Moment {
    /// No time; later than any, so that the earliest of two is the least.
    package static let none = Int64.max
    /// `occurrence` of a notification that has none.
    package static let noOccurrence = Int64.min
    /// `occurrence` of a schedule.
    package static let schedule = Int64.max
}

/// An event's id, in the order of its bytes.
package struct EventID: Comparable, Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inline(__always)
    package static func < (left: EventID, right: EventID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

/// The place of an event in the order of stages and, within its stage, in the tie order of one device.
package struct Place: Comparable, Hashable, Sendable {
    package var stage: UInt8
    package var at: Moment
    package var id: EventID

    package init(stage: UInt8, at: Moment, id: EventID) {
        self.stage = stage
        self.at = at
        self.id = id
    }

    /// After every event.
    package static let none = Place(stage: .max, at: .max, id: EventID(high: .max, low: .max))

    @inline(__always)
    package static func < (left: Place, right: Place) -> Bool {
        if left.stage != right.stage { return left.stage < right.stage }
        if left.at != right.at { return left.at < right.at }
        return left.id < right.id
    }
}

/// What the first event that says something says: of two claims the one with the earlier place holds.
package struct Claim: Hashable, Sendable {
    package var place: Place
    package var value: ByteTable.ID

    package init(place: Place = .none, value: ByteTable.ID = ByteTable.none) {
        self.place = place
        self.value = value
    }

    package var isNone: Bool { place.stage == .max }

    @inline(__always)
    package mutating func merge(_ other: Claim) {
        if other.place < place { self = other }
    }

    @inline(__always)
    mutating func merge(_ place: Place, _ value: ByteTable.ID) {
        if value != ByteTable.none, place < self.place {
            self.place = place
            self.value = value
        }
    }
}

/// Why an event cannot be folded.
package enum FoldError: Error, Equatable {
    /// A count went beyond its type.
    case overflow
    /// A time that is none.
    case time
    /// Facts packed in a version that is not known, or cut short.
    case packing
}
