/// Work that several processes take from one store, some of it at a time.
public enum Rounds {
    /// Claims what is due and does it, until nothing is due, for a hundred rounds at most: whoever repeats it gets to look around.
    ///
    /// - Parameters:
    ///   - claim: takes what is due, for this process alone.
    ///   - work: does it, and returns how much came of it.
    /// - Returns: how much came of all of it.
    /// - Throws: what `claim` and `work` throw.
    public static func work<Item: Sendable>(
        claiming claim: () async throws -> [Item],
        _ work: ([Item]) async throws -> Int
    ) async throws -> Int {
        var count = 0
        for _ in 0..<100 {
            let claimed = try await claim()
            guard !claimed.isEmpty, !Task.isCancelled else { break }
            count += try await work(claimed)
        }
        return count
    }

    /// The same with one thing after the other. One that fails ends it once the others that were claimed with it are done: nobody else
    /// does them for a while.
    ///
    /// - Parameters:
    ///   - claim: takes what is due, for this process alone.
    ///   - work: does one thing, and returns whether anything came of it.
    /// - Returns: of how many things anything came.
    /// - Throws: what `claim` and `work` throw.
    public static func each<Item: Sendable>(
        claiming claim: () async throws -> [Item],
        _ work: (Item) async throws -> Bool
    ) async throws -> Int {
        try await Self.work(claiming: claim) { items in
            var count = 0
            var failure: (any Error)?
            for item in items {
                do {
                    if try await work(item) { count += 1 }
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return count
        }
    }
}
