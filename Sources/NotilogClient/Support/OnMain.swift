import Foundation

/// Calls one of the system's handlers on the main thread. UIKit's assertions stop the app if its handlers, or those of
/// the notification center, are called on another thread.
func onMain(_ handler: @escaping @Sendable () -> Void) {
    if Thread.isMainThread { return handler() }
    DispatchQueue.main.async { handler() }
}
