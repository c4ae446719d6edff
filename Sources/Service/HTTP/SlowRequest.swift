/// A request whose body does not come in time.
struct SlowRequest: Error {
    /// Why it is given no more time.
    enum Reason {
        /// It took longer than any body may.
        case timeout
        /// The service is being stopped.
        case stopping
        /// Others wait for the memory that it holds.
        case crowdedOut
    }

    let reason: Reason
}

/// Tells a connection to cut off its request's body.
struct BodyCrowdedOut: Sendable {}
