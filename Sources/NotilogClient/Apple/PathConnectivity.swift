#if canImport(Network)
    import Dispatch
    import Network

    extension Notilog {
        /// The network as `NWPathMonitor` describes it.
        public final class PathConnectivity: Connectivity, @unchecked Sendable {
            private let monitors = Guarded<[NWPathMonitor]>([])

            /// Creates a connectivity, which watches nothing until it is observed.
            public init() {}

            deinit {
                for monitor in monitors.withLock({ $0 }) { monitor.cancel() }
            }

            /// Reports the present network, and then each change.
            public func observe(_ onChange: @escaping @Sendable (Notilog.Network) -> Void) {
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { path in
                    onChange(path.status == .unsatisfied ? .offline : path.isConstrained ? .lowData : .open)
                }
                monitors.withLock { $0.append(monitor) }
                monitor.start(queue: DispatchQueue(label: "notilog.connectivity"))
            }
        }
    }
#endif
