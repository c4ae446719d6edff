extension Notilog {
    /// A problem that keeps the client from recording or sending, and how to solve it.
    public enum Finding: Sendable, Hashable, CustomStringConvertible {
        /// The notification center has a different delegate from the one that
        /// ``Notilog/install(on:forwardingTo:presentation:legacy:)`` set. `by` is its class.
        case delegateReplaced(by: String)
        /// The App Group has no container. The queue is in a folder that the extensions cannot see.
        case appGroupMissing(String)
        /// An extension has neither an App Group nor a folder. The app cannot see its queue.
        case appGroupUnset
        /// This number of callbacks concerned notifications without a mark.
        case unmarked(Int)
        /// Pushes with words and `mutable-content` arrived, but no service extension has recorded one in this queue.
        case extensionSilent
        /// A build that is signed for development uses a production key.
        case productionKeyInDebugBuild
        /// The service does not accept this app.
        case barred(status: Int, code: String?)

        /// The problem, what it means and how to solve it.
        public var description: String {
            switch self {
            case .delegateReplaced(let name):
                """
                \(name) became the delegate of the notification center after install(). Unless it forwards to the delegate \
                before it, no response is recorded. Call install() after it, or pass it as forwardingTo.
                """
            case .appGroupMissing(let group):
                """
                The App Group \(group) has no container. The queue is in the app's own folder, and extensions have another. \
                Add the group to the entitlements of the app and of each extension.
                """
            case .appGroupUnset:
                """
                This extension has no options.appGroup. Its queue is in a folder of its own, with a device id of its own, and the \
                app does not send it. Set the App Group of the app, here and there.
                """
            case .unmarked(let count):
                """
                \(count) callbacks were about notifications without a mark. Reports cannot connect them to their requests. \
                Add requests with add() or stamp(), and put "notilog": {"id": …} into the payload of pushes.
                """
            case .extensionSilent:
                """
                Pushes with mutable-content arrived, but no service extension has recorded one. delivery_rate is not known. \
                Call beginExtension() and finish() in the service extension, with the App Group of the app.
                """
            case .productionKeyInDebugBuild:
                """
                This build is signed for development and sends with a key for production: its events count among those of \
                the app's users. Use a key of another app, and set options.keyEnvironment to development.
                """
            case .barred(let status, let code):
                """
                The service answered \(status)\(code.map { " (\($0))" } ?? ""). The events stay in the queue. For 401 and \
                403, check the key and its scope; for 404, the URL; for 400, what is between the app and the service.
                """
            }
        }

        /// One finding of each sort is logged in a process.
        var sort: String {
            switch self {
            case .delegateReplaced: "delegateReplaced"
            case .appGroupMissing: "appGroupMissing"
            case .appGroupUnset: "appGroupUnset"
            case .unmarked: "unmarked"
            case .extensionSilent: "extensionSilent"
            case .productionKeyInDebugBuild: "productionKeyInDebugBuild"
            case .barred: "barred"
            }
        }
    }

    /// What the app's write key is for.
    public enum KeyEnvironment: Sendable, Hashable {
        /// The app that people use.
        case production
        /// A separate app in the service, for builds that are signed for development.
        case development
    }
}
