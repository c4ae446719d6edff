import Folds

struct PeriodColumns {
    private var app = Column(.int4), device = Column(.text), series = Column(.text), firstAt = Column(.timestamp)
    private var firstID = Column(.uuid), lastAt = Column(.timestamp), lastID = Column(.uuid), value = Column(.text)

    var count: Int { app.count }

    mutating func append(_ key: DeviceKey, _ name: StaticString, _ period: Periods.Period, _ vocabulary: Vocabulary) {
        app.append(key.app)
        device.append(key.id)
        series.append(name)
        firstAt.append(period.firstAt)
        firstID.append(period.firstID)
        lastAt.append(period.lastAt)
        lastID.append(period.lastID)
        value.append(period.value, in: vocabulary.values)
    }

    consuming func parameters() -> [Parameter] {
        [
            app.parameter(), device.parameter(), series.parameter(), firstAt.parameter(), firstID.parameter(),
            lastAt.parameter(),
            lastID.parameter(), value.parameter(),
        ]
    }
}

struct NotificationColumns {
    static let list: [(name: String, element: Column.Element)] = [
        ("app_id", .int4), ("device_id", .text), ("notification_id", .text), ("occurrence", .timestamp),
        ("cohort_at", .timestamp),
        ("shown_at", .timestamp), ("requested_at", .timestamp), ("scheduled_for", .timestamp),
        ("delivered_at", .timestamp),
        ("delivery_at", .timestamp), ("presentation_at", .timestamp), ("responded_at", .timestamp),
        ("dismissed_at", .timestamp),
        ("withdrawn_at", .timestamp), ("stages", .int4), ("said", .int4), ("requests", .int4),
        ("duplicate_callbacks", .int4),
        ("action_id", .text), ("category", .text), ("requested_category", .text), ("trigger", .text),
        ("interruption_level", .text),
        ("campaign", .text), ("variant", .text), ("thread", .text), ("platform", .text), ("os_version", .text),
        ("app_version", .text),
        ("locale", .text), ("time_zone", .text), ("facts", .bytes),
    ]
    static let names = list.map(\.name).joined(separator: ", ")
    static let values = list.dropFirst(4).map(\.name).joined(separator: ", ")
    static let changed = list.dropFirst(4).map { "k.\($0.name)" }.joined(separator: ", ")
    static let unnested = (1...list.count).map { "unnest($\($0))" }.joined(separator: ", ")
    static let unnestedNames = zip(list, 1...).map { "unnest($\($1)) AS \($0.name)" }.joined(separator: ", ")

    private var columns = list.map { Column($0.element) }

    var count: Int { columns[0].count }

    mutating func append(_ change: FoldArm.Change, _ vocabulary: Vocabulary, _ packed: inout [UInt8]) {
        let facts = change.after.facts
        let row = change.after.row
        columns[0].append(change.device.key.app)
        columns[1].append(change.device.key.id)
        columns[2].append(change.key.id)
        columns[3].append(change.key.occurrence)
        columns[4].append(moment: row.cohortAt)
        columns[5].append(moment: row.shownAt)
        columns[6].append(moment: facts.requestedAt)
        columns[7].append(moment: facts.scheduledFor)
        columns[8].append(moment: facts.deliveredAt)
        columns[9].append(moment: facts.deliveryAt)
        columns[10].append(moment: facts.presentationAt)
        columns[11].append(moment: facts.respondedAt)
        columns[12].append(moment: facts.dismissedAt)
        columns[13].append(moment: facts.withdrawnAt)
        columns[14].append(row.stages.rawValue)
        columns[15].append(Int32(facts.flags.rawValue))
        columns[16].append(facts.requests)
        columns[17].append(row.duplicateCallbacks)
        columns[18].append(facts.action.value, in: vocabulary.names)
        columns[19].append(facts.category.value, in: vocabulary.names)
        columns[20].append(facts.requestedCategory.value, in: vocabulary.names)
        columns[21].append(facts.trigger.value, in: vocabulary.names)
        columns[22].append(facts.interruptionLevel.value, in: vocabulary.names)
        columns[23].append(facts.campaign.value, in: vocabulary.names)
        columns[24].append(facts.variant.value, in: vocabulary.names)
        columns[25].append(facts.thread.value, in: vocabulary.names)
        columns[26].append(row.context.platform, in: vocabulary.names)
        columns[27].append(row.context.osVersion, in: vocabulary.names)
        columns[28].append(row.context.appVersion, in: vocabulary.names)
        columns[29].append(row.context.locale, in: vocabulary.names)
        columns[30].append(row.context.timeZone, in: vocabulary.names)
        packed.removeAll(keepingCapacity: true)
        facts.pack(into: &packed, vocabulary)
        packed.withUnsafeBytes { columns[31].append($0) }
    }

