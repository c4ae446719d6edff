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
        // Of the first period that begins after it.
        let index = count { !Self.isBefore(at, id, $0.firstAt, $0.firstID) }
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
        let begun = count { $0.firstAt <= at }
        return begun == 0 ? Symbol.none : list[begun - 1].value
    }

    /// The number of periods at the beginning of which a condition holds that holds of no later one.
    private func count(while condition: (Period) -> Bool) -> Int {
        // Most of what is asked is newer than every period.
        if list.last.map(condition) ?? true { return list.count }
        var (low, high) = (0, list.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if condition(list[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    var first: Symbol { list.first?.value ?? Symbol.none }

    /// The times within which this gives other values than another; nil where it gives the same. Both are walked once.
    package func difference(from other: Periods) -> ClosedRange<Moment>? {
        let fewer = min(list.count, other.list.count)
        var before = 0
        while before < fewer, list[before].isSame(as: other.list[before]) { before += 1 }
        if before == list.count, before == other.list.count { return nil }
        var after = 0
        while after < fewer - before,
            list[list.count - 1 - after].isSame(as: other.list[other.list.count - 1 - after])
        { after += 1 }
        let begins = [list, other.list].compactMap { before < $0.count ? $0[before].firstAt : nil }
        return (begins.min() ?? .min)...(after == 0 ? .max : list[list.count - after].firstAt)
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
    package func context(at: Moment) -> Symbol {
        let value = context.value(at: at)
        return value == Symbol.none ? context.first : value
    }

    /// The times whose notifications are to be derived anew; nil where nothing changed for them.
    package func changed(since old: DevicePeriods) -> ClosedRange<Moment>? {
        if extends != old.extends { return .min ... .max }
        var contexts = context.difference(from: old.context)
        if let range = contexts {
            // The first one holds before it too.
            let isFirst = zip(context.list.prefix(1), old.context.list.prefix(1)).allSatisfy { !$0.isSame(as: $1) }
            if isFirst { contexts = .min...range.upperBound }
        }
        guard let contexts, let settings = settings.difference(from: old.settings) else {
            return contexts ?? settings.difference(from: old.settings)
        }
        return min(contexts.lowerBound, settings.lowerBound)...max(contexts.upperBound, settings.upperBound)
    }
}
