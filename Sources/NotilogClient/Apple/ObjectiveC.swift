#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation
    public import UserNotifications

    extension Notilog {
        /// The recorder for Objective-C.
        public typealias ObjectiveC = NLGNotilog
        /// The work of a service extension, for Objective-C.
        public typealias ObjectiveCExtension = NLGExtensionRecording
    }

    /// The recorder for Objective-C. It wraps a ``Notilog``, and does nothing of its own.
    ///
    /// It is a top-level class, because the header for Objective-C omits classes nested in an extension of a Swift
    /// class.
    #if canImport(ObjectiveC)
        @objc(NLGNotilog) @objcMembers
    #endif
    public final class NLGNotilog: NSObject, @unchecked Sendable {
        /// The recorder, for the app's Swift code.
        public let recorder: Notilog

        /// Creates a recorder.
        ///
        /// - Parameters:
        ///   - url: the URL of the service.
        ///   - writeKey: a key of scope `write`.
        ///   - options: everything else.
        public init(url: URL, writeKey: String, options: NLGOptions) {
            recorder = Notilog(url: url, writeKey: writeKey, options: options.options)
        }

        /// Creates it from a recorder that Swift code created.
        public init(_ recorder: Notilog) {
            self.recorder = recorder
        }

        /// The name of this installation in every event.
        public var deviceID: String { recorder.deviceID }

        /// Whether events are recorded now.
        public var isRecording: Bool { recorder.isRecording }

        /// What keeps the client from recording or sending, in sentences.
        public var diagnosis: [String] { recorder.diagnosis().map(\.description) }

        /// Gives this installation a new device id, from the next event on; see ``Notilog/resetDeviceID()``.
        ///
        /// - Returns: whether the next event has a new id.
        @discardableResult
        public func resetDeviceID() -> Bool { recorder.resetDeviceID() }

        /// Stores the person's consent to recording.
        public func setConsent(_ isGranted: Bool) { recorder.setConsent(isGranted) }

        /// Sends all queued events, and calls back on any thread with whether everything was sent.
        public func flush(completion: @escaping (Bool) -> Void) {
            let (recorder, handler) = (recorder, Handed(completion))
            Task { handler.value(await recorder.flush() == .sent) }
        }

        /// Sends what waits, for at most this number of seconds, and calls back on any thread. Use it before the
        /// completion handler of a push in the background, or at the end of an extension.
        public func flush(within seconds: TimeInterval, completion: @escaping (Bool) -> Void) {
            let (recorder, handler) = (recorder, Handed(completion))
            Task { handler.value(await recorder.flush(within: seconds) == .sent) }
        }

        #if !os(macOS)
            /// Takes the results of background uploads, in
            /// `application:handleEventsForBackgroundURLSession:completionHandler:`.
            ///
            /// - Returns: whether the session belongs to Notilog. If so, the handler is called on the main thread.
            @discardableResult
            public func handleBackgroundEvents(
                for identifier: String,
                completionHandler: @escaping () -> Void
            ) -> Bool {
                recorder.handleBackgroundEvents(for: identifier, completionHandler: completionHandler)
            }
        #endif

        /// Records the callbacks of the center, and forwards them; see
        /// ``Notilog/install(on:forwardingTo:presentation:legacy:)``.
        public func install(
            on center: UNUserNotificationCenter,
            forwardingTo delegate: (any UNUserNotificationCenterDelegate)?,
            presentation: UNNotificationPresentationOptions
        ) {
            recorder.install(on: center, forwardingTo: delegate, presentation: presentation)
        }

        /// Asks for permission, and records the answer, the status before it, and the settings after it.
        public func requestAuthorization(
            options: UNAuthorizationOptions,
            center: UNUserNotificationCenter,
            completion: ((Bool, (any Error)?) -> Void)?
        ) {
            let handler = Handed(completion)
            recorder.requestAuthorization(options: options, center: center) { handler.value?($0, $1) }
        }

        /// Stamps, adds and records a request.
        public func add(
            _ request: UNNotificationRequest,
            to center: UNUserNotificationCenter,
            completion: (((any Error)?) -> Void)?
        ) {
            let handler = Handed(completion)
            recorder.add(request, to: center) { handler.value?($0) }
        }

        /// Records a response, if the app has its own delegate and did not install this one.
        public func record(response: UNNotificationResponse) { recorder.record(response) }

        /// Records the app's answer to `willPresent`, and that the notification arrived.
        public func record(
            presentationOf notification: UNNotification,
            options: UNNotificationPresentationOptions
        ) {
            recorder.record(Notilog.Delivered(notification), source: .willPresent)
            recorder.record(notification, presentedWith: options)
        }

        /// Records the response that started a scene.
        public func record(sceneConnection response: UNNotificationResponse?) {
            recorder.record(sceneConnection: response)
        }

        /// Records that a content extension shows a notification, in its `didReceiveNotification:`.
        public func record(expanded notification: UNNotification) { recorder.record(expanded: notification) }

        /// Records a response in a content extension. Then flush within a time, because nothing else sends it.
        public func record(contentExtensionResponse response: UNNotificationResponse) {
            recorder.record(response, by: .contentExtension)
        }

        /// Sets the app's categories, and records them.
        public func setCategories(_ categories: Set<UNNotificationCategory>, on center: UNUserNotificationCenter) {
            recorder.setCategories(categories, on: center)
        }

        /// Removes pending requests, and records that. Without identifiers, it removes all.
        public func removePending(_ identifiers: [String]?, from center: UNUserNotificationCenter) {
            recorder.removePending(identifiers, from: center)
        }

        /// Removes notifications from the delivered list, and records that. Without identifiers, it removes all.
        public func removeDelivered(_ identifiers: [String]?, from center: UNUserNotificationCenter) {
            recorder.removeDelivered(identifiers, from: center)
        }

        /// Records the settings, and what entered and left the delivered list. Call it when the app becomes active.
        public func recordState(of center: UNUserNotificationCenter) {
            recorder.recordSettings(of: center)
            recorder.sweepDelivered(of: center)
        }

        /// Records a device token.
        public func record(deviceToken: Data) { recorder.record(deviceToken: deviceToken) }

        /// Records that registration failed.
        public func record(tokenFailure error: any Error) { recorder.record(tokenFailure: error) }

        /// Begins to time what a service extension does with a notification.
        public func beginExtension(_ request: UNNotificationRequest) -> NLGExtensionRecording {
            NLGExtensionRecording(recorder.beginExtension(request))
        }
    }

    /// The work of a service extension, for Objective-C.
    #if canImport(ObjectiveC)
        @objc(NLGExtensionRecording) @objcMembers
    #endif
    public final class NLGExtensionRecording: NSObject, @unchecked Sendable {
        private let recording: Notilog.ExtensionRecording

        init(_ recording: Notilog.ExtensionRecording) {
            self.recording = recording
        }

        /// An attachment was loaded, or failed to load.
        public func attachment(isLoaded: Bool) { recording.attachment(isLoaded: isLoaded) }

        /// Something failed, such as the decryption.
        public func failed(_ what: String) { recording.failed(what) }

        /// Records the delivery, sends it for at most two seconds, and passes the content on.
        public func finish(
            _ content: UNNotificationContent,
            contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            recording.finish(content, contentHandler: contentHandler)
        }

        /// The time is over. Call this in the first line of `serviceExtensionTimeWillExpire`.
        public func expire() { recording.expire() }
    }
#endif
