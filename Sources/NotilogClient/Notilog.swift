public import Foundation

/// Records what happens to an app's notifications, and sends it to the Notilog service.
///
///     let notilog = Notilog(url: URL(string: "https://notilog.example.com")!, writeKey: "nlg_w_…")
///     notilog.record(response)
///
/// Create one early, and keep it. Every method may be called on any thread, and none throws.
public final class Notilog: Sendable {
    /// The client's version, sent as `sdk_version`.
    public static let version = "1.0.0"

    let storage: any EventStorage
    let options: Options
    let uploader: Uploader
    let reports: ReportCenter
    let wakes = Guarded(Wakes())
    let taps = Guarded(TapIdentity())
    let stamped = Guarded(StampedRequests())
    /// The delegate of the notification center, which holds it weakly.
    let installed = Guarded<AnyObject?>(nil)
    let observations = Guarded(Observations())
    let lifecycles = Guarded<[Lifecycle]>([])
    /// Closed while the app starts a Live Activity.
    let activityStarts = Gate()
    let handover: Handover?
    private let fixedDeviceID: String?
    private let device = Guarded(Device())

    /// What is known of the stored device id.
    private struct Device {
        /// The id as it was last read.
        var kept: String?
        /// The id in this process while the stored one was never read.
        var passing = UUID().uuidString.lowercased()
        /// Whether it was reported that the id cannot be read, since it last could be.
        var isFailureReported = false
    }

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - url: where the service is, such as `https://notilog.example.com`; `/v1/events` is added.
    ///   - writeKey: a key of scope `write`. It can be extracted from the app; it only allows sending events.
    ///   - deviceID: the name of this installation, 1 to 128 bytes; the rest of a longer one is left out. By default, a
    ///     random one is created and kept beside the queue, which suits most apps. Never use the advertising or vendor
    ///     identifier, or anything that belongs to the person.
    ///   - options: everything else.
    public init(url: URL, writeKey: String, deviceID: String? = nil, options: Options = Options()) {
        let clock = options.clock
        let storage =
            options.storage
            ?? FileQueue(
                folder: options.queueFolder,
                limits: options.limits,
                requiresConsent: options.requiresConsent,
                refusalMark: RefusalMark(
                    of: options.queueFolder,
                    in: options.hasGroupFolder ? options.appGroup : nil
                ),
                now: { clock.now }
            )
        let observations = observations
        let reports = ReportCenter { report in
            if case .barred(let status, let code) = report { observations.withLock { $0.barred = (status, code) } }
            options.onReport?(report)
        }
        self.storage = storage
        self.options = options
        self.reports = reports
        fixedDeviceID = deviceID.flatMap { $0.isEmpty ? nil : Self.shortened($0, bytes: 128) }
        let settings = Uploader.Settings(
            url: url.appendingPathComponent("v1/events"),
            writeKey: writeKey,
            batchEvents: min(max(options.batchEvents, 1), 10_000),
            batchBytes: min(max(options.batchBytes, 1), 4 << 20),
            backoff: options.backoff,
            delay: options.sendingDelay,
            lowDataDelay: max(options.lowDataDelay, options.sendingDelay),
            random: options.random
        )
        uploader = Uploader(
            settings,
            storage: storage,
            transport: options.transport ?? URLSessionTransport(),
            clock: options.clock,
            report: { reports.send($0) },
            onTaken: { observations.withLock { $0.barred = nil } }
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
        // An extension that shares the folder may run before the app records something.
        if options.requiresConsent { _ = try? storage.consent() }
        if options.recordsAppOpens { followOpens() }
        // What was left from before wants to be sent too.
        guard options.sendsAutomatically else { return }
        follow()
        wake(events: 0)
    }

    /// The Unicode scalars of a text for which there is room. A part of one would be another, which may be longer.
    private static func shortened(_ text: String, bytes: Int) -> String {
        var room = bytes
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix { scalar in
                    room -= UTF8.width(scalar)
                    return room >= 0
                }
            )
        )
    }

    /// The name of this installation in every event. If there is none yet, reading it creates one, also before consent
    /// is given.
    public var deviceID: String {
        if let fixedDeviceID { return fixedDeviceID }
        do {
            // Read each time: another process may have reset it.
            let id = try storage.deviceID()
            device.withLock { device in
                device.kept = id
                device.isFailureReported = false
            }
            return id
        } catch {
            let (id, isNew): (String, Bool) = device.withLock { device in
                defer { device.isFailureReported = true }
                return (device.kept ?? device.passing, !device.isFailureReported)
            }
            // Without the lock, and once: whoever hears the report may ask for the id.
            if isNew { reports.send(.storage(String(describing: error))) }
            return id
        }
    }

    /// Gives this installation a new device id, from the next event on, in every process that shares the queue. Events
    /// that are queued already keep the id that they were recorded with.
    ///
    /// The service never accepts events of an erased device again. So call this after an erasure, before the person
    /// agrees to recording again, or when another person takes over the device. Read ``deviceID`` first if you still
    /// need the old id.
    ///
    /// What the client remembers about notifications and Live Activities belongs to the old id and is forgotten. Record
    /// the device token, the categories and the settings again, because under the new id the service has none.
    ///
    /// - Returns: true if the next event has a new id. False if the app gave the recorder a device id of its own: then
    ///   create a recorder with another one. False too if the queue's files cannot be changed: ``reportStream()`` says
    ///   why, and the app may call this again.
    @discardableResult
    public func resetDeviceID() -> Bool {
        guard fixedDeviceID == nil else { return false }
        do {
            try storage.resetDeviceID()
        } catch {
            reports.send(.storage(String(describing: error)))
            return false
        }
        device.withLock { $0 = Device() }
        stamped.withLock { $0 = StampedRequests() }
        taps.withLock { $0 = TapIdentity() }
        // What is known of the service extension is forgotten too, and must not count as its silence.
        observations.withLock { $0.isMutableSeen = false }
        return true
    }

    /// Records an event. When this returns, the event is on disk, or the receipt says why not.
    @discardableResult
    public func track(_ event: Event) -> Receipt {
        track([event])[0]
    }

    /// Records events that belong together, with one write to the disk. Invalid events are left out; all others are
    /// recorded.
    ///
    /// - Returns: a receipt for each event, in their order.
    @discardableResult
    public func track(_ events: [Event]) -> [Receipt] {
        if let reason = reasonNotToRecord { return events.map { _ in Receipt(reason: reason) } }
        let batch = EncodedBatch(events, deviceID: deviceID, context: options.context(), now: options.clock.now)
        return receipts(of: batch, failure: batch.queued.isEmpty ? nil : failure { try storage.append(batch.queued) })
    }

    /// Sends all queued events. Returns when the service has all of them, or when an attempt has failed. Events that
    /// are left are sent later automatically.
    @discardableResult
    public func flush() async -> FlushResult {
        isRecording ? await uploader.flush() : .stopped
    }

    /// Stores the person's consent to recording.
    ///
    /// - Parameter isGranted: false stops recording and sending at once and empties the queue, until this is called
    ///   with true. The choice is remembered. If a refusal cannot be stored, which ``reportStream()`` says, it holds in
    ///   this process all the same, and is stored as soon as that is possible. To erase what the service already has,
    ///   call `DELETE /v1/devices/…` there, and then ``resetDeviceID()``.
    public func setConsent(_ isGranted: Bool) {
        do {
            try storage.setConsent(isGranted ? .granted : .refused)
        } catch {
            reports.send(.storage(String(describing: error)))
        }
        // What the service extension recorded is forgotten without consent, and must not count as its silence.
        observations.withLock { $0.isMutableSeen = false }
        guard !isGranted else { return }
        handover?.stop()
        Task { [uploader] in await uploader.stop() }
    }

    /// Whether events are recorded now.
    public var isRecording: Bool {
        (try? permitsRecording()) ?? false
    }

    func permitsRecording() throws -> Bool {
        guard try storage.permitsRecording() else { return false }
        guard options.requiresConsent else { return true }
        // A storage of the app's own may not know of the option.
        return try storage.consent() == .granted
    }

    /// The numbers of queued and dropped events.
    public func status() -> QueueStatus {
        (try? storage.status()) ?? QueueStatus()
    }

    /// Reports events that were not delivered from now on. Up to 100 reports are buffered for a slow reader.
    public func reportStream() -> AsyncStream<Report> {
        reports.stream()
    }
}
