extension LawDevices {
    var periodRows: [LawRow] {
        (Self.periods("context", contexts) + Self.periods("settings", settings)).joined().map { period in
            var row: LawRow = ["device_id": period.device, "series": period.series, "value": period.value.text]
            row.set("first_at", period.first.at)
            row.set("first_id", period.first.id)
            row.set("last_at", period.last.at)
            row.set("last_id", period.last.id)
            return row
        }
    }

    /// The newest settings of each device.
    var settingsRows: [LawRow] {
        Self.periods("settings", settings).map { periods in
            let newest = periods[periods.count - 1]
            var row: LawRow = ["device_id": newest.device]
            row.set("first_seen_at", periods[0].first.at)
            row.set("last_seen_at", newest.last.at)
            row.set("since", newest.first.at)
            for (name, value) in newest.value.object { row[name] = value.string ?? value.text }
            return row
        }
    }

    /// Each period of settings with the last snapshot before it and the first one after.
    var historyRows: [LawRow] {
        Self.periods("settings", settings).flatMap { periods in
            periods.indices.map { index in
                let period = periods[index]
                var row: LawRow = ["device_id": period.device, "settings": period.value.text]
                row.set("previous_at", index == 0 ? nil : periods[index - 1].last.at)
                row.set("first_at", period.first.at)
                row.set("last_at", period.last.at)
                row.set("ended_at", index == periods.count - 1 ? nil : periods[index + 1].first.at)
                row.set("authorization_status", period.value["authorization_status"]?.string)
                return row
            }
        }
    }
}