    consuming func parameters() -> [Parameter] { columns.map { $0.parameter() } }
}

struct ActionColumns {
    private var app = Column(.int4), device = Column(.text), notification = Column(.text),
        occurrence = Column(.timestamp)
    private var action = Column(.text), firstAt = Column(.timestamp), inExtension = Column(.int4),
        callbacks = Column(.int4)
    private var hasText = Column(.boolean), receivedAt = Column(.timestamp)

    var count: Int { app.count }

    mutating func append(_ change: FoldArm.Change, _ taken: NotificationFacts.Action, _ vocabulary: Vocabulary) {
        app.append(change.device.key.app)
        device.append(change.device.key.id)
        notification.append(change.key.id)
        occurrence.append(change.key.occurrence)
        action.append(taken.action, in: vocabulary.names)
        firstAt.append(taken.firstAt)
        inExtension.append(taken.inExtension)
        callbacks.append(taken.callbacks)
        hasText.append(taken.hasText ? 1 as UInt8 : 0)
        receivedAt.append(moment: taken.callbackReceivedAt)
    }

    consuming func parameters() -> [Parameter] {
        [
            app.parameter(), device.parameter(), notification.parameter(), occurrence.parameter(), action.parameter(),
            firstAt.parameter(), inExtension.parameter(), callbacks.parameter(), hasText.parameter(),
            receivedAt.parameter(),
        ]
    }
}

struct KeyColumns {
    static let unnested = """
        SELECT unnest($1) AS app_id, unnest($2) AS dimension, unnest($3) AS grain, unnest($4) AS bucket, unnest($5) AS category, \
        unnest($6) AS value
        """

    private var app = Column(.int4), dimension = Column(.text), grain = Column(.text), bucket = Column(.timestamp)
    private var category = Column(.text), value = Column(.text)

    var count: Int { app.count }

    mutating func append(_ key: Engagement.Key, _ vocabulary: Vocabulary) {
        app.append(key.app)
        dimension.append(key.dimension.name)
        grain.append(key.isDay ? "day" : "quarter_hour" as StaticString)
        bucket.append(key.bucket)
        category.append(key.category, in: vocabulary.names)
        value.append(key.value, in: vocabulary.names)
    }

    consuming func parameters() -> [Parameter] {
        [
            app.parameter(), dimension.parameter(), grain.parameter(), bucket.parameter(), category.parameter(),
            value.parameter(),
        ]
    }
}

struct LatencyColumns {
    private var outcome = Column(.text), appOpened = Column(.boolean), reached = Column(.boolean),
        timed = Column(.boolean)
    private var latency = Column(.int4), responses = Column(.int8)

    mutating func append(_ key: Engagement.LatencyKey, _ count: Int32) {
        switch key.outcome {
        case .opened: outcome.append("opened" as StaticString)
        case .acted: outcome.append("acted" as StaticString)
        case .replied: outcome.append("replied" as StaticString)
        case .dismissed: outcome.append("dismissed" as StaticString)
        }
        appOpened.append(key.appOpened ? 1 as UInt8 : 0)
        reached.append(key.reached ? 1 as UInt8 : 0)
        timed.append(key.timed ? 1 as UInt8 : 0)
        latency.append(key.latency)
        responses.append(Int64(count))
    }

    consuming func parameters() -> [Parameter] {
        [
            outcome.parameter(), appOpened.parameter(), reached.parameter(), timed.parameter(), latency.parameter(),
            responses.parameter(),
        ]
    }
}
