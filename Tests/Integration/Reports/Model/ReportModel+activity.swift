import NotificationEvents
import Reports

extension ReportModel {
    /// What came in: the log's own events alone, as nothing else is counted where they are appended without the service.
    func activity(_ question: ModelQuestion) -> [Record] {
        let repeated = Set(LawRepeated(law.notifications).events.map(LawIdentity.init))
        let events = law.events.filter { passes(["kind": $0.kind], question) }
        return byInterval(events, question) { $0.receivedAt }.flatMap { interval, events in
            Dictionary(grouping: events, by: \.kind).map { kind, events in
                record(
                    interval,
                    question,
                    [
                        "kind": .name(kind), "events": .count(events.count), "duplicates": .count(0),
                        "rejected": .count(0), "rejected_by_code": .json("{}"), "quarantined": .count(0),
                        "quarantined_by_code": .json("{}"), "clamped": .count(events.count(where: \.isAhead)),
                        "duplicate_callbacks": kind == "action_response"
                            ? .count(events.count { repeated.contains(LawIdentity($0)) }) : .null,
                        "reused_identifiers": kind == "request"
                            ? .count(events.count { repeated.contains(LawIdentity($0)) }) : .null,
                    ]
                )
            }
        }
    }
}
