import Foundation

/// What keeps the queue's files encrypted until the device is first unlocked after a start: a push may come while it is
/// locked again, and the extension then records it.
enum FileProtection {
    /// The attributes of each of the queue's files.
    static var attributes: [FileAttributeKey: Any] {
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
    }

    /// Protects a file, on the systems that do that.
    static func protect(_ path: String) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            try? FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        #endif
    }
}
