import NotificationEvents
import Reports

extension ReportModel {
    /// What came in: the log's own events alone, as nothing else is counted where they are appended without the service.
    func activity(_ question: ReportQuestion) -> [Record] {
        let (again, reused) = (Set(duplicateCallbacks.map(LawIdentity.init)), Set(updates.map(LawIdentity.init)))
        let events = law.events.filter { passes(["kind": $0.kind], question) }
        return byInterval(events, question) { _ in LawCase.receivedAt.microseconds }.flatMap { interval, events in
            Dictionary(grouping: events, by: \.kind).map { kind, events in
                record(
                    interval,
                    question,
                    [
                        "kind": .name(kind), "events": .count(events.count), "duplicates": .count(0),
                        "rejected": .count(0), "rejected_by_code": .json("{}"), "quarantined": .count(0),
                        "quarantined_by_code": .json("{}"), "clamped": .count(0),
                        "duplicate_callbacks": kind == "action_response"
                            ? .count(events.count { again.contains(LawIdentity($0)) }) : .null,
                        "reused_identifiers": kind == "request"
                            ? .count(events.count { reused.contains(LawIdentity($0)) }) : .null,
                    ]
                )
            }
        }
    }

    /// The app hears of one press more than once where a content extension handled it first, or it was told twice.
    private var duplicateCallbacks: [LawEvent] {
        law.notifications.flatMap { notification in
            Dictionary(grouping: notification.responses) { $0["action_id"]?.string }.values.flatMap { responses in
                let own = responses.filter { $0["delegate"] != "content_extension" }
                    .sorted { ($0.at, $0.id) < ($1.at, $1.id) }
                return own.count < responses.count ? own : Array(own.dropFirst())
            }
        }
    }

    /// Requests under an identifier that has one: they take the place of what is shown.
    private var updates: [LawEvent] {
        law.notifications.flatMap { $0.requests.sorted { ($0.at, $0.id) < ($1.at, $1.id) }.dropFirst() }
    }
}
