internal import Folds
internal import Postgres

/// Writes which settings people turned down, with the notifications before that.
extension NotificationFold {
    /// Writes them again for the devices of which the batch changed any, once it has written their periods and notifications.
    func writeSettingChanges(on connection: isolated Connection) async throws {
        let changed = devices.values.filter(\.hasOtherSettingChanges)
        // A version of an earlier release has neither the table nor the function.
        guard !changed.isEmpty, FoldVersion.has("setting_change", "changed_at") else { return }
        try await connection.query(
            "SELECT write_setting_changes($1, $2)",
            [Self.app.parameter(changed, symbols), Self.id.parameter(changed, symbols)]
        )
    }
}

extension DeviceBatch {
    /// Whether a change of its settings, or a notification that may be before one, is other than what is stored.
    fileprivate var hasOtherSettingChanges: Bool {
        if isErased || periods.settings.hasOtherChanges(than: known.settings) { return true }
        // Nearly all notifications are newer than the newest settings.
        guard let last = periods.settings.lastChangeAt else { return false }
        return notifications.values.contains { notification in
            let (before, after) = (
                notification.before?.beforeChanges(by: last), notification.after?.beforeChanges(by: last)
            )
            return before != after
        }
    }
}

/// What changes of settings keep of a notification that may be before them.
private struct NotificationBefore: Equatable {
    var cohortAt: Moment
    var category: Symbol
    var campaign: Symbol
}

extension Counted {
    /// Nil where it reached nobody, or came after the last change.
    fileprivate func beforeChanges(by last: Moment) -> NotificationBefore? {
        guard row.isReached, row.cohortAt != .none, row.cohortAt <= last else { return nil }
        return NotificationBefore(
            cohortAt: row.cohortAt,
            category: facts.category.value.orEmpty,
            campaign: facts.campaign.value.orEmpty
        )
    }
}
