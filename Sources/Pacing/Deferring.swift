/// Works, and ends what the work needed whether or not it failed: what `defer` would do if its body could wait.
///
/// - Parameters:
///   - end: ends it, after the work.
///   - work: works.
/// - Returns: what `work` returns.
/// - Throws: what `work` throws, which is the cause where both fail; else what `end` throws.
package func deferring<Value>(
    _ end: () async throws -> Void,
    _ work: () async throws -> Value
) async throws -> Value {
    let result: Result<Value, any Error>
    do {
        result = .success(try await work())
    } catch {
        result = .failure(error)
    }
    do {
        try await end()
    } catch {
        _ = try result.get()
        throw error
    }
    return try result.get()
}
