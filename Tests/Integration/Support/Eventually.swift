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
