public import Foundation

extension Notilog {
    /// Carries one request to the service. ``URLSessionTransport`` is what apps use.
    public protocol Transport: Sendable {
        /// Sends a request and waits for the whole answer.
        ///
        /// - Throws: any error where there is no whole answer; the same events are then sent again.
        func send(_ request: OutgoingRequest) async throws -> IncomingAnswer
    }

    /// A `POST` of a batch of events.
    public struct OutgoingRequest: Sendable {
        /// Where to.
        public var url: URL
        /// The headers, with the write key among them: not for a log.
        public var headers: [String: String]
        /// The body, as sent.
        public var body: Data

        /// Makes a request.
        public init(url: URL, headers: [String: String], body: Data) {
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    /// An answer.
    public struct IncomingAnswer: Sendable {
        /// The HTTP status.
        public var status: Int
        /// The headers, with names in lower case.
        public var headers: [String: String]
        /// The body.
        public var body: Data

        /// Makes an answer.
        public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
            self.status = status
            self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
            self.body = body
        }
    }

    /// The clock of the device; a test may bring another.
    public protocol DeviceClock: Sendable {
        /// The time that it shows.
        var now: Date { get }
        /// Waits for a number of seconds.
        ///
        /// - Throws: `CancellationError`, when the task is cancelled.
        func sleep(seconds: TimeInterval) async throws
    }

    /// The system's clock.
    public struct SystemClock: DeviceClock {
        /// The clock.
        public init() {}

        /// The time that it shows.
        public var now: Date { Date() }

        /// Waits for a number of seconds.
        public func sleep(seconds: TimeInterval) async throws {
            try await Task<Never, Never>.sleep(nanoseconds: UInt64(min(max(seconds, 0), 86_400) * 1_000_000_000))
        }
    }
}
