public import Foundation

extension Notilog {
    /// A queue of events in a folder. Its segments are only appended to, so that a kill at any point harms at most the
    /// event being written.
    ///
    /// Any number of processes may use one folder, such as an app and its extensions in their App Group. Each call
    /// holds the folder's lock only while it runs. (iOS terminates a process that is suspended while it holds a lock in
    /// a shared container, so no lock is held while anything is sent.)
    public final class FileQueue: EventStorage, @unchecked Sendable {
        let folder: URL
        let limits: QueueLimits
        let requiresConsent: Bool
        let now: @Sendable () -> Date
        let mutex = NSLock()
        /// Where a refusal is remembered, too, if the system may delete the folder.
        let refusalMark: RefusalMark?
        /// Whether a refusal was not stored yet. Nothing is recorded, kept or sent meanwhile, whatever is on disk.
        let isRefusalWaiting = Guarded(false)

        // What follows is touched with both locks held.
        var opened: OpenQueue?

        /// Creates a queue in a folder. The folder is created at the first use.
        ///
        /// - Parameters:
        ///   - folder: a folder that only the queue uses.
        ///   - limits: how much the queue may hold.
        ///   - requiresConsent: whether events are refused until the consent is ``Consent/granted``. The folder
        ///     remembers it once it was used, for every other queue there.
        ///   - now: the clock.
        public convenience init(
            folder: URL,
            limits: QueueLimits = QueueLimits(),
            requiresConsent: Bool = false,
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.init(
                folder: folder,
                limits: limits,
                requiresConsent: requiresConsent,
                refusalMark: RefusalMark(of: folder),
                now: now
            )
        }

        init(
            folder: URL,
            limits: QueueLimits,
            requiresConsent: Bool,
            refusalMark: RefusalMark?,
            now: @escaping @Sendable () -> Date
        ) {
            self.folder = folder
            self.limits = limits
            self.requiresConsent = requiresConsent
            self.refusalMark = refusalMark
            self.now = now
        }

        /// Appends events to the queue; see ``EventStorage/append(_:)``.
        public func append(_ events: [QueuedEvent]) throws -> Bool {
            try locked { queue in
                guard permits(queue.state) else { return false }
                try put(frames(of: events), in: queue)
                return true
            }
        }

        func frames(of events: [QueuedEvent]) throws -> [UInt8] {
            var bytes: [UInt8] = []
            for event in events { Frame.encode(event, into: &bytes) }
            guard bytes.count <= limits.bytes - QueueState.slotBytes * 2 else {
                throw StorageError(operation: "the events are larger than the queue", code: 0)
            }
            return bytes
        }

        func put(_ frames: [UInt8], in queue: OpenQueue) throws {
            guard !frames.isEmpty else { return }
            try queue.append(frames, limits: limits)
        }

        /// The oldest events; see ``EventStorage/oldest(_:bytes:)``.
        public func oldest(_ count: Int, bytes: Int) throws -> [QueuedEvent] {
            let horizon = now().addingTimeInterval(-limits.age)
            return try locked { queue in
                guard permits(queue.state) else { return [] }
                return try queue.oldest(count, bytes: bytes, horizon: horizon)
            }
        }

        /// Removes events; see ``EventStorage/remove(through:)``.
        public func remove(through position: QueuePosition) throws {
            try locked { queue in try queue.remove(through: position) }
        }

        /// What the queue holds, and what it has lost.
        public func status() throws -> QueueStatus {
            try locked { queue in try queue.status() }
        }

        /// The total number of dropped events.
        public func dropped() throws -> UInt64 {
            try locked { queue in queue.state.dropped }
        }

        /// The person's consent to recording.
        public func consent() throws -> Consent {
            try locked { queue in isRefusalWaiting.withLock { $0 } ? Consent.refused : queue.state.consent }
        }

        /// Stores the person's consent to recording; see ``EventStorage/setConsent(_:)``. A refusal that cannot be
        /// stored holds in this process, and each further call tries to store it. Until one has, consent cannot be
        /// given again.
        public func setConsent(_ consent: Consent) throws {
            // It holds from here on, before it is stored.
            if consent == .refused {
                refusalMark?.set(true)  // which may be possible where the folder is not
                isRefusalWaiting.withLock { $0 = true }
            }
            try locked { queue in
                // Before consent is given again, too: events from before a refusal are never sent.
                try storeRefusal(in: queue)
                guard consent != .refused else { return }
                try queue.setConsent(consent, durability: limits.durability)
                refusalMark?.set(false)
            }
        }

        /// Whether events may be recorded now; see ``EventStorage/permitsRecording()``.
        public func permitsRecording() throws -> Bool {
            try locked { queue in permits(queue.state) }
        }

        func permits(_ state: QueueState) -> Bool {
            guard !isRefusalWaiting.withLock({ $0 }) else { return false }
            switch state.consent {
            case .granted: return true
            case .refused: return false
            case .unknown: return !requiresConsent && !state.requiresConsent
            }
        }

        /// Stores a refusal that was not stored yet.
        private func storeRefusal(in queue: OpenQueue) throws {
            guard isRefusalWaiting.withLock({ $0 }) else { return }
            refusalMark?.set(true)
            do {
                try queue.setConsent(.refused, durability: limits.durability)
            } catch {
                // The state is what is on disk of it.
                try queue.refresh(at: now())
                throw error
            }
            isRefusalWaiting.withLock { $0 = false }
        }

        /// Tells every other queue of the folder that consent is required.
        private func storeRequirement(in queue: OpenQueue) throws {
            guard requiresConsent, !queue.state.requiresConsent else { return }
            queue.state.requiresConsent = true
            do {
                try queue.save()
                if limits.durability == .powerLoss { try queue.synchroniseState() }
            } catch {
                // The state is what is on disk of it. The next call tries again.
                try queue.refresh(at: now())
            }
        }

        /// Runs a closure while no other thread or process uses the folder.
        func locked<Result>(_ body: (OpenQueue) throws -> Result) throws -> Result {
            mutex.lock()
            defer { mutex.unlock() }
            do {
                return try holding(body)
            } catch let error as StorageError where error.code == ENOENT || error.code == ESTALE {
                // The folder was removed; create it again.
                opened = nil
                return try holding(body)
            }
        }

        private func holding<Result>(_ body: (OpenQueue) throws -> Result) throws -> Result {
            let queue: OpenQueue
            if let opened {
                queue = opened
            } else {
                queue = try OpenQueue(folder: folder, refusalMark: refusalMark, at: now())
                opened = queue
            }
            try queue.lockFile.lock()
            defer { queue.lockFile.unlock() }
            guard queue.lockFile.isLinked else { throw StorageError(operation: "lock", code: ENOENT) }
            try queue.refresh(at: now())
            try queue.redo(limits: limits)
            try storeRequirement(in: queue)
            // If that fails again, it concerns nobody but the caller of `setConsent`, which asks for it itself.
            try? storeRefusal(in: queue)
            return try body(queue)
        }
    }
}
