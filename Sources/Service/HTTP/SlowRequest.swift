/// A request whose body does not come in time.
struct SlowRequest: Error {
    /// Whether it was given less time because the service is being stopped.
    var isStopping: Bool
}
