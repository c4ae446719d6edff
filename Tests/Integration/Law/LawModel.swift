/// What the projections should hold, computed from semantics.md by plain loops over the whole set of events.
///
/// It shares no code with Notilog and never looks at the SQL: where they differ, one of them is wrong.
struct LawModel {
    /// Each stored event once, in the tie order.
    let events: [LawEvent]
    let devices: LawDevices
    let categories: LawCategories

    init(_ events: [LawEvent]) {
        var seen: Set<LawIdentity> = []
        self.events = events.filter { seen.insert(LawIdentity($0)).inserted }.sorted(by: LawEvent.isBefore)
        devices = LawDevices(self.events)
        categories = LawCategories(self.events)
    }

    /// The rows that each table should have.
    ///
    /// - Parameters:
    ///   - bounds: the upper bounds of the latency buckets, in microseconds.
    ///   - tokenEvents: the most events of a device or a token of which states are computed.
    func rows(bounds: [Int64], tokenEvents: Int = 10_000) -> [LawTable: [LawRow]] {
        let notifications = self.notifications
        let tokens = LawTokens(events, most: tokenEvents)
        return [
            .devicePeriod: devices.periodRows,
            .deviceSettings: devices.settingsRows,
            .deviceSettingsHistory: devices.historyRows,
            .category: categories.rows,
            .categoryAction: categories.actionRows,
            .notification: notifications.map(\.row),
            .notificationAction: notifications.flatMap(\.actionRows),
            .notificationEnding: notifications.compactMap(\.endingRow),
            .categoryWalk: [],
            .categoryChange: [],
            .deviceWalk: [],
            .skippedNotification: [],
            .categoryVersions: categories.versionRows,
            .deviceExtension: devices.withExtension.sorted().map { ["device_id": $0] },
            .liveActivityAccepted: notifications.compactMap(\.acceptedActivityPushRow),
            .engagement: LawEngagement(notifications).rows,
            .engagementLatency: LawEngagement(notifications).latencyRows(bounds: bounds),
            .presence: LawPresence(notifications).rows,
            .presenceCount: LawPresence(notifications).countRows,
            .cohortZone: LawCohort(notifications).zoneRows,
            .cohortOutcome: LawCohort(notifications).outcomeRows(bounds: bounds),
            .cohortReach: LawCohort(notifications).reachRows,
            .deviceWeek: LawCohort(notifications).weekRows,
            .settingChange: LawSettingChange.all(devices).map { $0.row(notifications) },
            .settingExcess: [],
            .variantDay: LawVariants(notifications).dayRows,
            .variantCrossed: LawVariants(notifications).crossedRows,
            .variantPair: LawVariants(notifications).pairRows,
            .cohortExtensionCount: LawCohortEvents(notifications, bounds: bounds).extensionRows,
            .cohortExtensionDuration: LawCohortEvents(notifications, bounds: bounds).durationRows,
            .cohortActionCount: LawCohortEvents(notifications, bounds: bounds).actionRows,
            .cohortActionLatency: LawCohortEvents(notifications, bounds: bounds).latencyRows,
            .cohortRemovalCount: LawCohortEvents(notifications, bounds: bounds).removalRows,
            .repeated: LawRepeated(notifications).rows,
            .deviceToken: tokens.rows,
            .deviceExcess: tokens.excess.devices.map { ["device_id": $0] },
            .tokenExcess: tokens.excess.tokens.map { ["device_id": "", "token": $0] },
            .tokenEnd: tokens.endRows,
            .tokenRequest: tokens.requestRows(events),
            .pushResult: LawSideEvents(events).pushResults,
            .notificationRemoval: LawSideEvents(events).removals,
            .notificationExtension: LawSideEvents(events).extensions,
            .authorizationRequest: LawSideEvents(events).authorizationRequests,
            .openSettings: LawSideEvents(events).openSettings,
            .conversion: LawOutcomes(events).conversions,
            .appOpen: LawOutcomes(events).opens,
            .holdout: LawOutcomes(events).holdouts,
            .permissionPrompt: LawOutcomes(events).prompts,
            .liveActivity: LawOutcomes(events).activities,
            .liveActivityPush: LawOutcomes(events).activityPushes,
        ]
    }
}

/// One row as text, by column; NULL is left out.
typealias LawRow = [String: String]

extension LawRow {
    /// Sets a column, as PostgreSQL writes the value as text; times are microseconds since 1970.
    mutating func set(_ column: String, _ value: (some CustomStringConvertible)?) {
        self[column] = value?.description
    }
}
