public import Foundation

extension Notilog {
    /// Sends requests by the system, which goes on while the app is suspended, and after it was ended. On Apple's platforms
    /// `BackgroundSession`, by a background `URLSession`.
    public protocol BackgroundUploads: Sendable {
        /// Calls back with what became of each upload, on any thread; of those of an earlier process too. Called once, first.
        ///
        /// - Parameter onEnd: takes the upload's name, and its answer; `nil` if there was none. It returns once the next upload
        ///   has begun: until then the process should not be suspended.
        func observe(_ onEnd: @escaping @Sendable (_ name: String, _ answer: IncomingAnswer?) async -> Void)

        /// The names of the uploads that are under way.
        func underWay() async -> [String]

        /// Begins an upload.
        ///
        /// - Parameters:
        ///   - request: where to, and the headers; its body is empty.
        ///   - file: the body, which stays until the upload has ended.
        ///   - name: what `observe` and `underWay` call it.
        ///   - date: the time before which it should not begin.
        func begin(_ request: OutgoingRequest, file: URL, name: String, notBefore date: Date?)

        /// Gives up what is under way.
        func cancel()
    }
}
