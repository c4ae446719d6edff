import Foundation

/// Processor time by part, of this process and of the server's.
struct Profile {
    struct Part: Encodable {
        var own = 0.0
        var server = 0.0
    }

    private let session: Session
    private(set) var parts: [String: Part] = [:]
    private var own: UInt64
    private var server: UInt64

    init(_ session: Session) {
        self.session = session
        own = processorTime()
        server = session.processor
    }

    /// What was used since the last call goes to no part.
    mutating func skip() {
        own = processorTime()
        server = session.processor
    }

    /// What was used since the last call goes to a part.
    mutating func end(_ part: String) {
        let (nowOwn, nowServer) = (processorTime(), session.processor)
        parts[part, default: Part()].own += Double(nowOwn - own) / 1000
        parts[part, default: Part()].server += Double(nowServer - server) / 1000
        (own, server) = (nowOwn, nowServer)
    }
}

/// Nanoseconds of processor that this process has used.
private func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
