/// How far long work is: a bar where a person looks, a line now and then where not.
struct Progress {
    private let title: String
    private let total: Int
    /// How many were done at the beginning, and when that was.
    private let start: (done: Int, at: ContinuousClock.Instant)
    private var shownAt: ContinuousClock.Instant?
    private var shownTenth = 0

    /// - Parameters:
    ///   - title: what is being done.
    ///   - total: how many there are to do.
    ///   - done: how many are done already.
    init(_ title: String, total: Int, done: Int = 0) {
        self.title = title
        self.total = max(total, 1)
        start = (done, ContinuousClock.now)
    }

    /// Shows how many are done, unless it was shown just before.
    mutating func show(_ done: Int) {
        let now = ContinuousClock.now
        if Console.isTerminal {
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
        if Console.isTerminal { Console.note("") }
    }

    /// Nothing before a second is over: what was done in less says little of how fast it goes on.
    private func rate(_ done: Int, _ now: ContinuousClock.Instant) -> String {
        let seconds = start.at.duration(to: now) / .seconds(1)
        return seconds < 1 ? "" : ", \(Int(Double(done - start.done) / seconds)) a second"
    }
}
