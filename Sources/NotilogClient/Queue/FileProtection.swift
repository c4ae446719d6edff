import Foundation

/// What keeps the queue's files encrypted until the device is first unlocked after a start: a push may come while it is
/// locked again, and the extension then records it.
enum FileProtection {
    /// The attributes of each of the queue's files.
    static var attributes: [FileAttributeKey: Any] {
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
    }

    /// What a folder is created with. In an app whose entitlement says `NSFileProtectionComplete`, nothing can be created on a
    /// locked device but with a class of its own.
    static var ofFolder: [FileAttributeKey: Any]? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            return attributes
        #else
            return nil
        #endif
    }

    /// What a file is created with: for the app's own user alone.
    static var ofFile: [FileAttributeKey: Any] {
        let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            return permissions.merging(attributes) { own, _ in own }
        #else
            return permissions
        #endif
    }

    /// Creates an empty file where there is none, on the systems that protect files: `open` has no class to create it with.
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

    /// Protects a file that an earlier version created, on the systems that do that.
    static func protect(_ path: String) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            try? FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        #endif
    }
}
