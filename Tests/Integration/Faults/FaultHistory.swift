import Synchronization

/// A record of writes and reads, checked against what `min_position` promises: whoever reads sees every event up to the
/// position that the answer names, which is no lower than the one that was asked for, and nothing that nobody wrote.
///
/// Each category has one writer, who writes one event after the other; anybody may read it.
final class FaultHistory: Sendable {
    /// What was known of a category at one moment.
    struct Moment: Sendable, Equatable {
        /// Events that a writer has begun to send.
        var begun = 0
        /// Where those stand that were acknowledged, in the order of sending.
        var positions: [Int64] = []
    }

    /// A read that was answered.
    struct Read: Sendable {
        var category: String
        /// The position that was asked for.
        var minPosition: Int64
        /// The position that the answer names.
        var position: Int64
        /// The events that the answer counts.
        var count: Int
        /// Acknowledged before the question was sent.
        var acknowledgedBefore: Int
        /// Begun before the answer came.
        var begunBefore: Int
    }

    struct State: Sendable {
        var categories: [String: Moment] = [:]
        var reads: [Read] = []
        /// Reads without an answer that counts, by their status; 0 where the connection broke.
        var unanswered: [Int: Int] = [:]
    }

    private let box = Mutex(State())

    var state: State { box.withLock { $0 } }

    func moment(_ category: String) -> Moment {
        box.withLock { $0.categories[category, default: Moment()] }
    }

    func begins(_ category: String) {
        box.withLock { $0.categories[category, default: Moment()].begun += 1 }
    }

    func acknowledged(_ category: String, at position: Int64) {
        box.withLock { $0.categories[category, default: Moment()].positions.append(position) }
    }

    func answered(_ read: Read) {
        box.withLock { $0.reads.append(read) }
    }

    func notAnswered(_ status: Int) {
        box.withLock { $0.unanswered[status, default: 0] += 1 }
    }
}

extension FaultHistory.State {
    /// What no service may answer, in words.
    var violations: [String] {
        var list: [String] = []
        for (category, moment) in categories
        where zip(moment.positions, moment.positions.dropFirst()).contains(where: >=) {
            list.append("\(category): an event stands before one that was acknowledged earlier")
        }
        for read in reads {
            let positions = categories[read.category]?.positions ?? []
            // Positions rise with the order of sending, so that those up to one are the first ones.
            let upTo = positions.prefix { $0 <= read.position }.count
            let asked = positions.prefix(read.acknowledgedBefore).prefix { $0 <= read.minPosition }.count
            if read.position < read.minPosition {
                list.append("\(read.category): asked for \(read.minPosition), the answer is of \(read.position)")
            }
            if read.count < max(upTo, asked) {
                list.append("\(read.category): \(read.count) of the \(max(upTo, asked)) events up to \(read.position)")
            }
            if read.count > read.begunBefore {
                list.append("\(read.category): \(read.count) events, of which only \(read.begunBefore) were sent")
            }
        }
        return list
    }
}
