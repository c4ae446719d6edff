import Foundation

/// Passes reports to their listeners.
final class ReportCenter: Sendable {
    private let onReport: @Sendable (Notilog.Report) -> Void
    private let streams = Guarded<[UUID: AsyncStream<Notilog.Report>.Continuation]>([:])

    init(onReport: @escaping @Sendable (Notilog.Report) -> Void) {
        self.onReport = onReport
    }

    func send(_ report: Notilog.Report) {
        onReport(report)
        for stream in streams.withLock({ Array($0.values) }) { stream.yield(report) }
    }

    func stream() -> AsyncStream<Notilog.Report> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let id = UUID()
            streams.withLock { $0[id] = continuation }
            continuation.onTermination = { [weak self] _ in self?.streams.withLock { $0[id] = nil } }
        }
    }
}
