#if canImport(UserNotifications) && !os(macOS)
    public import Foundation
    // Not needed by Apple's compilers: it brings the stand-in of background sessions that Linux compiles against.
    import UserNotifications

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    extension Notilog {
        /// Uploads with a background `URLSession`. There, the system itself follows a redirect, without the write key.
        ///
        ///     options.backgroundUploads = Notilog.BackgroundSession(appGroup: "group.com.example.app")
        ///
        /// The app's delegate passes the system's call on: see
        /// ``Notilog/handleBackgroundEvents(for:completionHandler:)``.
        public final class BackgroundSession: BackgroundUploads {
            private static let prefix = "notilog."
            /// More than the longest answer, which says something about each event of the largest batch.
            private static let answerBytes = 4 << 20

            private let own: String
            private let appGroup: String?
            private let events: Events

            /// Creates a session of this app or extension.
            ///
            /// - Parameter appGroup: the App Group that contains the queue; `nil` without one.
            public init(appGroup: String? = nil) {
                self.appGroup = appGroup
                own = Self.prefix + (Bundle.main.bundleIdentifier ?? "app")
                events = Events(own: own)
            }

            deinit {
                for session in events.sessions.withLock({ $0.values }) { session.finishTasksAndInvalidate() }
            }

            /// Reports the end of each upload; see ``BackgroundUploads/observe(_:)``.
            public func observe(
                _ onEnd: @escaping @Sendable (_ name: String, _ answer: IncomingAnswer?) async -> Void
            ) {
                events.state.withLock { $0.onEnd = onEnd }
                // The system tells of the uploads of an earlier process once there is a session of the same name.
                _ = session(own)
            }

            /// The names of uploads in progress.
            public func underWay() async -> [String] {
                let session = session(own)
                return await withCheckedContinuation { continuation in
                    session.getAllTasks { tasks in continuation.resume(returning: tasks.compactMap(\.taskDescription)) }
                }
            }

            /// Begins an upload; see ``BackgroundUploads/begin(_:file:name:notBefore:)``.
            public func begin(_ request: OutgoingRequest, file: URL, name: String, notBefore date: Date?) {
                var urlRequest = URLRequest(url: request.url)
                urlRequest.httpMethod = "POST"
                for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
                let task = session(own).uploadTask(with: urlRequest, fromFile: file)
                task.taskDescription = name
                #if canImport(Darwin)
                    task.earliestBeginDate = date
                #endif
                task.resume()
            }

            /// Cancels the uploads in progress.
            public func cancel() {
                for session in events.sessions.withLock({ Array($0.values) }) {
                    session.getAllTasks { tasks in for task in tasks { task.cancel() } }
                }
            }

            /// Takes the results of uploads that ended while no process ran: those of the app, or of one of its
            /// extensions.
            ///
            /// - Returns: false if the session belongs to somebody else.
            func handle(_ identifier: String, _ completion: @escaping @Sendable () -> Void) -> Bool {
                guard identifier.hasPrefix(Self.prefix) else { return false }
                events.take(completion, of: identifier)
                _ = session(identifier)
                return true
            }

            /// All results kept for a session were delivered. For tests, because only Apple's system reports this.
            func finish(_ identifier: String) {
                events.finish(identifier)
            }

            /// The existing sessions. For tests.
            var identifiers: Set<String> { Set(events.sessions.withLock { Array($0.keys) }) }

            private func session(_ identifier: String) -> URLSession {
                events.sessions.withLock { sessions in
                    if let session = sessions[identifier] { return session }
                    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
                    configuration.sharedContainerIdentifier = appGroup
                    configuration.isDiscretionary = false
                    configuration.sessionSendsLaunchEvents = true
                    configuration.httpCookieStorage = nil
                    configuration.httpShouldSetCookies = false
                    configuration.urlCache = nil
                    // What is not sent by then is sent by the app.
                    configuration.timeoutIntervalForResource = Handover.lifetime
                    let session = URLSession(configuration: configuration, delegate: events, delegateQueue: nil)
                    sessions[identifier] = session
                    return session
                }
            }

            /// The sessions' delegate, which the system calls on a queue of its own.
            private final class Events: NSObject, URLSessionDataDelegate {
                struct State {
                    var onEnd: (@Sendable (String, IncomingAnswer?) async -> Void)?
                    var bodies: [ObjectIdentifier: Data] = [:]
                    var completions: [String: @Sendable () -> Void] = [:]
                    /// When all results of the own session were delivered without a completion handler.
                    var ownFinished: Date?
                    /// The consequences of the uploads that have ended, one after the other.
                    var work: Task<Void, Never>?
                }

                /// The own session exists before the app's delegate is called, so all of its results may have been
                /// delivered before the handler is there. Results of more seconds ago belong to no handler: the app was in
                /// the foreground.
                private static let handlerDelay: TimeInterval = 30

                let own: String
                let sessions = Guarded<[String: URLSession]>([:])
                let state = Guarded(State())

                init(own: String) {
                    self.own = own
                }

                func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                    let isTooLarge = state.withLock { state in
                        let body = (state.bodies[ObjectIdentifier(dataTask)] ?? Data()) + data
                        state.bodies[ObjectIdentifier(dataTask)] = body
                        return body.count > BackgroundSession.answerBytes
                    }
                    if isTooLarge { dataTask.cancel() }
                }

                func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                    let response = error == nil ? task.response as? HTTPURLResponse : nil
                    let name = task.taskDescription
                    state.withLock { state in
                        let body = state.bodies.removeValue(forKey: ObjectIdentifier(task)) ?? Data()
                        guard let name, let onEnd = state.onEnd else { return }
                        let answer = response.map { IncomingAnswer(status: $0.statusCode, body: body) }
                        let before = state.work
                        state.work = Task {
                            _ = await before?.value
                            await onEnd(name, answer)
                        }
                    }
                }

                /// Apple: the session can no longer be used.
                func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
                    sessions.withLock { sessions in sessions = sessions.filter { $0.value !== session } }
                }

                /// Apple: all results kept for the session were delivered.
                func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
                    finish(session.configuration.identifier ?? "")
                }

                func finish(_ identifier: String) {
                    if identifier != own {
                        // An extension's: as long as it is held here, the extension's own hears nothing of its uploads.
                        let session = sessions.withLock { $0.removeValue(forKey: identifier) }
                        session?.finishTasksAndInvalidate()
                    }
                    let completion = state.withLock { state in
                        let completion = state.completions.removeValue(forKey: identifier)
                        if completion == nil, identifier == own {
                            state.ownFinished = Date()
                        }
                        return completion
                    }
                    if let completion { callAfterWork(completion) }
                }

                /// Takes the handler for the end of a session's results, which may have been before.
                func take(_ completion: @escaping @Sendable () -> Void, of identifier: String) {
                    let isFinished = state.withLock { state in
                        if identifier == own, let finished = state.ownFinished {
                            state.ownFinished = nil
                            // The clock may have been set.
                            if abs(finished.timeIntervalSinceNow) < Self.handlerDelay { return true }
                        }
                        state.completions[identifier] = completion
                        return false
                    }
                    if isFinished { callAfterWork(completion) }
                }

                private func callAfterWork(_ completion: @escaping @Sendable () -> Void) {
                    let work = state.withLock { $0.work }
                    Task {
                        // The process may be suspended once the system is told: the next upload has begun by then.
                        _ = await work?.value
                        onMain(completion)
                    }
                }
            }
        }

        /// Takes the results of background uploads that ended while the app did not run, in
        /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
        ///
        /// - Returns: whether the session belongs to Notilog. If so, the handler is called on the main thread. If not,
        ///   the app must call it.
        @discardableResult
        public func handleBackgroundEvents(
            for identifier: String,
            completionHandler: @escaping () -> Void
        ) -> Bool {
            let handler = Handed(completionHandler)
            guard let uploads = options.backgroundUploads as? BackgroundSession else { return false }
            return uploads.handle(identifier) { handler.value() }
        }
    }
#endif
