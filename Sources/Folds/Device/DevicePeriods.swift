/// Periods of unchanged value: maximal runs of snapshots in the tie order.
package struct Periods: Equatable, Sendable {
    package struct Period: Hashable, Sendable {
        package var firstAt: Moment
        package var firstID: EventID
        package var lastAt: Moment
        package var lastID: EventID
        package var value: Symbol

        package init(firstAt: Moment, firstID: EventID, lastAt: Moment, lastID: EventID, value: Symbol) {
            self.firstAt = firstAt
            self.firstID = firstID
            self.lastAt = lastAt
            self.lastID = lastID
            self.value = value
        }

        /// Whether it begins with the same snapshot and has the same value.
        func isSame(as other: Period) -> Bool {
            firstAt == other.firstAt && firstID == other.firstID && value == other.value
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
    package mutating func merge(_ at: Moment, _ id: EventID, _ value: Symbol) -> Bool {
        // Most snapshots are newer than every one before: from the end.
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
    func value(at: Moment) -> Symbol {
        var index = list.count
        while index > 0, list[index - 1].firstAt > at { index -= 1 }
        return index == 0 ? Symbol.none : list[index - 1].value
    }

    var first: Symbol { list.first?.value ?? Symbol.none }

    /// From when on this gives other values than another; none where it gives the same. Both are walked once.
    func differs(from other: Periods) -> Moment {
        for (period, known) in zip(list, other.list) where !period.isSame(as: known) {
            return min(period.firstAt, known.firstAt)
        }
        if list.count == other.list.count { return .none }
        let longer = list.count > other.list.count ? list : other.list
        return longer[min(list.count, other.list.count)].firstAt
    }

    /// The rows to delete, insert and update that make another's rows these. Both are walked once.
    package func changes(from other: Periods) -> (gone: [Period], new: [Period], moved: [Period]) {
        var result: (gone: [Period], new: [Period], moved: [Period]) = ([], [], [])
        var (index, old) = (0, 0)
        while index < list.count || old < other.list.count {
            guard index < list.count else {
                result.gone.append(other.list[old])
                old += 1
                continue
            }
            guard old < other.list.count else {
                result.new.append(list[index])
                index += 1
                continue
            }
            let (period, known) = (list[index], other.list[old])
            if (period.firstAt, period.firstID) == (known.firstAt, known.firstID) {
                if period != known { result.moved.append(period) }
                index += 1
                old += 1
            } else if Self.isBefore(period.firstAt, period.firstID, known.firstAt, known.firstID) {
                result.new.append(period)
                index += 1
            } else {
                result.gone.append(known)
                old += 1
            }
        }
        return result
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

    func settings(at: Moment) -> Symbol { settings.value(at: at) }

    /// Before its first context a device has that one.
    func context(at: Moment) -> Symbol {
        let value = context.value(at: at)
        return value == Symbol.none ? context.first : value
    }

    /// From when on notifications are to be derived anew; none where nothing changed for them.
    package func changed(since old: DevicePeriods) -> Moment {
        if extends != old.extends { return .min }
        let from = min(context.differs(from: old.context), settings.differs(from: old.settings))
        let first = context.list.first
        let oldFirst = old.context.list.first
        if first != nil || oldFirst != nil {
            guard let first, let oldFirst, first.isSame(as: oldFirst) else { return .min }
        }
        return from
    }
}
