#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation
    public import UserNotifications

    extension Notilog {
        /// The recorder for Objective-C.
        public typealias ObjectiveC = NLGNotilog
        /// The work of a service extension, for Objective-C.
        public typealias ObjectiveCExtension = NLGExtensionRecording
    }

    /// The recorder for Objective-C. It holds a ``Notilog``, and does nothing of its own.
    ///
    /// It is nested in nothing: the header for Objective-C has no classes that are nested in an extension of a Swift class.
    #if canImport(ObjectiveC)
        @objc(NLGNotilog) @objcMembers
    #endif
    public final class NLGNotilog: NSObject, @unchecked Sendable {
        /// The recorder, for the app's Swift.
        public let recorder: Notilog

        /// Makes a recorder.
        ///
        /// - Parameters:
        ///   - url: where the service is.
        ///   - writeKey: a key of scope `write`.
        ///   - options: everything else.
        public init(url: URL, writeKey: String, options: NLGOptions) {
            recorder = Notilog(url: url, writeKey: writeKey, options: options.options)
        }

        /// Makes it from a recorder that Swift made.
        public init(_ recorder: Notilog) {
            self.recorder = recorder
        }

        /// What this installation is called in every event.
        public var deviceID: String { recorder.deviceID }

        /// Whether events are recorded now.
        public var isRecording: Bool { recorder.isRecording }

        /// What keeps the client from hearing or sending, in sentences.
        public var diagnosis: [String] { recorder.diagnosis().map(\.description) }

        /// Keeps what the person has said to the recording of events.
        public func setConsent(_ isGranted: Bool) { recorder.setConsent(isGranted) }

        /// Sends what waits, and calls back on any thread with whether nothing waits any more.
        public func flush(completion: @escaping (Bool) -> Void) {
            let (recorder, handler) = (recorder, Handed(completion))
            Task { handler.value(await recorder.flush() == .sent) }
        }

        /// Sends what waits, for so many seconds at most, and calls back on any thread: before the completion handler of a push
        /// in the background, or at the end of an extension.
        public func flush(within seconds: TimeInterval, completion: @escaping (Bool) -> Void) {
            let (recorder, handler) = (recorder, Handed(completion))
            Task { handler.value(await recorder.flush(within: seconds) == .sent) }
        }

        #if !os(macOS)
            /// Takes in what became of background uploads, in
            /// `application:handleEventsForBackgroundURLSession:completionHandler:`.
            ///
            /// - Returns: whether the session is ours; then the handler is called, on the main thread.
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

        /// Asks for permission, and records the answer and the status before it.
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

        /// Records a response, where the app has a delegate of its own and did not install this one.
        public func record(response: UNNotificationResponse) { recorder.record(response) }

        /// Records what the app answers to `willPresent`, and that the notification is here.
        public func record(
            presentationOf notification: UNNotification,
            options: UNNotificationPresentationOptions
        ) {
            recorder.record(Notilog.Delivered(notification), source: .willPresent)
            recorder.record(notification, presentedWith: options)
        }

        /// Records the response that a scene was started by.
        public func record(sceneConnection response: UNNotificationResponse?) {
            recorder.record(sceneConnection: response)
        }

        /// Records that a content extension shows a notification, in its `didReceiveNotification:`.
        public func record(expanded notification: UNNotification) { recorder.record(expanded: notification) }

        /// Records a response in a content extension; then flush within a time, as nothing else sends it.
        public func record(contentExtensionResponse response: UNNotificationResponse) {
            recorder.record(response, by: .contentExtension)
        }

        /// Sets the app's categories, and records them.
        public func setCategories(_ categories: Set<UNNotificationCategory>, on center: UNUserNotificationCenter) {
            recorder.setCategories(categories, on: center)
        }

        /// Takes requests back that have not fired, and records that; all of them without identifiers.
        public func removePending(_ identifiers: [String]?, from center: UNUserNotificationCenter) {
            recorder.removePending(identifiers, from: center)
        }

        /// Takes notifications from the delivered list, and records that; all of them without identifiers.
        public func removeDelivered(_ identifiers: [String]?, from center: UNUserNotificationCenter) {
            recorder.removeDelivered(identifiers, from: center)
        }

        /// Records the settings and what the delivered list gained and lost: when the app becomes active.
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

        /// An attachment was loaded, or could not be.
        public func attachment(isLoaded: Bool) { recording.attachment(isLoaded: isLoaded) }

        /// Something failed, such as the decryption.
        public func failed(_ what: String) { recording.failed(what) }

        /// Records the delivery, sends it for two seconds at most, and hands the content on.
        public func finish(
            _ content: UNNotificationContent,
            contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            recording.finish(content, contentHandler: contentHandler)
        }

        /// The time is over: the first line of `serviceExtensionTimeWillExpire`.
        public func expire() { recording.expire() }
    }
#endif
