import Foundation
import PlainHTTP
import Synchronization

/// Senders as they should be: what had no answer is sent again under the same ids, to whichever service answers. Some
/// batches are sent to both at once, and some events long after they were acknowledged.
final class FaultClients: Sendable {
    let ledger = FaultLedger()
    private let services: [HTTPAddress]
    private let key: String
    private let seed: UInt64
    private let events = FaultEvents()
    private let isStopped = Mutex(false)

    /// - Parameters:
    ///   - ports: of each service, or of the proxy before it.
    ///   - key: one that may write.
    ///   - seed: what they send follows from it, but for the ids.
    init(ports: [UInt16], key: String, seed: UInt64) {
        services = ports.map { HTTPAddress(host: "127.0.0.1", port: Int($0)) }
        self.key = key
        self.seed = seed
    }

    /// Lets each end once what it has sent is acknowledged.
    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Sends until ``stop()``, or until the task is cancelled.
    func run(_ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { await self.send(number) } }
        }
    }

    private func send(_ number: Int) async {
        var random = LawRandom(seed: seed &+ UInt64(number) &* 7919)
        let lines = services.map { FaultClientLine($0) }
        var service = number % services.count
        while !Task.isCancelled, !isStopped.withLock({ $0 }) {
            var ids = (0..<Int.random(in: 1...8, using: &random)).map { _ in UUID() }
            if random.chance(15) { ids += Set(ledger.sample(3, using: &random)) }
            let batch = ids
            let isDoubled = random.chance(20) && services.count > 1
            var isDone = false
            while !isDone, !Task.isCancelled {
                if isDoubled {
                    let (one, other) = (service, (service + 1) % services.count)
                    async let first = post(batch, on: lines[one], one)
                    async let second = post(batch, on: lines[other], other)
                    let both = await (first, second)
                    isDone = both.0 || both.1
                } else {
                    isDone = await post(batch, on: lines[service], service)
                }
                if !isDone {
                    service = (service + 1) % services.count
                    try? await ContinuousClock().sleep(for: .milliseconds(40))
                }
            }
            if random.chance(30) { service = (service + 1) % services.count }
            try? await ContinuousClock().sleep(for: .milliseconds(Int.random(in: 5...40, using: &random)))
        }
        for line in lines { await line.close() }
    }

    /// Sends a batch once. True where it was acknowledged.
    private func post(_ ids: [UUID], on line: FaultClientLine, _ service: Int) async -> Bool {
        let sentAt = ContinuousClock.now
        do {
            let answer = try await line.post(events.body(ids), key: key)
            guard answer.status == 200 else {
                ledger.refused(answer.status)
                return false
            }
            ledger.acknowledged(ids, try answer.events, service: service, sentAt: sentAt)
            return true
        } catch {
            ledger.broke()
            return false
        }
    }
}

/// One client's connection to one service, recreated where it broke.
actor FaultClientLine {
    private let address: HTTPAddress
    private var connection: HTTPConnection?

    init(_ address: HTTPAddress) {
        self.address = address
    }

    func post(_ body: [UInt8], key: String) async throws -> HTTPAnswer {
        try await send("POST", "/v1/events?results=all", key: key, body: body, within: .seconds(4))
    }

    func get(_ path: String, key: String) async throws -> HTTPAnswer {
        try await send("GET", path, key: key, within: .seconds(20))
    }

    func erase(_ device: String, key: String) async throws -> HTTPAnswer {
        try await send("DELETE", "/v1/devices/\(device)", key: key, within: .seconds(20))
    }

    /// Waits no longer than a client does.
    private func send(
        _ method: String,
        _ path: String,
        key: String,
        body: [UInt8] = [],
        within timeout: Duration
    ) async throws -> HTTPAnswer {
        let open: HTTPConnection
        if let connection, connection.isOpen {
            open = connection
        } else {
            open = try await HTTPConnection.connect(address)
            connection = open
        }
        let timer = Task {
            guard (try? await ContinuousClock().sleep(for: timeout)) != nil else { return }
            await open.close()
        }
        defer { timer.cancel() }
        let headers = [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")]
        return try await open.send(method, path, headers: headers, body: body)
    }

    func close() async {
        await connection?.close()
    }
}
