import Foundation

extension Notilog {
    private static let activityNote = "activities"

    /// Records what is new of a Live Activity.
    ///
    /// - Parameters:
    ///   - activity: the activity, with who started it if it is new; its state is not looked at.
    ///   - phase: its state; `nil` where only the content is told.
    ///   - content: what tells its content from others.
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
