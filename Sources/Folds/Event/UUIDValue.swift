/// A value of PostgreSQL's type `uuid`, such as an event's id, in the order of its bytes.
///
/// It is to `EventID` what ``Moment`` is to `Timestamp`: folds compare it all the time, and need no text of it.
package struct UUIDValue: Comparable, Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inline(__always)
    package static func < (left: UUIDValue, right: UUIDValue) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
