import Reports

extension ReportModel {
    func reachability(_ question: ModelQuestion) -> [Record] {
        func key(_ one: Counted) -> [String] { question.by.map { one.dimensions[$0] ?? "" } }
        let covered = passing(question).filter {
            question.covers($0.cohort) && $0.one.requested && $0.one.isAlerting
        }
        let tokens = LawTokens(law.events)
        let kept = KeptKeys(covered.map { (key($0), 1) }, limit: question.limit)
        return byInterval(covered, question, at: \.cohort).flatMap { interval, notifications in
            Dictionary(grouping: notifications) { kept.own(key($0)) }.flatMap { own, group -> [Record] in
                Dictionary(grouping: group) { LawReach($0.one, tokens).rawValue }.map { name, members -> Record in
                    let reached = members.filter(\.isReached)
                    let engaged = reached.count { $0.isEngaged(within: question.window.microseconds) }
                    var values = kept.columns(question.by, own)
                    values["class"] = .text(name)
                    values["notifications"] = .count(members.count)
                    values["share"] = .rate(members.count, group.count)
                    values["reached"] = .count(reached.count)
                    values["engaged"] = .count(engaged)
                    values["engagement_rate"] = .rate(engaged, reached.count)
                    values["engagement_rate_low"] = .wilson(engaged, reached.count, isLow: true)
                    values["engagement_rate_high"] = .wilson(engaged, reached.count, isLow: false)
                    return record(interval, question, values)
                }
            }
        }
    }
}
