internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ServerSettings {
    /// Why the server cannot listen at its address, and which setting to change; nil for any other error.
    func problem(ofListening error: any Error) -> ServiceError? {
        let otherPort = "choose another with http.port (NOTILOG_HTTP_PORT, --port)"
        let otherHost = "choose one of this machine with http.host (NOTILOG_HTTP_HOST, --host)"
        if error is SocketAddressError.UnknownHost { return ServiceError("the host \(host) is unknown: \(otherHost)") }
        guard let error = error as? IOError else { return nil }
        return switch error.errnoCode {
        case EADDRINUSE: ServiceError("port \(port) is in use: \(otherPort)")
        case EACCES: ServiceError("port \(port) is not permitted for this user: \(otherPort)")
        case EADDRNOTAVAIL: ServiceError("\(host) is not an address of this machine: \(otherHost)")
        default: nil
        }
    }
}
