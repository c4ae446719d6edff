public import Foundation

extension Notilog {
    /// Options of the recorder, and replaceable parts for tests. Every option has a default that suits an app.
    public struct Options: Sendable {
        /// Whether recording waits until ``Notilog/setConsent(_:)`` has been called with true. Default: false.
        ///
        /// The queue's folder remembers it: once a recorder with this option has used the folder, recording waits in
        /// every recorder there, such as those of extensions. A later version of the app that no longer requires
        /// consent calls `setConsent(true)`.
        public var requiresConsent = false
        /// Whether the text that a person typed into a notification is sent. Default: false, which sends only its
        /// length. The service keeps the text only for apps that also have `keep_reply_text` switched on there. Text
        /// with which an event would be larger than the service accepts, 32 KiB, is left out.
        public var sendsReplyText = false
        /// Whether events are sent automatically. If false, they wait for ``Notilog/flush()``, or for an app that
        /// shares the queue.
        public var sendsAutomatically = true
        /// Seconds between an event and the request that carries it, so that events close together share a request.
        public var sendingDelay: TimeInterval = 2
        /// The same in Low Data Mode: 15 minutes. Even then, actions of the person are sent at once, and so is what
        /// waits when the app leaves the foreground.
        public var lowDataDelay: TimeInterval = 900
        /// The maximum number of events in one request.
        public var batchEvents = 500
        /// The maximum number of bytes of JSON in one request, before compression.
        public var batchBytes = 1 << 20
        /// The waits after failures.
        public var backoff = Backoff()
        /// How much the queue may hold.
        public var limits = QueueLimits()
        /// The App Group whose folder holds the queue, so that extensions record into it too. The entitlements of the
        /// app and of each extension must contain the group.
        public var appGroup: String?
        /// The folder of the queue. Default: the folder `Notilog/<bundle identifier>` in the App Group's container, or
        /// else in Application Support. On tvOS, which has no lasting folder, it is in Caches, of the container or of the
        /// app. The identifier is the app's, in its extensions too, so that apps of one App Group have a queue each. A
        /// program without a bundle has the name of its process there.
        public var folder: URL?
        /// Called on any thread when events were not delivered, with the reason.
        public var onReport: (@Sendable (Report) -> Void)?
        /// Called with what keeps the client from recording or sending; see ``Notilog/diagnosis()``. Default: writes to
        /// swift-log (in an app that depends on Notilog with the trait `SwiftLog`) or to the system's log.
        public var log: @Sendable (String) -> Void = { Log.warn($0) }
        /// What the write key is for. It affects only a warning.
        public var keyEnvironment = KeyEnvironment.production
        /// Whether `app_open` is recorded automatically each time the app comes to the foreground. Default: false. If
        /// true, the app must not call ``Notilog/recordAppOpen(_:isCold:notificationID:)``.
        public var recordsAppOpens = false
        /// Sends while the app is suspended or terminated. Default: nil. On Apple's platforms, use `BackgroundSession`.
        public var backgroundUploads: (any BackgroundUploads)?
        /// Where the system announces that the app leaves the foreground.
        var notifications = NotificationCenter.default
        /// What is running: an app, or an extension (`.appex`).
        var bundle = Bundle.main.bundleURL
        /// What the provisioning profile says.
        var provisioning = Provisioning.current
        /// The app's environment, read for each event.
        public var context: @Sendable () -> Context = { .current }
        /// A replacement for the storage of queued events.
        public var storage: (any EventStorage)?
        /// A replacement for the transport to the service.
        public var transport: (any Transport)?
        /// Which network is available.
        public var connectivity: any Connectivity = Self.systemConnectivity
        /// What requests background time.
        public var backgroundTime: any BackgroundTime = SystemBackgroundTime()
        /// A replacement for the clock.
        public var clock: any DeviceClock = SystemClock()
        /// Numbers from 0 up to 1, for the jitter.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }

        /// Creates options with their defaults.
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
            let process = ProcessInfo.processInfo.processName
            let base = Self.baseFolder(in: groupFolder, isTV: Self.isTV)
            return Self.queueFolder(in: base, of: bundle, process: process) { bundle in
                // A program without a bundle may have an identifier in its executable. Only the main bundle knows it.
                bundle == Bundle.main.bundleURL ? Bundle.main.bundleIdentifier : Bundle(url: bundle)?.bundleIdentifier
            }
        }

        /// The folder of an app's queue within a folder that other apps may use too.
        ///
        /// - Parameters:
        ///   - base: the folder that others may use.
        ///   - bundle: the bundle that is running, of the app or of one of its extensions.
        ///   - process: the name to take if there is no identifier.
        ///   - identifier: the identifier of a bundle; `nil` if it has none, or cannot be read.
        static func queueFolder(
            in base: URL,
            of bundle: URL,
            process: String,
            identifier: (URL) -> String?
        ) -> URL {
            base.appendingPathComponent("Notilog", isDirectory: true)
                .appendingPathComponent(appIdentifier(bundle, identifier) ?? process, isDirectory: true)
        }

        /// The identifier of an app, from its bundle or from the bundle of one of its extensions.
        private static func appIdentifier(_ bundle: URL, _ identifier: (URL) -> String?) -> String? {
            guard bundle.pathExtension == "appex" else { return identifier(bundle) }
            if let app = AppBundle.around(bundle), let found = identifier(app) { return found }
            // The app cannot be read. Apple requires that the extension's identifier begins with the app's.
            let parts = (identifier(bundle) ?? "").split(separator: ".").dropLast()
            return parts.isEmpty ? nil : parts.joined(separator: ".")
        }

        /// The folder that holds the queue's, and may hold those of other apps.
        ///
        /// - Parameters:
        ///   - group: the App Group's container; `nil` if there is none.
        ///   - isTV: whether the system is tvOS, which lets apps write to Caches alone, in an App Group too.
        static func baseFolder(in group: URL?, isTV: Bool) -> URL {
            if let group {
                return group.appendingPathComponent(
                    isTV ? "Library/Caches" : "Library/Application Support",
                    isDirectory: true
                )
            }
            let files = FileManager.default
            let directory = isTV ? FileManager.SearchPathDirectory.cachesDirectory : .applicationSupportDirectory
            return files.urls(for: directory, in: .userDomainMask).first ?? files.temporaryDirectory
        }

        /// Whether the system is tvOS.
        static var isTV: Bool {
            #if os(tvOS)
                return true
            #else
                return false
            #endif
        }
    }
}
