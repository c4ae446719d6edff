/// Works, and ends what the work needed whether or not it failed: what `defer` would do if its body could wait.
///
/// - Parameters:
///   - end: ends it, after the work.
///   - work: works.
/// - Returns: what `work` returns.
/// - Throws: what `end` throws, else what `work` throws.
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
    try await end()
    return try result.get()
}
