import Foundation
import Service

/// A service's listening address, as seen before it starts and from other machines.
struct ListeningAddress: Sendable {
    let host: String
    var port: UInt16
    /// Whether the service speaks TLS.
    let isEncrypted: Bool

    /// The address that the settings name.
    init(_ server: ServerSettings) {
        host = server.host
        port = UInt16(clamping: server.port)
        isEncrypted = server.tls != nil
    }

    private var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// Whether only this machine can connect.
    var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The address for this machine.
    var local: String { isEverywhere ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host }

    /// The service's URL at one of its addresses.
    func url(of host: String) -> String { "\(isEncrypted ? "https" : "http")://\(host):\(port)" }

    /// The page's URL on this machine.
    var page: String { "\(url(of: local))/" }

    /// The addresses for other machines, if it listens at every address: this machine's IPv4 addresses.
    var others: [String] { isEverywhere ? Self.addresses : [] }

    /// Checks that the service can listen there, and chooses a free port for port 0.
    ///
    /// - Returns: the port, which is nobody else's while it is held.
    /// - Throws: ``CommandFailure`` if the port is in use or not permitted, or the address is not this machine's.
    func claim() throws(CommandFailure) -> ClaimedPort {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw CommandFailure("the address \(host) is unknown: choose an address of this machine with --host")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype, first.pointee.ai_protocol)
        // As the service does: connections of an earlier process in TIME_WAIT do not matter.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            let bound = Self.port(of: descriptor)
        else {
            let problem = errno
            if descriptor >= 0 { close(descriptor) }
            switch problem {
            case EADDRINUSE: throw CommandFailure("port \(port) is in use: choose another with --port")
            case EACCES: throw CommandFailure("port \(port) is not permitted for this user: choose another with --port")
            default: throw CommandFailure("\(host) is not an address of this machine: choose another with --host")
            }
        }
        return ClaimedPort(port: bound, descriptor: descriptor)
    }

    /// The port that a socket is bound to; nil if it is bound to none.
    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard getsockname(descriptor, pointer, &size) == 0 else { return nil }
                // A sockaddr_in and a sockaddr_in6 have it in the same place.
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            }
        }
    }

    private static var addresses: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [String] = []
        var next = first
        while let interface = next {
            next = interface.pointee.ifa_next
            guard let address = interface.pointee.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
                interface.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                interface.pointee.ifa_flags & UInt32(IFF_UP) != 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return addresses
    }
}

/// A port that is this process's: a socket is bound to it, and does not listen, so that the service can.
struct ClaimedPort {
    let port: UInt16
    private let descriptor: Int32

    fileprivate init(port: UInt16, descriptor: Int32) {
        self.port = port
        // Linux binds a second socket beside one that does not listen; others do not, and let a port that is let go be for a while.
        #if os(Linux)
            // Children live longer, such as a PostgreSQL.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            self.descriptor = descriptor
        #else
            close(descriptor)
            self.descriptor = -1
        #endif
    }

    /// Lets the port go.
    func release() {
        if descriptor >= 0 { close(descriptor) }
    }
}
