/// Where a snapshot lies in the tie order.
package struct SnapshotKey: Comparable, Hashable, Sendable {
    package var at: Moment
    package var id: UUIDValue

    package init(at: Moment, id: UUIDValue) {
        self.at = at
        self.id = id
    }

    package static func < (one: SnapshotKey, other: SnapshotKey) -> Bool {
        one.at != other.at ? one.at < other.at : one.id < other.id
    }
}

/// What a device said of itself at one time: a context or settings.
package struct Snapshot: Sendable {
    package var key: SnapshotKey
    package var value: Symbol

    package init(at: Moment, id: UUIDValue, value: Symbol) {
        key = SnapshotKey(at: at, id: id)
        self.value = value
    }
}

/// Periods of unchanged value: maximal runs of snapshots in the tie order.
package struct Periods: Equatable, Sendable {
    package struct Period: Hashable, Sendable {
        package var firstAt: Moment
        package var firstID: UUIDValue
        package var lastAt: Moment
        package var lastID: UUIDValue
        package var value: Symbol

        package init(firstAt: Moment, firstID: UUIDValue, lastAt: Moment, lastID: UUIDValue, value: Symbol) {
            self.firstAt = firstAt
            self.firstID = firstID
            self.lastAt = lastAt
            self.lastID = lastID
            self.value = value
        }

        /// Of a single snapshot.
        package init(of key: SnapshotKey, value: Symbol) {
            self.init(firstAt: key.at, firstID: key.id, lastAt: key.at, lastID: key.id, value: value)
        }

        package var first: SnapshotKey { SnapshotKey(at: firstAt, id: firstID) }
        package var last: SnapshotKey {
            get { SnapshotKey(at: lastAt, id: lastID) }
            set { (lastAt, lastID) = (newValue.at, newValue.id) }
        }

        /// Whether it begins with the same snapshot and has the same value.
        func isSame(as other: Period) -> Bool { first == other.first && value == other.value }
    }

    package private(set) var list: [Period]

    package init(_ list: [Period] = []) {
        self.list = list
    }

    /// The snapshots that lie inside a period of another value, in the tie order: which snapshots lie on either side of each is to
    /// be known before they are merged.
    package func inside(_ snapshots: [Snapshot]) -> [Snapshot] {
        snapshots.sorted { $0.key < $1.key }.filter { snapshot in
            guard let period = begun(at: snapshot.key), period.value != snapshot.value else { return false }
            return snapshot.key < period.last
        }
    }

    /// The periods inside which a snapshot of another value lies.
    package func split(by snapshots: [Snapshot]) -> [Period] {
        var result: [Period] = []
        for snapshot in inside(snapshots) {
            guard let period = begun(at: snapshot.key), result.last != period else { continue }
            result.append(period)
        }
        return result
    }

    /// These periods with more snapshots. What is known of them may have gaps, if none lies next to a snapshot.
    ///
    /// - Parameters:
    ///   - snapshots: those that are new.
    ///   - inside: the snapshots so far of the periods that they split: all, or the first and the last of each period and those
    ///     next to the snapshots inside it. Those of other periods are left out.
    package func merged(with snapshots: [Snapshot], inside: [SnapshotKey] = []) -> Periods {
        guard !snapshots.isEmpty else { return self }
        let split = Set(split(by: snapshots))
        var pieces = list.filter { !split.contains($0) }.map { Piece(period: $0, beginsKnown: true, endsKnown: true) }
        pieces += snapshots.map {
            Piece(period: Period(of: $0.key, value: $0.value), beginsKnown: false, endsKnown: false)
        }
        pieces += inside.compactMap { key in
            guard let period = begun(at: key), key <= period.last, split.contains(period) else { return nil }
            let single = Period(of: key, value: period.value)
            return Piece(period: single, beginsKnown: key == period.first, endsKnown: true)
        }
        pieces.sort { $0.period.first < $1.period.first }
        var result: [Piece] = []
        for piece in pieces {
            if let last = result.last, last.isFollowed(by: piece) {
                guard last.period.last < piece.period.last else { continue }
                result[result.count - 1].period.last = piece.period.last
                result[result.count - 1].endsKnown = piece.endsKnown
            } else {
                result.append(piece)
            }
        }
        return Periods(result.map(\.period))
    }

    /// A part of what becomes one period.
    private struct Piece {
        var period: Period
        /// It begins as a period that is known.
        var beginsKnown: Bool
        /// It ends with a snapshot that is not new.
        var endsKnown: Bool

        /// Whether the next piece belongs to the same period. Between two periods that are known there was another value, known
        /// or not.
        func isFollowed(by next: Piece) -> Bool {
            period.value == next.period.value && !(endsKnown && next.beginsKnown)
        }
    }

    /// The last period that begins with a snapshot or before it.
    private func begun(at key: SnapshotKey) -> Period? {
        let begun = count { $0.first <= key }
        return begun == 0 ? nil : list[begun - 1]
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

    /// The last time at which the value changed; nil where it never did.
    package var lastChangeAt: Moment? { list.count > 1 ? list[list.count - 1].firstAt : nil }

    /// Whether another's values change at other times, or are last seen unchanged at others. How far the newest period reaches
    /// tells of no change.
    package func hasOtherChanges(than other: Periods) -> Bool {
        guard list.count > 1 || other.list.count > 1 else { return false }
        let changes = changes(from: other)
        return !changes.removed.isEmpty || !changes.new.isEmpty || changes.moved.contains { $0 != list.last }
    }

    /// The rows to delete, insert and update that make another's rows these. Both are walked once.
    package func changes(from other: Periods) -> (removed: [Period], new: [Period], moved: [Period]) {
        var result: (removed: [Period], new: [Period], moved: [Period]) = ([], [], [])
        var (index, old) = (0, 0)
        while index < list.count || old < other.list.count {
            guard index < list.count else {
                result.removed.append(other.list[old])
                old += 1
                continue
            }
            guard old < other.list.count else {
                result.new.append(list[index])
                index += 1
                continue
            }
            let (period, known) = (list[index], other.list[old])
            if period.first == known.first {
                if period != known { result.moved.append(period) }
                index += 1
                old += 1
            } else if period.first < known.first {
                result.new.append(period)
                index += 1
            } else {
                result.removed.append(known)
                old += 1
            }
        }
        return result
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
