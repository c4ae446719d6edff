import Foundation

/// Calls a handler of the system's on the main thread: UIKit's assertions stop the app where its handlers, and those of the
/// notification center, are called on another.
func onMain(_ handler: @escaping @Sendable () -> Void) {
    if Thread.isMainThread { return handler() }
    DispatchQueue.main.async { handler() }
}
