import Reports

extension ReportModel {
    /// A token with a device that had it, as it stood at some time.
    private struct Standing {
        let key: LawTokens.Key
        let state: String
        let lifetime: Int64?
    }

    private static let ends: Set = ["superseded", "moved", "invalidated"]

    func tokens(_ question: ModelQuestion) -> [Record] {
        let tokens = LawTokens(law.events)
        let dead = deadRequests(tokens, question)
        return question.intervals.flatMap { interval -> [Record] in
            let standing = standing(tokens, at: interval.ends, question)
            let ofDevice = Dictionary(grouping: standing.filter { $0.state == "active" }) {
                [$0.key.device, $0.key.kind.type, $0.key.activity]
            }.mapValues { Set($0.map(\.key.token)).count }
            var groups = Dictionary(grouping: standing) { Self.group($0.key.kind, $0.state) }
            let requests = dead[interval] ?? [:]
            for group in requests.keys where groups[group] == nil { groups[group] = [] }
            return groups.map { group, standing in
                let state = group[3] ?? ""
                let ghosts = Set(
                    standing.filter { ofDevice[[$0.key.device, group[1], $0.key.activity], default: 0] > 1 }
                        .map(\.key.device)
                )
                let isEnd = Self.ends.contains(state)
                return record(
                    interval,
                    question,
                    [
                        "provider": .name(group[0]), "type": .name(group[1]), "environment": .name(group[2]),
                        "state": .name(state), "tokens": .count(standing.count),
                        "devices": .count(Set(standing.map(\.key.device)).count),
                        "lifetime_p50": .percentile(0.5, ofMicroseconds: isEnd ? standing.compactMap(\.lifetime) : []),
                        "ghost_devices": state == "active" ? .count(ghosts.count) : .null,
                        "dead_requests": isEnd ? .count(requests[group] ?? 0) : .null,
                    ]
                )
            }
        }
    }

    private static func group(_ kind: LawTokens.Kind, _ state: String?) -> [String?] {
        [kind.provider, kind.type, kind.environment, state]
    }

    private func standing(_ tokens: LawTokens, at end: Int64, _ question: ModelQuestion) -> [Standing] {
        // What is said of a token later, as by an answer dated back, is known to a report of an earlier time, too.
        tokens.lives(before: end).compactMap { key, lives in
            guard passes(key.kind, question), let life = lives.last else { return nil }
            let acceptedAt = tokens.acceptedAt(key)
            let isMisdirected = life.misdirections.contains { !$0.isAcceptedSince || acceptedAt ?? 0 >= end }
            let isStale = life.registeredAt < end - question.staleAfter.microseconds
            return Standing(
                key: key,
                state: life.endedBy ?? (isMisdirected ? "misdirected" : isStale ? "stale" : "active"),
                lifetime: life.endedAt.map { $0 - life.firstAt }
            )
        }
    }

    private func passes(_ kind: LawTokens.Kind, _ question: ModelQuestion) -> Bool {
        passes(
            [
                "provider": kind.provider ?? "", "type": kind.type ?? "", "environment": kind.environment ?? "",
                "topic": kind.topic ?? "",
            ],
            question
        )
    }

    /// Requests sent to tokens after their end, each under the one life that it was most likely meant for.
    private func deadRequests(
        _ tokens: LawTokens,
        _ question: ModelQuestion
    ) -> [ModelQuestion.Interval: [[String?]: Int]] {
        let lives = tokens.lives(before: question.until)
            .filter { key, _ in passes(key.kind, question) }
            .flatMap { key, lives in lives.enumerated().map { (key: key, life: $1, turn: $0) } }
        var dead: [ModelQuestion.Interval: [[String?]: Int]] = [:]
        for request in law.events where request.kind == "request" && request.token != nil {
            guard let interval = question.interval(of: request.at) else { continue }
            let environment = request["push", "environment"]?.string ?? "production"
            let topic = request["push", "topic"]?.string ?? ""
            func rank(_ one: (key: LawTokens.Key, life: LawTokens.Life, turn: Int)) -> [String] {
                let kind = one.key.kind
                return [
                    kind.environment == environment ? "0" : "1", kind.topic == topic ? "0" : "1",
                    String(Int64.max - one.life.registeredAt), kind.provider ?? "", kind.type ?? "",
                    kind.environment ?? "", kind.topic ?? "", one.key.activity, String(Int64.max - Int64(one.turn)),
                ]
            }
            let meant = lives.filter {
                $0.key.device == request.device && $0.key.token == request.token
                    && $0.life.registeredAt <= request.at
            }
            .min { rank($0).lexicographicallyPrecedes(rank($1)) }
            guard let meant, let endedAt = meant.life.endedAt, endedAt < request.at else { continue }
            dead[interval, default: [:]][Self.group(meant.key.kind, meant.life.endedBy), default: 0] += 1
        }
        return dead
    }
}
