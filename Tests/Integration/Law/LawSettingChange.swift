import Foundation

/// A setting turned down on a device, between two snapshots.
struct LawSettingChange {
    let device: String
    let setting: String
    let unchangedAt: Int64
    let changed: LawEvent
    var changedAt: Int64 { changed.at }

    /// The softer settings, by the columns of `opt_outs` that count them.
    static let softer = [
        "alert": "alert_off", "sound": "sound_off", "badge": "badge_off", "lock_screen": "lock_screen_off",
        "notification_center": "notification_center_off", "time_sensitive": "time_sensitive_off",
        "scheduled_delivery": "scheduled_delivery_on",
    ]

    /// Whether a snapshot has a setting on; nil where it does not tell.
    private static func isOn(_ setting: String, _ snapshot: LawValue) -> Bool? {
        let status = snapshot["authorization_status"]?.string
        if setting == "authorization_status" {
            switch status {
            case "denied": return false
            case "authorized", "provisional", "ephemeral": return true
            default: return nil
            }
        }
        guard status == "authorized" || status == "ephemeral" else { return nil }
        switch snapshot[setting]?.string {
        case "enabled": return setting != "scheduled_delivery"
        case "disabled": return setting == "scheduled_delivery"
        default: return nil
        }
    }

    /// Every change seen by a time.
    static func all(_ devices: LawDevices, by asOf: Int64 = .max) -> [LawSettingChange] {
        devices.settings.flatMap { device, snapshots in
            (["authorization_status"] + softer.keys).flatMap { setting in
                var changes: [LawSettingChange] = []
                var last: (at: Int64, isOn: Bool)?
                for snapshot in snapshots where snapshot.at <= asOf {
                    guard let isOn = isOn(setting, snapshot.value) else { continue }
                    if let last, last.isOn, !isOn {
                        changes.append(
                            LawSettingChange(
                                device: device,
                                setting: setting,
                                unchangedAt: last.at,
                                changed: snapshot.event
                            )
                        )
                    }
                    last = (snapshot.at, isOn)
                }
                return changes
            }
        }
    }

    /// Whether a notification that reached a device at a time may be why.
    func mayBeDue(to device: String, at cohort: Int64) -> Bool {
        self.device == device && unchangedAt < cohort && cohort <= changedAt
    }

    private struct Before: Comparable {
        let cohort: Int64
        let category: String
        let campaign: String

        static func < (left: Before, right: Before) -> Bool {
            // As PostgreSQL orders bytes.
            left.cohort != right.cohort
                ? left.cohort < right.cohort
                : left.category != right.category
                    ? left.category.utf8.lexicographicallyPrecedes(right.category.utf8)
                    : left.campaign.utf8.lexicographicallyPrecedes(right.campaign.utf8)
        }
    }

    /// The row that keeps it, with the notifications before it.
    func row(_ notifications: [LawNotification]) -> LawRow {
        let before = notifications.compactMap { one -> Before? in
            guard let cohort = one.cohortAt, one.reached, mayBeDue(to: one.device, at: cohort) else { return nil }
            return Before(cohort: cohort, category: one.category ?? "", campaign: one.campaign ?? "")
        }.sorted()
        var row: LawRow = ["device_id": device, "setting": setting, "changed_id": "\(changed.id)"]
        row.set("changed_at", changedAt)
        row.set("unchanged_at", unchangedAt)
        row["cohort_ats"] = Self.json(before.map(\.cohort))
        row["categories"] = Self.json(before.map(\.category))
        row["campaigns"] = Self.json(before.map(\.campaign))
        return row
    }

    /// An array as PostgreSQL writes it as JSON.
    private static func json(_ array: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(array)).map { String(decoding: $0, as: UTF8.self) }
    }
}
