public import Foundation

/// Records what happens to an app's notifications, and sends it to the Notilog service.
///
///     let notilog = Notilog(url: URL(string: "https://notilog.example.com")!, writeKey: "nlg_w_…")
///     notilog.record(response)
///
/// Make one, early, and keep it. Every method may be called on any thread, and none throws.
public final class Notilog: Sendable {
    /// The client's version, sent as `sdk_version`.
    public static let version = "1.0.0"

    let storage: any EventStorage
    let options: Options
    let courier: Courier
    let reports: ReportCenter
    let wakes = Guarded(Wakes())
    let taps = Guarded(TapIdentity())
    let stamped = Guarded(StampedRequests())
    /// The delegate of the notification center, which holds it weakly.
    let installed = Guarded<AnyObject?>(nil)
    let hearing = Guarded(Hearing())
    let lifecycles = Guarded<[Lifecycle]>([])
    /// Closed while the app starts a Live Activity.
    let activityStarts = Gate()
    let handover: Handover?
    private let fixedDeviceID: String?
    private let keptDeviceID = Guarded<String?>(nil)

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - url: where the service is, such as `https://notilog.example.com`; `/v1/events` is added.
    ///   - writeKey: a key of scope `write`. It can be extracted from the app; it only allows sending events.
    ///   - deviceID: what this installation is called, 1 to 128 bytes. Left out, one is made at random and kept beside
    ///     the queue, which is what most apps want. Never the advertising or vendor identifier, nor anything of the
    ///     person's.
    ///   - options: everything else.
    public init(url: URL, writeKey: String, deviceID: String? = nil, options: Options = Options()) {
        let clock = options.clock
        let storage =
            options.storage
            ?? FileQueue(
                folder: options.queueFolder,
                limits: options.limits,
                requiresConsent: options.requiresConsent,
                now: { clock.now }
            )
        let hearing = hearing
        let reports = ReportCenter { report in
            if case .barred(let status, let code) = report { hearing.withLock { $0.barred = (status, code) } }
            options.onReport?(report)
        }
        self.storage = storage
        self.options = options
        self.reports = reports
        fixedDeviceID = deviceID.flatMap { $0.isEmpty ? nil : String(decoding: $0.utf8.prefix(128), as: UTF8.self) }
        let settings = Courier.Settings(
            url: url.appendingPathComponent("v1/events"),
            writeKey: writeKey,
            batchEvents: min(max(options.batchEvents, 1), 10_000),
            batchBytes: min(max(options.batchBytes, 1), 4 << 20),
            backoff: options.backoff,
            delay: options.sendingDelay,
            lowDataDelay: max(options.lowDataDelay, options.sendingDelay),
            random: options.random
        )
        courier = Courier(
            settings,
            storage: storage,
            transport: options.transport ?? URLSessionTransport(),
            clock: options.clock,
            report: { reports.send($0) },
            onTaken: { hearing.withLock { $0.barred = nil } }
        )
        handover = options.backgroundUploads.map { uploads in
            Handover(
                settings,
                storage: storage,
                uploads: uploads,
                folder: options.queueFolder,
                report: { reports.send($0) }
            )
        }
        if options.recordsAppOpens { followOpens() }
        // What was left from before wants to be sent too.
        guard options.sendsAutomatically else { return }
        follow()
        wake(events: 0)
    }

    /// What this installation is called in every event.
    public var deviceID: String {
        if let fixedDeviceID { return fixedDeviceID }
        return keptDeviceID.withLock { kept in
            if let kept { return kept }
            do {
                let id = try storage.deviceID()
                kept = id
                return id
            } catch {
                // Not kept, so that the next call tries again.
                reports.send(.storage(String(describing: error)))
                return UUID().uuidString.lowercased()
            }
        }
    }

    /// Records an event. When this returns it is on disk, or the receipt says why not.
    @discardableResult
    public func track(_ event: Event) -> Receipt {
        track([event])[0]
    }

    /// Records events that belong together, with one write to the disk: all of them, or those that are not in order
    /// left out.
    ///
    /// - Returns: a receipt for each, in their order.
    @discardableResult
    public func track(_ events: [Event]) -> [Receipt] {
        let batch = EncodedBatch(events, deviceID: deviceID, context: options.context(), now: options.clock.now)
        return receipts(of: batch, failure: batch.queued.isEmpty ? nil : failure { try storage.append(batch.queued) })
    }

    /// Sends what waits, and returns when all of it is there or a try has failed. What is left is sent later by itself.
    @discardableResult
    public func flush() async -> FlushResult {
        isRecording ? await courier.flush() : .stopped
    }

    /// Keeps what the person has said to the recording of events.
    ///
    /// - Parameter isGranted: false stops the recording and the sending, and empties the queue, at once and until this is
    ///   called with true; it is remembered. What the service has already is erased there (`DELETE /v1/devices/…`).
    public func setConsent(_ isGranted: Bool) {
        do {
            try storage.setConsent(isGranted ? .granted : .refused)
        } catch {
            reports.send(.storage(String(describing: error)))
        }
        guard !isGranted else { return }
        handover?.stop()
        Task { [courier] in await courier.stop() }
    }

    /// Whether events are recorded now.
    public var isRecording: Bool {
        switch try? storage.consent() {
        case .granted: true
        case .refused, nil: false
        case .unknown: !options.requiresConsent
        }
    }

    /// The number of queued and of dropped events.
    public func status() -> QueueStatus {
        (try? storage.status()) ?? QueueStatus()
    }

    /// Reports of events that were not delivered, from now on. Up to 100 are buffered for a slow reader.
    public func reportStream() -> AsyncStream<Report> {
        reports.stream()
    }
}
