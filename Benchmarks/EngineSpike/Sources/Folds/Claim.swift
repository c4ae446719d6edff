/// Microseconds since 2000, as PostgreSQL counts them.
public typealias Moment = Int64

extension Moment {
    /// No time; later than any, so that the earliest of two is the least.
    public static let none = Int64.max
    /// `occurrence` of a notification that has none.
    public static let noOccurrence = Int64.min
    /// `occurrence` of a schedule.
    public static let schedule = Int64.max
}

/// An event's id, in the order of its bytes.
public struct EventID: Comparable, Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inline(__always)
    public static func < (left: EventID, right: EventID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

/// The place of an event in the order of stages and, within its stage, in the tie order of one device.
public struct Place: Comparable, Hashable, Sendable {
    public var stage: UInt8
    public var at: Moment
    public var id: EventID

    public init(stage: UInt8, at: Moment, id: EventID) {
        self.stage = stage
        self.at = at
        self.id = id
    }

    /// After every event.
    public static let none = Place(stage: .max, at: .max, id: EventID(high: .max, low: .max))

    @inline(__always)
    public static func < (left: Place, right: Place) -> Bool {
        if left.stage != right.stage { return left.stage < right.stage }
        if left.at != right.at { return left.at < right.at }
        return left.id < right.id
    }
}

/// What the first event that says something says: of two claims the one with the earlier place holds.
public struct Claim: Hashable, Sendable {
    public var place: Place
    public var value: ByteTable.ID

    public init(place: Place = .none, value: ByteTable.ID = ByteTable.none) {
        self.place = place
        self.value = value
    }

    public var isNone: Bool { place.stage == .max }

    @inline(__always)
    public mutating func merge(_ other: Claim) {
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
public enum FoldError: Error, Equatable {
    /// A count went beyond its type.
    case overflow
    /// A time that is none.
    case time
    /// Facts packed in a version that is not known, or cut short.
    case packing
}
