extension Notilog {
    /// Reports which network is available. If Apple's `Network` can be imported, apps use `NWPathMonitor`.
    public protocol Connectivity: Sendable {
        /// Reports the present network, and then each change, on any thread.
        func observe(_ onChange: @escaping @Sendable (Network) -> Void)
    }

    /// The network as the system describes it.
    public enum Network: Sendable, Hashable {
        /// There is no network. Events wait until there is one.
        case offline
        /// Low Data Mode: events that can wait travel in fewer requests.
        case lowData
        /// Any other network.
        case open
    }

    /// A network that always counts as available. Only failed requests show otherwise.
    public struct AssumedConnectivity: Connectivity {
        /// The connectivity.
        public init() {}

        /// Reports once.
        public func observe(_ onChange: @escaping @Sendable (Network) -> Void) { onChange(.open) }
    }
}
