import Folds

/// What the arm writes: what changed, one statement a table and kind of change.
extension FoldArm {
    func writeDevices(_ batch: Batch) throws {
        var gone = PeriodColumns()
        var new = PeriodColumns()
        var moved = PeriodColumns()
        var apps = Column(.int4)
        var extended = Column(.text)
        for entry in batch.devices {
            let key = entry.device.key
            let periods = entry.device.periods
            if periods.extends, !entry.before.extends {
                apps.append(key.app)
                extended.append(key.id)
            }
            for (series, old, now) in [
                ("context", entry.before.context, periods.context),
                ("settings", entry.before.settings, periods.settings),
            ] as [(StaticString, Periods, Periods)] where old != now {
                for period in old.list where !now.list.contains(where: { $0.isSame(as: period) }) {
                    gone.append(key, series, period, vocabulary)
                }
                for period in now.list {
                    guard let known = old.list.first(where: { $0.isSame(as: period) }) else {
                        new.append(key, series, period, vocabulary)
                        continue
                    }
                    if known != period { moved.append(key, series, period, vocabulary) }
                }
            }
        }
        let same =
            "(p.app_id, p.device_id, p.series, p.first_at, p.first_id) = (k.app_id, k.device_id, k.series, k.first_at, k.first_id)"
        let said = """
            SELECT unnest($1) AS app_id, unnest($2) AS device_id, unnest($3) AS series, unnest($4) AS first_at, unnest($5) AS first_id, \
            unnest($6) AS last_at, unnest($7) AS last_id, unnest($8)::jsonb AS value
            """
        if gone.count > 0 {
            try session.query(
                "DELETE FROM \(schema).device_period p USING (\(said)) k WHERE \(same)",
                gone.parameters()
            )
        }
        if moved.count > 0 {
            try session.query(
                "UPDATE \(schema).device_period p SET last_at = k.last_at, last_id = k.last_id FROM (\(said)) k WHERE \(same)",
                moved.parameters()
            )
        }
        if new.count > 0 { try session.query("INSERT INTO \(schema).device_period \(said)", new.parameters()) }
        if extended.count > 0 {
            try session.query(
                "INSERT INTO \(schema).device_extension SELECT unnest($1), unnest($2)",
                [apps.parameter(), extended.parameter()]
            )
        }
    }

    /// Registered categories, a row each: there are few.
    func writeCategories(_ batch: Batch) throws {
        var seen: Set<Categories.Key> = []
        var apps = Column(.int4)
        var versions = Column(.text)
        var ids = Column(.text)
        var at = Column(.timestamp)
        var devices = Column(.text)
        var events = Column(.uuid)
        var first = Column(.timestamp)
        var dismiss = Column(.boolean)
        var definitions = Column(.text)
        for (app, key) in batch.registered where seen.insert(key).inserted {
            guard let registration = categories[app]?.registrations[key] else { continue }
            apps.append(app)
            versions.append(key.version, in: vocabulary.names)
            ids.append(key.category, in: vocabulary.names)
            at.append(registration.said.at)
            devices.append(registration.said.device)
            events.append(registration.said.id)
            first.append(registration.said.firstAt)
            dismiss.append(registration.behaviour.customDismiss ? 1 as UInt8 : 0)
            definitions.append(registration.definition, in: categories[app]?.definitions ?? ByteTable())
        }
        if seen.isEmpty { return }
        try session.query(
            """
            INSERT INTO \(schema).category SELECT unnest($1), unnest($2), unnest($3), unnest($4), unnest($5), unnest($6), unnest($7), unnest($8),
              unnest($9)::jsonb
            ON CONFLICT (app_id, category_id, app_version) DO UPDATE SET registered_at = excluded.registered_at, device_id = excluded.device_id,
              id = excluded.id, first_at = excluded.first_at, custom_dismiss = excluded.custom_dismiss, definition = excluded.definition
            """,
            [
                apps.parameter(), versions.parameter(), ids.parameter(), at.parameter(), devices.parameter(),
                events.parameter(),
                first.parameter(), dismiss.parameter(), definitions.parameter(),
            ]
        )
    }

