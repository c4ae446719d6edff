internal import NIOCore

/// The origin by which connections are counted: an IPv4 address, or the /64 network that a single IPv6 client has.
struct PeerAddress: Hashable, Sendable {
    private let network: UInt64
    private let isIPv6: Bool

    /// - Parameter address: nil and addresses of other families give nil.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            // sin_addr, after family and port.
            network = withUnsafeBytes(of: address.address) { bytes in
                UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
            }
            isIPv6 = false
        case .v6(let address):
            // sin6_addr, after family, port and flow.
            let (high, low) = withUnsafeBytes(of: address.address) { bytes in
                (
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
                )
            }
            // ::ffff:a.b.c.d is an IPv4 address, as a socket for both families shows it.
            let isMapped = high == 0 && low >> 32 == 0xffff
            network = isMapped ? low & 0xffff_ffff : high
            isIPv6 = !isMapped
        default: return nil
        }
    }
}
