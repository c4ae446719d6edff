// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Dispatch
public import Foundation

/// Apple: `performExpiringActivity`, which Foundation has on Apple's platforms alone.
extension ProcessInfo {
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        // For tests: who asks in vain says so.
        let isExpired = reason.hasSuffix("no time")
        DispatchQueue.global().async {
            block(isExpired)
            // For tests: from here on the process may be suspended.
            NotificationCenter.default.post(name: Notification.Name("ended: " + reason), object: nil)
        }
    }
}
