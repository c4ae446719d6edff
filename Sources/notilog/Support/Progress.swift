/// The progress of long work: a bar on a terminal, else a line now and then.
struct Progress {
    private let title: String
    private let total: Int
    private let showsBar: Bool
    /// The number done at the start, and its time.
    private let start: (done: Int, at: ContinuousClock.Instant)
    private var shownAt: ContinuousClock.Instant?
    private var shownTenth = 0

    /// - Parameters:
    ///   - title: the name of the work.
    ///   - total: the number to do.
    ///   - done: the number done already.
    ///   - showsBar: whether there is a terminal to show a bar.
    init(_ title: String, total: Int, done: Int = 0, showsBar: Bool = Console.isTerminal) {
        self.title = title
        self.showsBar = showsBar
        self.total = max(total, 1)
        start = (done, ContinuousClock.now)
    }

    /// Shows the number done, unless it was shown a moment ago.
    mutating func show(_ done: Int) {
        let now = ContinuousClock.now
        // More may have come since the total was asked for.
        let done = min(done, total)
        if showsBar {
            if let shownAt, shownAt.duration(to: now) < .milliseconds(100), done < total { return }
            shownAt = now
            let width = 30
            let filled = min(width, width * done / total)
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
            Console.overwrite(
                "\(title) \(bar) \(min(100, 100 * done / total)) %  \(done) of \(total)\(rate(done, now))"
            )
        } else {
            let tenth = 10 * done / total
            guard tenth > shownTenth else { return }
            shownTenth = tenth
            Console.note("\(title): \(10 * tenth) %, \(done) of \(total)\(rate(done, now))")
        }
    }

    /// Ends the bar's line.
    mutating func finish(_ done: Int) {
        show(done)
        if showsBar { Console.note("") }
    }

    /// Empty in the first second: a shorter time says little about the rate.
    private func rate(_ done: Int, _ now: ContinuousClock.Instant) -> String {
        let seconds = start.at.duration(to: now) / .seconds(1)
        return seconds < 1 ? "" : ", \(Int(Double(done - start.done) / seconds)) a second"
    }
}
