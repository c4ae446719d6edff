internal import Foundation
internal import NIOCore

extension WebhookAddress {
    /// Whether its host is this machine, or an address of a private network.
    var isPrivate: Bool {
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let bytes = Self.bytes(name) { return SocketAddress.isPrivate4(bytes) }
        return (try? SocketAddress(ipAddress: host, port: port))?.isPrivate ?? false
    }

    /// The address of version 4 that is written so; nil if it is none. Where names are looked up, `127.1`, `0x7f.1`, `0177.0.0.1`
    /// and `2130706433` are 127.0.0.1: what reads them there reads them here.
    private static func bytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4)
        let isAddress = bytes.withUnsafeMutableBytes {
            $0.withMemoryRebound(to: in_addr.self) { inet_aton(text, $0.baseAddress) != 0 }
        }
        return isAddress ? bytes : nil
    }
}

extension SocketAddress {
    /// Whether it is of this machine, of a network that is nobody's in particular, or of no single machine.
    var isPrivate: Bool {
        switch self {
        case .v4(let address):
            // A sockaddr_in has its address at byte 4, a sockaddr_in6 at byte 8. By name they belong to the module that came first.
            return withUnsafeBytes(of: address.address) { Self.isPrivate4(Array($0[4..<8])) }
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            // Addresses of version 4 in those of version 6: mapped, and translated (RFC 4291, RFC 6052).
            if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == bytes[11], [0, 255].contains(bytes[10]) {
                return bytes[10] == 0 || Self.isPrivate4(Array(bytes.suffix(4)))
            }
            if bytes.starts(with: [0, 0x64, 0xff, 0x9b]) { return Self.isPrivate4(Array(bytes.suffix(4))) }
            return bytes[0] & 0xfe == 0xfc || bytes[0] == 0xff || bytes[0] == 0xfe && bytes[1] & 0x80 == 0x80
        default: return true
        }
    }

    /// Whether the four bytes of an IPv4 address name a private or reserved network.
    static func isPrivate4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (224..., _), (169, 254), (172, 16...31), (192, 168), (100, 64...127),
            (198, 18...19):
            true
        case (192, 0): bytes[2] == 0
        default: false
        }
    }
}
