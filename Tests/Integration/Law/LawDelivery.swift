/// One way to bring a set of events in: batches of places in the set, between which the projections are applied.
struct LawDelivery: Sendable {
    let name: String
    private(set) var batches: [[Int]]

    private static let mostBatches = 8

    /// One big batch, and the same set permuted, duplicated, rebatched, newest first.
    static func several(of events: [LawEvent], random: inout LawRandom) -> [LawDelivery] {
        let places = Array(events.indices)
        let newestFirst = places.sorted { LawEvent.isBefore(events[$1], events[$0]) }
        let repeated = (places + random.some(of: places, percent: 50)).shuffled(using: &random)
        return [
            LawDelivery(name: "one big batch", batches: [places]),
            LawDelivery(name: "permuted", batches: cut(places.shuffled(using: &random), &random)),
            LawDelivery(name: "duplicated", batches: cut(repeated, &random)),
            LawDelivery(name: "newest first", batches: cut(newestFirst, &random)),
        ]
    }

    private static func cut(_ places: [Int], _ random: inout LawRandom) -> [[Int]] {
        var batches: [[Int]] = Array(repeating: [], count: Int.random(in: 2...mostBatches, using: &random))
        let edges = (1..<batches.count).map { _ in Int.random(in: 0...places.count, using: &random) }.sorted()
        for (index, place) in places.enumerated() {
            batches[edges.count { $0 <= index }].append(place)
        }
        return batches
    }

    /// The same for a set of fewer events; those that have no new place are left out.
    func renumbered(_ places: [Int: Int]) -> LawDelivery {
        var result = self
        result.batches = batches.map { $0.compactMap { places[$0] } }
        return result
    }
}
