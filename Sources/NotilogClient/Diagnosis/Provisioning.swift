import Foundation

/// What the build's provisioning profile says. A build from the App Store has none, and is for production.
struct Provisioning: Sendable, Hashable {
    /// Whether its tokens belong to APNs' sandbox.
    var isSandbox = false
    /// Whether it is signed for development, so that a debugger may attach.
    var isDebug = false

    /// The build that is running.
    static let current: Provisioning = {
        #if targetEnvironment(simulator)
            return Provisioning(isSandbox: true, isDebug: true)
        #else
            #if os(macOS)
                let file = Bundle.main.bundleURL.appendingPathComponent("Contents/embedded.provisionprofile")
            #else
                let file = Bundle.main.bundleURL.appendingPathComponent("embedded.mobileprovision")
            #endif
            return (try? Data(contentsOf: file)).flatMap { Provisioning(profile: $0) } ?? Provisioning()
        #endif
    }()

    init(isSandbox: Bool = false, isDebug: Bool = false) {
        self.isSandbox = isSandbox
        self.isDebug = isDebug
    }

    /// Reads a profile: a plain property list in a signed envelope (CMS). Checking the signature is the system's task.
    init?(profile: Data) {
        guard let start = profile.range(of: Data("<?xml".utf8)),
            let end = profile.range(of: Data("</plist>".utf8), in: start.lowerBound..<profile.endIndex),
            let list = try? PropertyListSerialization.propertyList(
                from: profile[start.lowerBound..<end.upperBound],
                format: nil
            ) as? [String: Any],
            let entitlements = list["Entitlements"] as? [String: Any]
        else { return nil }
        let environment = entitlements["aps-environment"] ?? entitlements["com.apple.developer.aps-environment"]
        let isDebug = entitlements["get-task-allow"] ?? entitlements["com.apple.security.get-task-allow"]
        self.init(isSandbox: environment as? String == "development", isDebug: isDebug as? Bool ?? false)
    }
}
