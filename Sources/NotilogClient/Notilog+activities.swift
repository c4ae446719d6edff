import Foundation

extension Notilog {
    private static let activityNote = "activities"

    /// Records a change of a Live Activity.
    ///
    /// - Parameters:
    ///   - activity: the activity, and who started it if it is new. Its state is ignored.
    ///   - phase: its state; `nil` if only the content is known.
    ///   - content: distinguishes its content from others.
    @discardableResult
    func recordChange(of activity: LiveActivity, _ phase: ActivityIndex.Phase?, content: UInt64?) -> [Receipt] {
        changeNote(Self.activityNote, ActivityIndex()) { index, now in
            index.see(activity.id, phase, content: content).map { state in
                var activity = activity
                activity.state = state
                if state != .started { (activity.startedBy, activity.updatesBy) = (nil, nil) }
                return .liveActivity(activity, at: now)
            }
        }.receipts
    }
}
