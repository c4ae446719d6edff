/// Waiting submissions, in one line per app.
struct AppendLines {
    private struct Line {
        let app: AppID
        private var submissions: [Submission] = []
        /// The index of the first submission that was not taken.
        private var head = 0
        var events = 0
        var bytes = 0
        /// The number of events that the app may still have taken in its turn. What a turn does not use is saved for a larger
        /// submission.
        private var credit = 0
        private var isOnTurn = false

        init(app: AppID) {
            self.app = app
        }

        var isEmpty: Bool { head == submissions.count }
        var first: Submission? { isEmpty ? nil : submissions[head] }

        mutating func append(_ submission: Submission) {
            submissions.append(submission)
            count(submission, 1)
        }

        mutating func removeFirst() -> Submission {
            let first = submissions[head]
            head += 1
            if head * 2 > submissions.count {
                submissions.removeFirst(head)
                head = 0
            }
            count(first, -1)
            return first
        }

        mutating func removeLast() -> Submission {
            let last = submissions.removeLast()
            count(last, -1)
            return last
        }

        /// Whether this number of events is within the app's turn; otherwise the turn ends.
        mutating func pays(_ events: Int, turn: Int) -> Bool {
            if !isOnTurn { credit += turn }
            isOnTurn = events <= credit
            if isOnTurn { credit -= events }
            return isOnTurn
        }

        private mutating func count(_ submission: Submission, _ sign: Int) {
            events += sign * submission.events.count
            bytes += sign * submission.bytes
        }
    }

    /// In the order of their turns; none is empty.
    private var lines: [Line] = []
    /// Whose turn it is.
    private var turn = 0
    private(set) var events = 0
    private(set) var bytes = 0

    var isEmpty: Bool { lines.isEmpty }

    /// When the oldest waiting submission came.
    var since: ContinuousClock.Instant? { lines.compactMap { $0.first?.since }.min() }

    mutating func append(_ submission: Submission) {
        let index = lines.firstIndex { $0.app == submission.app } ?? lines.endIndex
        if index == lines.endIndex { lines.append(Line(app: submission.app)) }
        lines[index].append(submission)
        events += submission.events.count
        bytes += submission.bytes
    }

    /// Takes whole submissions up to a number of events, at least one.
    ///
    /// - Parameter turnEvents: events of one app's turn, where others wait.
    mutating func take(_ most: Int, turnEvents: Int) -> [Submission] {
        var taken: [Submission] = []
        var count = 0
        while !lines.isEmpty, let first = lines[turn].first {
            let events = first.events.count
            if !taken.isEmpty, count + events > most { break }
            guard lines.count == 1 || lines[turn].pays(events, turn: turnEvents) else {
                turn = (turn + 1) % lines.count
                continue
            }
            count += events
            taken.append(remove(from: turn) { $0.removeFirst() })
        }
        return taken
    }

    /// Removes the newest submission of the app with the most events. It makes room for a submission with which another app
    /// stays within its share.
    mutating func removeLast(for submission: Submission, _ limits: AppendQueue.Limits) -> Submission? {
        let own = lines.first { $0.app == submission.app }
        let apps = lines.count + (own == nil ? 1 : 0)
        guard ((own?.events ?? 0) + submission.events.count) * apps <= limits.queuedEvents,
            ((own?.bytes ?? 0) + submission.bytes) * apps <= limits.queuedBytes
        else { return nil }
        func load(_ line: Line) -> Double {
            max(
                Double(line.events) / Double(max(limits.queuedEvents, 1)),
                Double(line.bytes) / Double(max(limits.queuedBytes, 1))
            )
        }
        guard let index = lines.indices.max(by: { load(lines[$0]) < load(lines[$1]) }),
            lines[index].app != submission.app
        else { return nil }
        return remove(from: index) { $0.removeLast() }
    }

    /// Removes submissions from the head of each line, as long as the condition holds.
    mutating func removeAll(_ matches: (Submission) -> Bool) -> [Submission] {
        var removed: [Submission] = []
        for index in lines.indices.reversed() {
            while lines.indices.contains(index), let first = lines[index].first, matches(first) {
                let app = lines[index].app
                removed.append(remove(from: index) { $0.removeFirst() })
                guard lines.indices.contains(index), lines[index].app == app else { break }
            }
        }
        return removed
    }

    private mutating func remove(from index: Int, _ body: (inout Line) -> Submission) -> Submission {
        let submission = body(&lines[index])
        events -= submission.events.count
        bytes -= submission.bytes
        if lines[index].isEmpty {
            lines.remove(at: index)
            if index < turn { turn -= 1 }
            if turn >= lines.count { turn = 0 }
        }
        return submission
    }
}
