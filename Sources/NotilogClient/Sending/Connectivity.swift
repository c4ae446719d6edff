extension Notilog {
    /// Tells what network there is. Where Apple's `Network` can be imported, apps use `NWPathMonitor`.
    public protocol Connectivity: Sendable {
        /// Calls back with the network as it is, and again at each change, on any thread.
        func observe(_ onChange: @escaping @Sendable (Network) -> Void)
    }

    /// The network as the system describes it.
    public enum Network: Sendable, Hashable {
        /// There is none. Events wait until there is.
        case offline
        /// Low Data Mode: events that can wait travel in fewer requests.
        case lowData
        /// Any other.
        case open
    }

    /// A network that is always there: failed requests alone say otherwise.
    public struct AssumedConnectivity: Connectivity {
        /// The connectivity.
        public init() {}

        /// Calls back once.
        public func observe(_ onChange: @escaping @Sendable (Network) -> Void) { onChange(.open) }
    }
}
