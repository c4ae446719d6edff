public import Foundation

extension Notilog {
    /// Holds events until the service has them. Apps use ``FileQueue``. Tests may replace it.
    ///
    /// Every method may be called from any thread, and from another process at the same time.
    public protocol EventStorage: Sendable {
        /// Appends events to the queue. They are on disk when this returns.
        ///
        /// - Returns: false if consent is missing. Nothing was stored then.
        /// - Throws: ``StorageError``.
        func append(_ events: [QueuedEvent]) throws -> Bool

        /// The oldest events, in order and without gaps. They stay in the queue.
        ///
        /// - Parameters:
        ///   - count: the maximum number of events.
        ///   - bytes: the maximum number of bytes of JSON. At least one event is returned.
        /// - Returns: an empty list if nothing waits, or if consent is missing.
        /// - Throws: ``StorageError``.
        func oldest(_ count: Int, bytes: Int) throws -> [QueuedEvent]

        /// Removes events that ``oldest(_:bytes:)`` returned, up to and including the one at this position.
        ///
        /// It is no error if another process has removed them already.
        func remove(through position: QueuePosition) throws

        /// What the queue holds, and what it has lost.
        func status() throws -> QueueStatus

        /// The total number of events that were dropped because the queue was full or they were too old.
        func dropped() throws -> UInt64

        /// The person's consent to recording.
        func consent() throws -> Consent

        /// Stores the person's consent to recording. If it is refused, the queue is emptied, and what was handed over
        /// for upload is deleted.
        ///
        /// - Throws: ``StorageError``. A refusal then holds in this process all the same.
        func setConsent(_ consent: Consent) throws

        /// Whether events may be recorded now. While there is no answer, that depends on whether any recorder of this
        /// storage requires consent.
        func permitsRecording() throws -> Bool

        /// The stored device id. If there is none, a random one is created. It is asked for with each event, because
        /// another process may have reset it.
        func deviceID() throws -> String

        /// Forgets the device id, for every process, and the notes, which belong to it. The next ``deviceID()`` creates
        /// another one. Queued events stay as they are.
        ///
        /// - Throws: ``StorageError``. The id may be the old one then.
        func resetDeviceID() throws

        /// Changes a small note stored under a name, such as the result of the last sweep of the delivered list, and
        /// appends the resulting events to the queue. No other thread or process reads or changes the note meanwhile.
        ///
        /// If the process is killed, either both or neither are stored. A storage that cannot do that must store the
        /// events first, because a repeated event does less harm than a missing one.
        ///
        /// - Parameter change: takes the note, or `nil` if there is none. It must not call the storage.
        /// - Returns: false if consent is missing. Nothing was stored then.
        /// - Throws: ``StorageError``.
        func change(_ name: String, _ change: (Data?) -> NoteChange) throws -> Bool
    }

    /// A change of a note.
    public struct NoteChange: Sendable {
        /// The new note; `nil` leaves it unchanged.
        public var note: Data?
        /// The resulting events.
        public var events: [QueuedEvent]

        /// Creates a change.
        public init(note: Data? = nil, events: [QueuedEvent] = []) {
            self.note = note
            self.events = events
        }
    }

    /// One event on its way to the service.
    public struct QueuedEvent: Sendable, Hashable {
        /// The event's id.
        public var id: UUID
        /// When the event was put into the queue.
        public var queuedAt: Date
        /// The event as JSON in UTF-8. It never changes, so sending it again is a repeat and not a conflict.
        public var json: Data
        /// The position in the queue. The queue sets it.
        public var position: QueuePosition

        /// Creates an event to be queued.
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

        /// Creates a position. Without arguments, it is the one before everything.
        public init(segment: UInt64 = 0, offset: UInt64 = 0) {
            self.segment = segment
            self.offset = offset
        }

        /// Whether one is before another.
        public static func < (left: QueuePosition, right: QueuePosition) -> Bool {
            (left.segment, left.offset) < (right.segment, right.offset)
        }
    }

    /// The person's consent to recording.
    public enum Consent: UInt8, Sendable {
        /// No answer yet. ``Notilog/Options/requiresConsent`` decides whether events are recorded: if one recorder of
        /// the storage has it set, none are.
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
        /// The total number of events that were dropped because the queue was full or they were too old.
        public var dropped: UInt64 = 0
        /// The total number of damaged parts. A damaged part is usually the end of an event whose process was killed
        /// while it was being written. Such an event has no receipt.
        public var damaged: UInt64 = 0

        /// Creates a status, for a custom storage to fill.
        public init() {}
    }

    /// Why the queue failed.
    public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The operation that failed, such as `write`.
        public var operation: String
        /// The system's error number (`errno`); 0 if the error is not from the system.
        public var code: Int32

        /// Creates an error.
        public init(operation: String, code: Int32) {
            self.operation = operation
            self.code = code
        }

        /// The error in one sentence.
        public var description: String {
            code == 0 ? operation : "the queue's \(operation) failed: \(String(cString: strerror(code)))"
        }
    }
}
