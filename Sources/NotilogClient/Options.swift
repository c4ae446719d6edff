public import Foundation

extension Notilog {
    /// What may be chosen, and what a test may bring of its own. Everything has a value that suits an app.
    public struct Options: Sendable {
        /// Whether nothing is recorded until ``Notilog/setConsent(_:)`` has said yes. Off unless set.
        public var requiresConsent = false
        /// Whether what a person typed into a notification is sent. Off unless set: its length alone is. The service
        /// keeps it only for apps that have `keep_reply_text` switched on there too.
        public var sendsReplyText = false
        /// Whether events are sent by themselves. Off, they wait for ``Notilog/flush()``, or for an app that
        /// shares the queue.
        public var sendsAutomatically = true
        /// Seconds between an event and the request that carries it, so that those made together travel together.
        public var sendingDelay: TimeInterval = 2
        /// The same in Low Data Mode: a quarter of an hour. What the person did, and what waits as the app leaves the
        /// foreground, is sent at once there too.
        public var lowDataDelay: TimeInterval = 900
        /// Events in one request, at most.
        public var batchEvents = 500
        /// Bytes of JSON in one request, at most, before compression.
        public var batchBytes = 1 << 20
        /// The waits after failures.
        public var backoff = Backoff()
        /// How much the queue may hold.
        public var limits = QueueLimits()
        /// The App Group in whose folder the queue is, where extensions record too. It must stand in the entitlements
        /// of app and extension.
        public var appGroup: String?
        /// The folder in which the queue is. Unless set, one in the App Group's container, else in Application Support
        /// (on tvOS, which has none that stays, in Caches).
        public var folder: URL?
        /// Called with what became of events that did not get there, on any thread.
        public var onReport: (@Sendable (Report) -> Void)?
        /// Called with what keeps the client from hearing or sending; see ``Notilog/diagnosis()``. Unless set, it goes to
        /// swift-log (in an app that depends on Notilog with the trait `SwiftLog`) or to the system's log.
        public var log: @Sendable (String) -> Void = { Log.warn($0) }
        /// What the write key is for. Only a warning depends on it.
        public var keyEnvironment = KeyEnvironment.production
        /// Whether `app_open` is recorded by itself, each time that the app comes to the foreground. Off unless set. With it the
        /// app calls ``Notilog/recordAppOpen(_:isCold:notificationID:)`` no more.
        public var recordsAppOpens = false
        /// Who goes on sending while the app is suspended or ended; nobody unless set. On Apple's platforms
        /// `BackgroundSession` does.
        public var backgroundUploads: (any BackgroundUploads)?
        /// Where the system tells that the app leaves the foreground.
        var notifications = NotificationCenter.default
        /// What is running: an app, or an extension (`.appex`).
        var bundle = Bundle.main.bundleURL
        /// What the provisioning profile says.
        var provisioning = Provisioning.current
        /// Where the app runs, asked for each event.
        public var context: @Sendable () -> Context = { .current }
        /// Another storage for queued events.
        public var storage: (any EventStorage)?
        /// Another way to the service.
        public var transport: (any Transport)?
        /// What network there is.
        public var connectivity: any Connectivity = Self.systemConnectivity
        /// Who is asked for time in the background.
        public var backgroundTime: any BackgroundTime = SystemBackgroundTime()
        /// Another clock.
        public var clock: any DeviceClock = SystemClock()
        /// Numbers from 0 up to 1, for the jitter.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }

        /// Options with their usual values.
        public init() {}

        private static var systemConnectivity: any Connectivity {
            #if canImport(Network)
                PathConnectivity()
            #else
                AssumedConnectivity()
            #endif
        }

        /// The folder of the App Group; `nil` if the entitlements do not have it.
        private var groupFolder: URL? {
            #if canImport(Darwin)
                return appGroup.flatMap { FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0) }
            #else
                return nil
            #endif
        }

        /// Whether the App Group has a folder.
        var hasGroupFolder: Bool { groupFolder != nil }

        /// Whether this is an extension that keeps its queue for itself.
        var isExtensionAlone: Bool {
            bundle.pathExtension == "appex" && appGroup == nil && folder == nil && storage == nil
        }

        /// Where the queue is.
        var queueFolder: URL {
            if let folder { return folder }
            if let groupFolder {
                return groupFolder.appendingPathComponent("Library/Application Support/Notilog", isDirectory: true)
            }
            let files = FileManager.default
            #if os(tvOS)
                let directory = FileManager.SearchPathDirectory.cachesDirectory
            #else
                let directory = FileManager.SearchPathDirectory.applicationSupportDirectory
            #endif
            let base = files.urls(for: directory, in: .userDomainMask).first ?? files.temporaryDirectory
            return base.appendingPathComponent("Notilog", isDirectory: true)
        }
    }
}