    func writeNotifications(_ batch: Batch) throws {
        var new = NotificationColumns()
        var changed = NotificationColumns()
        var actions = ActionColumns()
        var packed: [UInt8] = []
        for change in batch.changes {
            if change.before == nil {
                new.append(change, vocabulary, &packed)
            } else {
                changed.append(change, vocabulary, &packed)
            }
            if change.after.facts.actions != change.before?.facts.actions ?? [] {
                for action in change.after.facts.actions { actions.append(change, action, vocabulary) }
            }
        }
        if new.count > 0 {
            try session.query(
                "INSERT INTO \(schema).notification (\(NotificationColumns.names)) SELECT \(NotificationColumns.unnested)",
                new.parameters()
            )
        }
        if changed.count > 0 {
            try session.query(
                """
                UPDATE \(schema).notification n SET (\(NotificationColumns.values)) = ROW(\(NotificationColumns.changed))
                FROM (SELECT \(NotificationColumns.unnestedNames)) k
                WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (k.app_id, k.device_id, k.notification_id, k.occurrence)
                """,
                changed.parameters()
            )
        }
        if actions.count > 0 {
            try session.query(
                """
                INSERT INTO \(schema).notification_action SELECT unnest($1), unnest($2), unnest($3), unnest($4), unnest($5), unnest($6), unnest($7),
                  unnest($8), unnest($9), unnest($10)
                ON CONFLICT (app_id, device_id, notification_id, occurrence, action_id) DO UPDATE SET first_at = excluded.first_at,
                  in_extension = excluded.in_extension, callbacks = excluded.callbacks, has_text = excluded.has_text,
                  callback_received_at = excluded.callback_received_at
                """,
                actions.parameters()
            )
        }
    }

    func writeEngagement() throws {
        try writeMeasures()
        try writeLatencies()
    }

    private func writeMeasures() throws {
        var keys = KeyColumns()
        var gone = KeyColumns()
        var measures = [Column](repeating: Column(.int8), count: Engagement.measures)
        for (key, place) in engagement.places {
            let sums = engagement.sums[place..<place + Engagement.measures]
            guard sums.contains(where: { $0 != 0 }) else { continue }
            keys.append(key, vocabulary)
            for (index, sum) in sums.enumerated() { measures[index].append(Int64(sum)) }
            if engagement.sums[place] < 0 { gone.append(key, vocabulary) }
        }
        if keys.count == 0 { return }
        try session.query(
            """
            INSERT INTO \(schema).engagement AS e (app_id, dimension, grain, bucket, category, value, \(Self.measureNames.joined(separator: ", ")))
            SELECT \((1...6 + Engagement.measures).map { "unnest($\($0))" }.joined(separator: ", "))
            ON CONFLICT (app_id, dimension, grain, bucket, category, value) DO UPDATE SET
              \(Self.measureNames.map { "\($0) = e.\($0) + excluded.\($0)" }.joined(separator: ", "))
            """,
            keys.parameters() + measures.map { $0.parameter() }
        )
        if gone.count > 0 {
            try session.query(
                """
                DELETE FROM \(schema).engagement e USING (\(KeyColumns.unnested)) k
                WHERE CASE e.notifications WHEN 0 THEN true END
                  AND (e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value) = (k.app_id, k.dimension, k.grain, k.bucket, k.category, k.value)
                """,
                gone.parameters()
            )
        }
    }

    private func writeLatencies() throws {
        var keys = KeyColumns()
        var rest = LatencyColumns()
        var goneKeys = KeyColumns()
        var gone = LatencyColumns()
        for (key, count) in engagement.latencies where count != 0 {
            keys.append(key.key, vocabulary)
            rest.append(key, count)
            if count < 0 {
                goneKeys.append(key.key, vocabulary)
                gone.append(key, count)
            }
        }
        if keys.count == 0 { return }
        let columns = "app_id, dimension, grain, bucket, category, value, outcome, app_opened, reached, timed, latency"
        try session.query(
            """
            INSERT INTO \(schema).engagement_latency AS e (\(columns), responses)
            SELECT \((1...12).map { "unnest($\($0))" }.joined(separator: ", "))
            ON CONFLICT (\(columns)) DO UPDATE SET responses = e.responses + excluded.responses
            """,
            keys.parameters() + rest.parameters()
        )
        if goneKeys.count > 0 {
            try session.query(
                """
                DELETE FROM \(schema).engagement_latency e
                USING (SELECT \(zip(columns.split(separator: ", "), 1...).map { "unnest($\($1)) AS \($0)" }.joined(separator: ", ")), unnest($12)) k
                WHERE CASE e.responses WHEN 0 THEN true END
                  AND (\(columns.split(separator: ", ").map { "e.\($0)" }.joined(separator: ", ")))
                    = (\(columns.split(separator: ", ").map { "k.\($0)" }.joined(separator: ", ")))
                """,
                goneKeys.parameters() + gone.parameters()
            )
        }
    }

    static let measureNames = [
        "notifications", "requested", "failed", "reached", "reached_seen", "reached_assumed", "delivered", "presented",
        "suppressed",
        "silent", "responded", "opened", "acted", "replied", "app_opened", "dismissed", "withdrawn", "response_only",
        "delivered_seen", "presented_seen", "dismiss_observable", "dismiss_observed", "delivery_observable",
        "delivery_observed",
        "updates", "duplicate_callbacks",
    ]
}

extension Periods.Period {
    /// Whether it is one row with another.
    func isSame(as other: Periods.Period) -> Bool {
        firstAt == other.firstAt && firstID == other.firstID && value == other.value
    }
}
