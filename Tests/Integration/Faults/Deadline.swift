import Foundation
import Synchronization

/// What a test says that waited too long.
struct DeadlinePassed: Error, CustomStringConvertible {
    let description: String
}

/// Runs work that must end in time. Where it does not, this throws and leaves the work to itself, even where nothing can
/// interrupt it, so that a test fails by name rather than hangs.
func within<Value: Sendable>(
    _ limit: Duration,
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let gate = Gate<Value>()
    let work = Task {
        do {
            gate.open(with: .success(try await body()))
        } catch {
            gate.open(with: .failure(error))
        }
    }
    let timer = Task {
        guard (try? await ContinuousClock().sleep(for: limit)) != nil else { return }
        gate.open(with: .failure(DeadlinePassed(description: "\(what): not done after \(limit)")))
        work.cancel()
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        try await gate.wait()
    } onCancel: {
        work.cancel()
    }
}

/// One result, for one who waits; the first counts.
private final class Gate<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
        var isOver = false
    }

    private let state = Mutex(State())

    func open(with result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard !state.isOver, state.result == nil else { return nil }
            guard let waiter = state.waiter else {
                state.result = result
                return nil
            }
            state.isOver = true
            state.waiter = nil
            return waiter
        }
        waiter?.resume(with: result)
    }

    func wait() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                guard let result = state.result else {
                    state.waiter = continuation
                    return nil
                }
                state.isOver = true
                return result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}

/// Something that tasks of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { value in body(&value) }
    }
}
