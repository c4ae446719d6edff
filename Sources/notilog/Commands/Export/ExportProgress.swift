import Exports
import Synchronization

/// The progress of a run, shown if it takes longer than a moment.
final class ExportProgress: Sendable {
    private struct State {
        var range: ExportRange
        var begun = ContinuousClock.now
        var bar: Progress?
    }

    private let title: String
    private let state = Mutex<State?>(nil)

    init(_ title: String) {
        self.title = title
    }

    /// Shows up to which number a range was read.
    func show(_ range: ExportRange, _ reached: Int64) {
        state.withLock { state in
            var now = state.flatMap { $0.range == range ? $0 : nil } ?? State(range: range)
            defer { state = now }
            if now.bar == nil {
                guard now.begun.duration(to: .now) > .seconds(2) else { return }
                now.bar = Progress(title, total: Int(range.upTo - range.after))
            }
            let done = Int(reached - range.after)
            if reached == range.upTo { now.bar?.finish(done) } else { now.bar?.show(done) }
        }
    }
}
