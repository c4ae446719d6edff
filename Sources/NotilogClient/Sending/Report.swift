public import Foundation

extension Notilog {
    /// Why events were not delivered, or why the service could not be reached. It is meant for the app's log, and names
    /// no device and no content.
    public enum Report: Sendable, Hashable {
        /// The service rejected an event for good, and the event is dropped.
        ///
        /// `status` is the HTTP status. `code` is the service's code, such as `invalid_value` or `id_conflict`.
        case rejected(id: UUID, status: Int, code: String, message: String)
        /// The service does not accept this app. The events are kept. For 401 and 403, check the key and that its scope
        /// is `write`. For 404, check the URL. For 400, check what stands between the app and the service, as it may
        /// damage requests.
        case barred(status: Int, code: String?)
        /// There was no answer, or the answer asked for a retry. The events are kept and sent again after this number
        /// of seconds.
        ///
        /// `status` is `nil` if there was no answer.
        case delayed(status: Int?, seconds: TimeInterval)
        /// The queue was full, or events in it were too old. The number counts events dropped since the last report.
        case dropped(Int)
        /// The queue could not be read or written.
        case storage(String)
        /// An event was discarded before it reached the queue.
        case discarded(kind: String, Receipt.Reason)
    }

    /// The result of a ``Notilog/flush()``.
    public enum FlushResult: Sendable, Hashable {
        /// Everything was sent.
        case sent
        /// Events are still queued. The next attempt follows within this number of seconds.
        case waiting(seconds: TimeInterval)
        /// Nothing may be sent, because consent is missing or the flush was cancelled.
        case stopped
    }
}
