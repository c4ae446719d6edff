// The condition is the package's trait, not `canImport`: another package of the app may have built a module of that name.
#if SwiftLog
    import Logging
#elseif canImport(os)
    import os
#endif

/// Where the client's findings are written by default: swift-log if the package has it (trait `SwiftLog`), or else the
/// system's log on Apple's platforms.
enum Log {
    #if SwiftLog
        private static let logger = Logger(label: "notilog.client")

        static func warn(_ message: String) { logger.warning("\(message)") }
    #elseif canImport(os)
        private static let logger = Logger(subsystem: "notilog", category: "client")

        static func warn(_ message: String) { logger.warning("\(message, privacy: .public)") }
    #else
        static func warn(_ message: String) {}
    #endif
}
