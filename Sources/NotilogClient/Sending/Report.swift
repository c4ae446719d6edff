public import Foundation

extension Notilog {
    /// What became of events that did not get there, or of the way there. For the app's log: it names no device and no
    /// content.
    public enum Report: Sendable, Hashable {
        /// The service did not take an event, and never will: it is dropped.
        ///
        /// `status` is HTTP's; `code` the service's, such as `invalid_value` or `id_conflict`.
        case rejected(id: UUID, status: Int, code: String, message: String)
        /// The service does not let this app in; the events are kept. 401 and 403: is the key right, and of scope
        /// `write`? 404: is the URL?
        case barred(status: Int, code: String?)
        /// There was no answer, or one that asks for a retry; the events are kept and sent again after this number of seconds.
        ///
        /// `status` is `nil` where there was no answer.
        case delayed(status: Int?, seconds: TimeInterval)
        /// The queue was full, or events in it too old: the number dropped since the last report.
        case dropped(Int)
        /// The queue could not be read or written.
        case storage(String)
        /// An event was discarded before it came to the queue.
        case discarded(kind: String, Receipt.Reason)
    }

    /// What a ``Notilog/flush()`` came to.
    public enum FlushResult: Sendable, Hashable {
        /// Nothing waits any more.
        case sent
        /// Events are still queued; the next attempt is in this number of seconds at most.
        case waiting(seconds: TimeInterval)
        /// Nothing may be sent: there is no consent, or the flush was cancelled.
        case stopped
    }
}
