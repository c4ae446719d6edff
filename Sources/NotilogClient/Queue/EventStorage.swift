public import Foundation

extension Notilog {
    /// Where events wait until the service has them. ``FileQueue`` is what apps use; tests may bring another.
    ///
    /// Every call may come from any thread, and from another process at the same time.
    public protocol EventStorage: Sendable {
        /// Puts events at the end of the queue. They are on disk when this returns.
        ///
        /// - Returns: false where consent is missing, and nothing was put anywhere.
        /// - Throws: ``StorageError``.
        func append(_ events: [QueuedEvent]) throws -> Bool

        /// The oldest events, which stay in the queue. None are left out or out of order.
        ///
        /// - Parameters:
        ///   - count: the maximum number of events.
        ///   - bytes: the maximum number of bytes of JSON, but always one event.
        /// - Returns: empty where nothing waits, or consent is missing.
        /// - Throws: ``StorageError``.
        func oldest(_ count: Int, bytes: Int) throws -> [QueuedEvent]

        /// Takes events out that ``oldest(_:bytes:)`` gave, up to and with the one at this position.
        ///
        /// What another process has taken out meanwhile is no error.
        func remove(through position: QueuePosition) throws

        /// What the queue holds, and what it has lost.
        func status() throws -> QueueStatus

        /// How many events were dropped, ever, because the queue was full or they were too old.
        func dropped() throws -> UInt64

        /// What the person has said to the recording of events.
        func consent() throws -> Consent

        /// Keeps what the person has said. Refused, the queue is emptied.
        func setConsent(_ consent: Consent) throws

        /// The stored device id; the first call makes one at random.
        func deviceID() throws -> String

        /// Changes a small note stored under a name, such as the result of the last sweep of the delivered list, and appends
        /// the resulting events to the queue. No other thread or process reads or changes it meanwhile.
        ///
        /// A kill in between leaves both or neither. A storage that cannot do that leaves the events without the change: a
        /// repeated event does less harm than a missing one.
        ///
        /// - Parameter change: takes the note, `nil` if there is none. It must not call the storage.
        /// - Returns: false if consent is missing; then nothing was stored.
        /// - Throws: ``StorageError``.
        func change(_ name: String, _ change: (Data?) -> NoteChange) throws -> Bool
    }

    /// A change of a note.
    public struct NoteChange: Sendable {
        /// The new note; `nil` leaves it unchanged.
        public var note: Data?
        /// The resulting events.
        public var events: [QueuedEvent]

        /// Makes a change.
        public init(note: Data? = nil, events: [QueuedEvent] = []) {
            self.note = note
            self.events = events
        }
    }

    /// One event on its way to the service.
    public struct QueuedEvent: Sendable, Hashable {
        /// The event's id.
        public var id: UUID
        /// When it was put into the queue.
        public var queuedAt: Date
        /// The event as JSON, in UTF-8. It never changes, so that sending it again is a repeat and no conflict.
        public var json: Data
        /// Where it is in the queue; the queue sets it.
        public var position: QueuePosition

        /// Makes an event to be queued.
        public init(id: UUID, queuedAt: Date, json: Data, position: QueuePosition = QueuePosition()) {
            self.id = id
            self.queuedAt = queuedAt
            self.json = json
            self.position = position
        }
    }

    /// A position in the queue: after an event.
    public struct QueuePosition: Sendable, Hashable, Comparable {
        /// The number of the file.
        public var segment: UInt64
        /// The byte within it.
        public var offset: UInt64

        /// Makes a position; without arguments, the one before everything.
        public init(segment: UInt64 = 0, offset: UInt64 = 0) {
            self.segment = segment
            self.offset = offset
        }

        /// Whether one is before another.
        public static func < (left: QueuePosition, right: QueuePosition) -> Bool {
            (left.segment, left.offset) < (right.segment, right.offset)
        }
    }

    /// What the person has said to the recording of events.
    public enum Consent: UInt8, Sendable {
        /// Nothing yet. Whether events are recorded is then for ``Notilog/Options/requiresConsent`` to say.
        case unknown = 0
        /// Yes.
        case granted = 1
        /// No: nothing is recorded, kept or sent.
        case refused = 2
    }

    /// What a queue holds, and what it has lost.
    public struct QueueStatus: Sendable, Hashable {
        /// Events that wait.
        public var events = 0
        /// Bytes on disk, of all the queue's segments.
        public var bytes = 0
        /// Events that were dropped, ever, because the queue was full or they were too old.
        public var dropped: UInt64 = 0
        /// Damaged parts, ever: usually the end of an event that was being written when its process was killed, and that
        /// has no receipt.
        public var damaged: UInt64 = 0

        /// Makes a status; a storage of one's own fills it.
        public init() {}
    }

    /// Why the queue could not do something.
    public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What was tried, such as `write`.
        public var operation: String
        /// The system's error number (`errno`); 0 where it is not the system's.
        public var code: Int32

        /// Makes an error.
        public init(operation: String, code: Int32) {
            self.operation = operation
            self.code = code
        }

        /// One sentence.
        public var description: String {
            code == 0 ? operation : "the queue's \(operation) failed: \(String(cString: strerror(code)))"
        }
    }
}
