#if canImport(UserNotifications) && !os(macOS)
    public import Foundation
    // Not needed by Apple's compilers: it brings the stand-in of background sessions that Linux compiles against.
    import UserNotifications

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    extension Notilog {
        /// Uploads by a background `URLSession`. The system follows a redirect by itself there, without the write key.
        ///
        ///     options.backgroundUploads = Notilog.BackgroundSession(appGroup: "group.com.example.app")
        ///
        /// The app's delegate hands the system's call on: see ``Notilog/handleBackgroundEvents(for:completionHandler:)``.
        public final class BackgroundSession: BackgroundUploads {
            private static let prefix = "notilog."
            /// More than an answer that says something of each event of the largest batch.
            private static let answerBytes = 4 << 20

            private let own: String
            private let appGroup: String?
            private let events: Events

            /// Makes a session of this app or extension.
            ///
            /// - Parameter appGroup: the App Group in which the queue is; `nil` without one.
            public init(appGroup: String? = nil) {
                self.appGroup = appGroup
                own = Self.prefix + (Bundle.main.bundleIdentifier ?? "app")
                events = Events(own: own)
            }

            deinit {
                for session in events.sessions.withLock({ $0.values }) { session.finishTasksAndInvalidate() }
            }

            /// Calls back with what became of each upload; see ``BackgroundUploads/observe(_:)``.
            public func observe(
                _ onEnd: @escaping @Sendable (_ name: String, _ answer: IncomingAnswer?) async -> Void
            ) {
                events.state.withLock { $0.onEnd = onEnd }
                // The system tells of the uploads of an earlier process once there is a session of the same name.
                _ = session(own)
            }

            /// The names of the uploads that are under way.
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

            /// Gives up what is under way.
            public func cancel() {
                for session in events.sessions.withLock({ Array($0.values) }) {
                    session.getAllTasks { tasks in for task in tasks { task.cancel() } }
                }
            }

            /// Takes in what became of uploads while nobody ran: those of the app, or of an extension of its.
            ///
            /// - Returns: false for a session that is somebody else's.
            func handle(_ identifier: String, _ completion: @escaping @Sendable () -> Void) -> Bool {
                guard identifier.hasPrefix(Self.prefix) else { return false }
                events.state.withLock { $0.completions[identifier] = completion }
                _ = session(identifier)
                return true
            }

            /// All that was kept for a session has been told; for tests, as only Apple's system tells so.
            func finish(_ identifier: String) {
                events.finish(identifier)
            }

            /// The sessions that there are; for tests.
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
                    /// What follows from the uploads that have ended, one after the other.
                    var work: Task<Void, Never>?
                }

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

                /// Apple: the session is of no use any more.
                func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
                    sessions.withLock { sessions in sessions = sessions.filter { $0.value !== session } }
                }

                /// Apple: all that was kept for the session has been told.
                func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
                    finish(session.configuration.identifier ?? "")
                }

                func finish(_ identifier: String) {
                    if identifier != own {
                        // An extension's: as long as it is held here, the extension's own hears nothing of its uploads.
                        let session = sessions.withLock { $0.removeValue(forKey: identifier) }
                        session?.finishTasksAndInvalidate()
                    }
                    let (completion, work) = state.withLock { state in
                        (state.completions.removeValue(forKey: identifier), state.work)
                    }
                    guard let completion else { return }
                    Task {
                        // The process may be suspended once the system is told: the next upload has begun by then.
                        _ = await work?.value
                        onMain(completion)
                    }
                }
            }
        }

        /// Takes in what became of background uploads while the app did not run, in
        /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
        ///
        /// - Returns: whether the session is ours; then the handler is called, on the main thread. Else it is for the app to
        ///   call.
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
