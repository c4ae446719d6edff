#if canImport(UserNotifications) && !os(tvOS)
    public import Foundation

    /// What may be chosen, for Objective-C; see ``Notilog/Options``.
    #if canImport(ObjectiveC)
        @objc(NLGOptions) @objcMembers
    #endif
    public final class NLGOptions: NSObject {
        /// The App Group that app and extensions share; `nil` without one.
        public var appGroup: String?
        /// Whether nothing is recorded until consent was given.
        public var requiresConsent = false
        /// Whether what a person typed into a notification is sent, and not its length alone.
        public var sendsReplyText = false
        /// Whether events are sent by themselves. Off in extensions.
        public var sendsAutomatically = true
        /// Whether `app_open` is recorded by itself, each time that the app comes to the foreground.
        public var recordsAppOpens = false
        /// Whether the system goes on sending while the app is suspended or ended. macOS suspends no app: there it changes
        /// nothing.
        public var backgroundUploads = false
        /// The folder in which the queue is, where it is not to be the usual one.
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
