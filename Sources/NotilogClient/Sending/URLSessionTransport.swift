public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Notilog {
    /// Sends with `URLSession`, without cookies, caches or redirects.
    public final class URLSessionTransport: Transport {
        private let session: URLSession

        /// Creates a transport with its own session.
        ///
        /// - Parameter timeout: the number of seconds without data after which a request is given up.
        public init(timeout: TimeInterval = 30) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = timeout
            configuration.timeoutIntervalForResource = timeout * 4
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.httpMaximumConnectionsPerHost = 1
            session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        }

        deinit {
            session.finishTasksAndInvalidate()
        }

        /// Sends a request and waits for the whole answer.
        public func send(_ request: OutgoingRequest) async throws -> IncomingAnswer {
            var urlRequest = URLRequest(url: request.url)
            urlRequest.httpMethod = "POST"
            for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
            urlRequest.httpBody = request.body
            let running = Guarded<URLSessionDataTask?>(nil)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let task = session.dataTask(with: urlRequest) { data, response, error in
                        continuation.resume(with: Self.result(data, response, error))
                    }
                    running.withLock { $0 = task }
                    task.resume()
                    if Task.isCancelled { task.cancel() }
                }
            } onCancel: {
                running.withLock { $0?.cancel() }
            }
        }

        private static func result(
            _ data: Data?,
            _ response: URLResponse?,
            _ error: (any Error)?
        ) -> Result<IncomingAnswer, any Error> {
            if let error { return .failure(error) }
            guard let response = response as? HTTPURLResponse else { return .failure(URLError(.badServerResponse)) }
            var headers: [String: String] = [:]
            for case (let name as String, let value as String) in response.allHeaderFields { headers[name] = value }
            // What `URLSession` does not hold against an answer that was cut short.
            if let length = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) }),
                response.value(forHTTPHeaderField: "Content-Encoding") == nil, length > data?.count ?? 0
            {
                return .failure(URLError(.networkConnectionLost))
            }
            return .success(IncomingAnswer(status: response.statusCode, headers: headers, body: data ?? Data()))
        }
    }
}

/// Follows no redirect: only the service may get the write key, and a `POST` must not become a `GET`.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
