public import Foundation

extension Notilog {
    /// Uploads by the system, which continue while the app is suspended and after it was terminated. On Apple's
    /// platforms, use `BackgroundSession`, which works with a background `URLSession`.
    public protocol BackgroundUploads: Sendable {
        /// Reports the end of each upload, on any thread, including uploads of an earlier process. It is called once,
        /// before anything else.
        ///
        /// - Parameter onEnd: takes the upload's name and its answer, which is `nil` if there was none. It returns when
        ///   the next upload has begun. The process should not be suspended before that.
        func observe(_ onEnd: @escaping @Sendable (_ name: String, _ answer: IncomingAnswer?) async -> Void)

        /// The names of uploads in progress.
        func underWay() async -> [String]

        /// Begins an upload.
        ///
        /// - Parameters:
        ///   - request: the URL and the headers. Its body is empty.
        ///   - file: the body. The file stays until the upload has ended.
        ///   - name: the upload's name for `observe` and `underWay`.
        ///   - date: the upload should not begin before this time.
        func begin(_ request: OutgoingRequest, file: URL, name: String, notBefore date: Date?)

        /// Cancels the uploads in progress.
        func cancel()
    }
}
