public import Foundation

extension Notilog {
    /// Sends one request to the service. Apps use ``URLSessionTransport``.
    public protocol Transport: Sendable {
        /// Sends a request and waits for the whole answer.
        ///
        /// - Throws: any error if there is no complete answer. The same events are then sent again.
        func send(_ request: OutgoingRequest) async throws -> IncomingAnswer
    }

    /// A `POST` of a batch of events.
    public struct OutgoingRequest: Sendable {
        /// The URL.
        public var url: URL
        /// The headers. They contain the write key, so do not log them.
        public var headers: [String: String]
        /// The body, as sent.
        public var body: Data

        /// Creates a request.
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

        /// Creates an answer.
        public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
            self.status = status
            self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
            self.body = body
        }
    }

    /// The clock of the device. A test may replace it.
    public protocol DeviceClock: Sendable {
        /// The current time.
        var now: Date { get }
        /// Waits for a number of seconds.
        ///
        /// - Throws: `CancellationError` if the task is cancelled.
        func sleep(seconds: TimeInterval) async throws
    }

    /// The system's clock.
    public struct SystemClock: DeviceClock {
        /// The clock.
        public init() {}

        /// The current time.
        public var now: Date { Date() }

        /// Waits for a number of seconds.
        public func sleep(seconds: TimeInterval) async throws {
            try await Task<Never, Never>.sleep(nanoseconds: UInt64(min(max(seconds, 0), 86_400) * 1_000_000_000))
        }
    }
}
