// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
public import FoundationNetworking

// What `URLSession` has on Apple's platforms alone: sessions that go on while the app is suspended. This one ends with the
// process.

extension URLSessionConfiguration {
    /// Apple: `background(withIdentifier:)`
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration { .ephemeral }

    /// Apple: `sessionSendsLaunchEvents`
    public var sessionSendsLaunchEvents: Bool {
        get { true }
        set {}
    }

    /// Apple: `sharedContainerIdentifier`
    public var sharedContainerIdentifier: String? {
        get { nil }
        set {}
    }
}
