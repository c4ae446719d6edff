/// What is known about the app's Live Activities. ActivityKit's streams repeat the present state to each new listener,
/// and a restarted app hears of known activities again. The index ensures that each change is recorded once.
struct ActivityIndex: Codable, Equatable {
    struct Known: Codable, Equatable {
        var id: String
        var phase: Phase
        var content: UInt64?
    }

    /// Apple: `ActivityState`, as far as it says what happened.
    enum Phase: String, Codable, Sendable {
        case active, stale, ended, dismissed

        var state: Notilog.LiveActivity.State? {
            switch self {
            case .active: nil
            case .stale: .stale
            case .ended: .ended
            case .dismissed: .dismissed
            }
        }

        var isOver: Bool { self == .ended || self == .dismissed }
    }

    /// An app has a handful at a time, of twelve hours at most.
    static let limit = 64

    private(set) var known: [Known] = []

    /// Takes the present state of an activity.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - phase: its state; `nil` if only the content is known.
    ///   - content: distinguishes its content from others; `nil` if only the state is known.
    /// - Returns: the changes, in order.
    mutating func see(_ id: String, _ phase: Phase?, content: UInt64?) -> [Notilog.LiveActivity.State] {
        guard let index = known.firstIndex(where: { $0.id == id }) else {
            // One that is planned has no phase yet.
            guard let phase else { return [] }
            known.append(Known(id: id, phase: phase, content: content))
            known.removeFirst(max(0, known.count - Self.limit))
            return [.started] + (phase.state.map { [$0] } ?? [])
        }
        var states: [Notilog.LiveActivity.State] = []
        let before = known[index]
        // The content that an activity ends with is no update of it.
        if let content, content != before.content {
            known[index].content = content
            if before.content != nil, !before.phase.isOver, phase?.isOver != true { states.append(.updated) }
        }
        // An ended activity may still be dismissed; nothing comes after that.
        let isLate = before.phase == .dismissed || before.phase == .ended && phase != .dismissed
        if let phase, phase != before.phase, !isLate {
            known[index].phase = phase
            if let state = phase.state { states.append(state) }
        }
        return states
    }
}
