#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation

    /// Options of the recorder for Objective-C; see ``Notilog/Options``.
    #if canImport(ObjectiveC)
        @objc(NLGOptions) @objcMembers
    #endif
    public final class NLGOptions: NSObject {
        /// The App Group that app and extensions share; `nil` without one.
        public var appGroup: String?
        /// Whether recording waits until consent is given.
        public var requiresConsent = false
        /// Whether the text that a person typed into a notification is sent, instead of only its length.
        public var sendsReplyText = false
        /// Whether events are sent automatically. Off in extensions.
        public var sendsAutomatically = true
        /// Whether `app_open` is recorded automatically each time the app comes to the foreground.
        public var recordsAppOpens = false
        /// Whether the system continues sending while the app is suspended or terminated. macOS suspends no apps, so
        /// there it has no effect.
        public var backgroundUploads = false
        /// The folder of the queue, if it is not the default one.
        public var folder: URL?

        /// The same for Swift.
        var options: Notilog.Options {
            var options = Notilog.Options()
            options.appGroup = appGroup
            options.requiresConsent = requiresConsent
            options.sendsReplyText = sendsReplyText
            options.sendsAutomatically = sendsAutomatically
            options.recordsAppOpens = recordsAppOpens
            options.folder = folder
            #if !os(macOS)
                if backgroundUploads { options.backgroundUploads = Notilog.BackgroundSession(appGroup: appGroup) }
            #endif
            return options
        }
    }
#endif
