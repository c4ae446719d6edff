/// Actions, removals and runs of service extensions, counted by the day of their notification's cohort, one at a time.
struct LawCohortEvents {
    private static let hour: Int64 = 3_600_000_000
    private static let windows = [1, 6, 24, 72, 168, 720].map { $0 * hour }

    private let notifications: [(one: LawNotification, cohort: Int64)]
    private let bounds: [Int64]

    /// - Parameter bounds: the upper bounds of the latency buckets, in microseconds.
    init(_ notifications: [LawNotification], bounds: [Int64]) {
        self.notifications = notifications.compactMap { one in one.cohortAt.map { (one, $0) } }
        self.bounds = bounds
    }

    private func cell(_ cohort: Int64, _ columns: LawRow) -> LawRow {
        columns.merging(["bucket": "\(cohort - cohort % (24 * Self.hour))"]) { first, _ in first }
    }

    /// The number of the least window that a time lies in, 0 for none.
    private func within(_ time: Int64?) -> Int { time.map { time in 1 + Self.windows.count { $0 < time } } ?? 0 }

    /// Cells that are alike as one row, with sums of their amounts.
    private func added(_ cells: [(cell: LawRow, amounts: [String: Int])]) -> [LawRow] {
        Dictionary(grouping: cells, by: \.cell).map { cell, alike in
            let names = Set(alike.flatMap(\.amounts.keys))
            return names.reduce(into: cell) { row, name in
                row.set(name, alike.reduce(0) { $0 + ($1.amounts[name] ?? 0) })
            }
        }
    }

    private var runs: [(one: LawNotification, cohort: Int64, run: LawEvent)] {
        notifications.flatMap { one, cohort in
            one.deliveries.filter { $0["source"] == "service_extension" }.map { (one, cohort, $0) }
        }
    }

    var extensionRows: [LawRow] {
        added(
            runs.map { one, cohort, run in
                let (loaded, failed) = (run["extension", "attachments_loaded"], run["extension", "attachments_failed"])
                let cell = cell(
                    cohort,
                    [
                        "app_version": one.context?["app_version"]?.string ?? "",
                        "outcome": run["extension", "outcome"]?.string ?? "", "reached": "\(one.reached)",
                        "within": "\(within(one.respondedAt.map { $0 - (one.shownAt ?? cohort) }))",
                    ]
                )
                return (
                    cell,
                    [
                        "runs": 1, "attachments_loaded": Int(loaded?.integer ?? 0),
                        "loaded_runs": loaded == nil ? 0 : 1, "attachments_failed": Int(failed?.integer ?? 0),
                        "failed_runs": failed == nil ? 0 : 1,
                    ]
                )
            }
        )
    }

    var durationRows: [LawRow] {
        added(
            runs.compactMap { one, cohort, run in
                run["extension", "duration_ms"]?.integer.map { duration in
                    let version = one.context?["app_version"]?.string ?? ""
                    return (cell(cohort, ["app_version": version, "duration_ms": "\(duration)"]), ["runs": 1])
                }
            }
        )
    }

    /// A press on a notification, or its dismissal.
    private struct Press {
        let one: LawNotification
        let cohort: Int64
        let action: String
        let isDismissal: Bool
        let at: Int64
        let presses: Int

        var key: LawRow {
            ["category": one.category ?? "", "action_id": action, "is_dismissal": "\(isDismissal)"]
        }
    }

    private var presses: [Press] {
        notifications.flatMap { one, cohort in
            var presses = one.actions.map { action in
                let isPressedOnce = action.elsewhere.count > 0 && action.inExtension == 0
                return Press(
                    one: one,
                    cohort: cohort,
                    action: action.id,
                    isDismissal: false,
                    at: action.callbacks[0].at,
                    presses: isPressedOnce ? 1 : action.inExtension
                )
            }
            if let at = one.dismissedAt {
                presses.append(
                    Press(one: one, cohort: cohort, action: "dismiss", isDismissal: true, at: at, presses: 1)
                )
            }
            return presses
        }
    }

    var actionRows: [LawRow] {
        added(
            presses.map { press in
                let one = press.one
                var cell = cell(press.cohort, press.key)
                cell["app_version"] = one.context?["app_version"]?.string ?? ""
                cell.set("counts", press.isDismissal ? one.dismissObservable : one.reached)
                cell.set("response_only", one.responseOnly)
                cell.set("within", within(press.at - (one.shownAt ?? press.cohort)))
                return (cell, ["notifications": 1, "presses": press.presses])
            }
        )
    }

    var latencyRows: [LawRow] {
        added(
            presses.compactMap { press in
                guard let shown = press.one.shownAt, !press.one.responseOnly else { return nil }
                var cell = cell(press.cohort, press.key)
                cell.set("latency", LawOutcome.bucket(press.at - shown, bounds))
                return (cell, ["notifications": 1])
            }
        )
    }

    var removalRows: [LawRow] {
        added(
            notifications.flatMap { one, cohort in
                Dictionary(grouping: one.events("removal")) { $0["reason"]?.string ?? "" }.map { reason, removals in
                    func isIn(_ state: String) -> Bool { removals.contains { ($0["state"]?.string ?? "") == state } }
                    let delivered = removals.first { $0["state"] == "delivered" }?.at
                    let took = delivered.flatMap { at in one.shownAt.map { at - $0 } }
                    var cell = cell(cohort, ["category": one.category ?? "", "reason": reason])
                    cell.set("pending", isIn("pending"))
                    cell.set("delivered", delivered != nil)
                    cell.set("unstated", isIn(""))
                    cell.set("withdrawn", one.withdrawn && isIn("pending"))
                    cell.set("responded", one.responded)
                    cell.set("response_only", one.responseOnly)
                    cell.set("latency", took.map { LawOutcome.bucket($0, bounds) } ?? -1)
                    return (cell, ["notifications": 1])
                }
            }
        )
    }
}
