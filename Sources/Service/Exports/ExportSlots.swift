internal import Synchronization

/// How many exports may be on their way at a time: each holds a part in memory for as long as its reader takes.
final class ExportSlots: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// A place among them, given back when nobody refers to it any more.
    ///
    /// - Throws: ``Problem`` 503 where all are taken.
    func take() throws(Problem) -> Slot {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        guard isFree else { throw Problem.overloaded }
        return Slot(slots: self)
    }

    final class Slot: Sendable {
        private let slots: ExportSlots

        fileprivate init(slots: ExportSlots) {
            self.slots = slots
        }

        deinit {
            slots.taken.withLock { $0 -= 1 }
        }
    }
}
