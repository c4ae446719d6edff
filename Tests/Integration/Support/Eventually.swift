/// Waits for something that another process or task brings about.
///
/// - Throws: ``DeadlinePassed`` with its name if it does not come in time.
func eventually(
    _ what: String,
    within limit: Duration = .seconds(60),
    caller: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    guard try await eventually(within: limit, caller: caller, condition) else {
        throw DeadlinePassed(description: "\(what): not so after \(limit)")
    }
}

/// Waits for something, and returns whether it came in time.
func eventually(
    within limit: Duration = .seconds(10),
    caller: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { return false }
        try await ContinuousClock().sleep(for: .milliseconds(10))
    }
    return true
}

/// Waits until a position reaches an end. How long that takes depends on the machine: what counts is that it moves.
///
/// - Throws: ``DeadlinePassed`` with its name if it stands still for longer than the limit.
func eventually(
    _ what: String,
    reaching end: Int64,
    movingWithin limit: Duration = .seconds(60),
    caller: isolated (any Actor)? = #isolation,
    _ position: () async throws -> Int64
) async throws {
    var reached = try await position()
    while reached < end {
        let before = reached
        try await eventually("\(what): \(before) of \(end) moves", within: limit, caller: caller) {
            reached = try await position()
            return reached > before
        }
    }
}
