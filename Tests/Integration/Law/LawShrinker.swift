/// Makes a case that breaks the law as small as it gets by leaving events out.
struct LawShrinker {
    let seed: UInt64

    /// The smallest case found, and what is wrong with it.
    func smallest(_ one: LawCase, _ verdict: String) async throws -> (LawCase, String) {
        var (one, verdict) = (one, verdict)
        var piece = max(1, one.events.count / 2)
        while true {
            let starts = stride(from: 0, to: one.events.count, by: piece)
            let candidates = starts.map { start in one.keeping { $0 < start || $0 >= start + piece } }
                .filter { !$0.events.isEmpty }
            let verdicts = try await LawTrial(cases: candidates, seed: seed).verdictsOfEach()
            if let index = verdicts.firstIndex(where: { $0 != nil }), let found = verdicts[index] {
                (one, verdict) = (candidates[index], found)
                piece = min(piece, max(1, one.events.count / 2))
            } else if piece == 1 {
                return (one, verdict)
            } else {
                piece /= 2
            }
        }
    }
}
