import Foundation

/// Keeps the queue's files encrypted until the device is first unlocked after a restart. A push may arrive when the
/// device is locked again, and the extension can still record it.
enum FileProtection {
    /// The attributes of each of the queue's files.
    static var attributes: [FileAttributeKey: Any] {
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
    }

    /// The attributes of a new folder. If the app's entitlement is `NSFileProtectionComplete`, files can be created on
    /// a locked device only with a class of their own.
    static var ofFolder: [FileAttributeKey: Any]? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            return attributes
        #else
            return nil
        #endif
    }

    /// The attributes of a new file: only the app's own user may use it.
    static var ofFile: [FileAttributeKey: Any] {
        let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            return permissions.merging(attributes) { own, _ in own }
        #else
            return permissions
        #endif
    }

    /// Creates an empty file if there is none, on systems that protect files, because `open` cannot set a class.
    static func create(_ path: String) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            guard access(path, F_OK) != 0 else { return }
            // Another process may create it at the same time, and have written to it: it is not overwritten.
            var options = Data.WritingOptions.completeFileProtectionUntilFirstUserAuthentication
            options.insert(.withoutOverwriting)
            try? Data().write(to: URL(fileURLWithPath: path), options: options)
            try? FileManager.default.setAttributes(ofFile, ofItemAtPath: path)
        #endif
    }

    /// Protects a file that an earlier version created, on systems that protect files.
    static func protect(_ path: String) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            try? FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        #endif
    }
}
