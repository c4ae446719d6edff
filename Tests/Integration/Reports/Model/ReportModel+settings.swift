import Reports

extension ReportModel {
    /// What a device's newest snapshot before a time says of a setting ("" where it leaves it out); nil before any.
    private func state(_ setting: String, of device: String, before time: Int64) -> String? {
        guard let snapshot = law.devices.settings[device]?.last(where: { $0.at < time }) else { return nil }
        let value = snapshot.value[setting]
        return value?.string ?? value?.boolean.map { "\($0)" } ?? ""
    }

    /// The devices whose latest context before the end, else their earliest, passes the filters, and whose newest settings
    /// before the end do.
    private func devices(_ question: ModelQuestion) -> [String] {
        law.devices.settings.keys.filter { device in
            guard !question.filters.isEmpty else { return true }
            // Of a device without any context nothing is known: it is among those of an empty value.
            let known = law.devices.contexts[device] ?? []
            let context = (known.last { $0.at < question.until } ?? known.first)?.value
            let values = ["platform", "os_version", "app_version", "locale"].map { ($0, context?[$0]?.string ?? "") }
            let status = state("authorization_status", of: device, before: question.until) ?? ""
            return passes(
                Dictionary(
                    uniqueKeysWithValues: values + [("authorization_status", status.isEmpty ? "unknown" : status)]
                ),
                question
            )
        }
    }

    func settings(_ question: ModelQuestion) -> [Record] {
        let devices = devices(question)
        return question.intervals.flatMap { interval -> [Record] in
            let pairs = devices.compactMap { device -> (before: String?, after: String)? in
                state(question.setting, of: device, before: interval.ends).map {
                    (state(question.setting, of: device, before: interval.begins), $0)
                }
            }
            let states = Set(pairs.map(\.after)).union(pairs.compactMap(\.before))
            return states.compactMap { state in
                let here = pairs.filter { $0.after == state }
                let left = pairs.count { $0.before == state && $0.after != state }
                guard !here.isEmpty || left > 0 else { return nil }
                let entered = here.compactMap(\.before).filter { $0 != state }
                let from = Dictionary(grouping: entered) { $0.isEmpty ? "unknown" : $0 }
                return record(
                    interval,
                    question,
                    [
                        "state": .name(state), "devices": .count(here.count), "share": .rate(here.count, pairs.count),
                        "appeared": .count(here.count { $0.before == nil }), "entered": .count(entered.count),
                        "left": .count(left),
                        "entered_from": .json(LawValue.object(from.mapValues { .integer(Int64($0.count)) }).text),
                    ]
                )
            }
        }
    }
}
