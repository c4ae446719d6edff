/// Periods of unchanged value: maximal runs of snapshots in the tie order.
package struct Periods: Equatable, Sendable {
    package struct Period: Hashable, Sendable {
        package var firstAt: Moment
        package var firstID: EventID
        package var lastAt: Moment
        package var lastID: EventID
        package var value: ByteTable.ID

        package init(firstAt: Moment, firstID: EventID, lastAt: Moment, lastID: EventID, value: ByteTable.ID) {
            self.firstAt = firstAt
            self.firstID = firstID
            self.lastAt = lastAt
            self.lastID = lastID
            self.value = value
        }
    }

    package private(set) var list: [Period]

    package init(_ list: [Period] = []) {
        self.list = list
    }

    /// Takes in a snapshot.
    ///
    /// - Returns: false where it lies inside a period of another value: only the device's history says which snapshots lie
    ///   on either side of it.
    package mutating func merge(_ at: Moment, _ id: EventID, _ value: ByteTable.ID) -> Bool {
        var index = list.count  // of the first period that begins after it
        while index > 0, Self.isBefore(at, id, list[index - 1].firstAt, list[index - 1].firstID) { index -= 1 }
        if index > 0 {
            let isInside = !Self.isBefore(list[index - 1].lastAt, list[index - 1].lastID, at, id)
            if isInside { return list[index - 1].value == value }
            if list[index - 1].value == value {
                list[index - 1].lastAt = at
                list[index - 1].lastID = id
                return true
            }
        }
        if index < list.count, list[index].value == value {
            list[index].firstAt = at
            list[index].firstID = id
            return true
        }
        list.insert(Period(firstAt: at, firstID: id, lastAt: at, lastID: id, value: value), at: index)
        return true
    }

    /// The value at a time: of the last period that began at it or before.
    func value(at: Moment) -> ByteTable.ID {
        var index = list.count
        while index > 0, list[index - 1].firstAt > at { index -= 1 }
        return index == 0 ? ByteTable.none : list[index - 1].value
    }

    var first: ByteTable.ID { list.first?.value ?? ByteTable.none }

    /// From when on this gives other values than another; none where it gives the same.
    func differs(from other: Periods) -> Moment {
        var from = Moment.none
        for period in list where !other.has(period) { from = min(from, period.firstAt) }
        for period in other.list where !has(period) { from = min(from, period.firstAt) }
        return from
    }

    private func has(_ period: Period) -> Bool {
        list.contains { $0.firstAt == period.firstAt && $0.firstID == period.firstID && $0.value == period.value }
    }

    @inline(__always)
    private static func isBefore(_ at: Moment, _ id: EventID, _ other: Moment, _ otherID: EventID) -> Bool {
        at != other ? at < other : id < otherID
    }
}

/// What is known of a device over time.
package struct DevicePeriods: Equatable, Sendable {
    package var context = Periods()
    package var settings = Periods()
    /// It has sent a delivery from a service extension.
    package var extends = false

    package init() {}

    func settings(at: Moment) -> ByteTable.ID { settings.value(at: at) }

    /// Before its first context a device has that one.
    func context(at: Moment) -> ByteTable.ID {
        let value = context.value(at: at)
        return value == ByteTable.none ? context.first : value
    }

    /// From when on notifications are to be derived anew; none where nothing changed for them.
    package func changed(since old: DevicePeriods) -> Moment {
        if extends != old.extends { return .min }
        var from = min(context.differs(from: old.context), settings.differs(from: old.settings))
        let first = context.list.first
        let oldFirst = old.context.list.first
        if first?.firstAt != oldFirst?.firstAt || first?.firstID != oldFirst?.firstID || first?.value != oldFirst?.value
        {
            from = .min
        }
        return from
    }
}
