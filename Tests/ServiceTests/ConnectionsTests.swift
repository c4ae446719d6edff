import NIOCore
import Synchronization
import Testing

@testable import Service

struct ConnectionsTests {
    private final class Peer: Sendable {
        let isClosed = Mutex(false)
    }

    private final class Visitors: Sendable {
        let closed = Mutex<[String]>([])
        private let peers = Mutex<[Peer]>([])

        func come(_ name: String, to connections: Connections, from address: String = "10.0.0.1", at: Int) throws
            -> Seat?
        {
            let peer = Peer()
            peers.withLock { $0.append(peer) }
            return connections.enter(
                ObjectIdentifier(peer),
                PeerAddress(try SocketAddress(ipAddress: address, port: 1)),
                now: .uptimeNanoseconds(UInt64(at))
            ) { self.closed.withLock { $0.append(name) } }
        }
    }

    @Test func oneThatNeverBroughtAKeyIsTheFirstToMakeRoom() throws {
        let connections = Connections(.init(all: 3, ofAddress: 3))
        let visitors = Visitors()
        let keyed = try #require(try visitors.come("keyed", to: connections, at: 1))
        keyed.hasShownKey()
        let busy = try #require(try visitors.come("busy", to: connections, at: 2))
        busy.isBusy()
        _ = try visitors.come("unknown", to: connections, at: 3)
        #expect(try visitors.come("fourth", to: connections, from: "10.0.0.2", at: 4)?.isSpare == false)
        #expect(visitors.closed.withLock { $0 } == ["unknown"])
        _ = try visitors.come("fifth", to: connections, from: "10.0.0.2", at: 5)?.hasShownKey()
        #expect(visitors.closed.withLock { $0 } == ["unknown", "fourth"])
        _ = try visitors.come("sixth", to: connections, from: "10.0.0.2", at: 6)?.isBusy()
        #expect(visitors.closed.withLock { $0 }.last == "keyed", "idle longer than the fifth")
        #expect(connections.count == 3)
    }

    @Test func anAddressHasItsShareAndNobodyElses() throws {
        let connections = Connections(.init(all: 10, ofAddress: 2, spare: 1))
        let visitors = Visitors()
        for number in 0..<20 { _ = try visitors.come("\(number)", to: connections, at: number + 1) }
        #expect(connections.count == 2)
        #expect(visitors.closed.withLock { $0 } == (0..<18).map { "\($0)" })
        #expect(try visitors.come("other", to: connections, from: "10.0.0.2", at: 30)?.isSpare == false)
        #expect(connections.count == 3)
    }

    @Test func whereNobodyIsIdleThereAreSparePlaces() throws {
        let connections = Connections(.init(all: 2, ofAddress: 2, spare: 2))
        let visitors = Visitors()
        let first = try #require(try visitors.come("first", to: connections, at: 1))
        for seat in [first, try #require(try visitors.come("second", to: connections, at: 2))] { seat.isBusy() }
        let spare = try #require(try visitors.come("spare", to: connections, from: "10.0.0.2", at: 3))
        #expect(spare.isSpare)
        spare.isBusy()
        #expect(try visitors.come("idle", to: connections, from: "10.0.0.3", at: 4)?.isSpare == true)
        let third = try #require(try visitors.come("third", to: connections, from: "10.0.0.3", at: 5))
        #expect(third.isSpare)
        #expect(visitors.closed.withLock { $0 } == ["idle"], "spare places go round as well")
        third.isBusy()
        #expect(try visitors.come("nobody", to: connections, from: "10.0.0.3", at: 6) == nil)
        connections.leave(first)
        #expect(try visitors.come("again", to: connections, from: "10.0.0.3", at: 7)?.isSpare == false)
        // Given back once, however often it is said.
        connections.leave(first)
        #expect(connections.count == 2)
    }

    @Test func aClientHasOneAddressHoweverManyItCanTake() throws {
        func peer(_ address: String) throws -> PeerAddress? {
            PeerAddress(try SocketAddress(ipAddress: address, port: 1))
        }
        #expect(try peer("2001:db8:0:1::1") == peer("2001:db8:0:1:ffff::9"))
        #expect(try peer("2001:db8:0:1::1") != peer("2001:db8:0:2::1"))
        #expect(try peer("10.0.0.1") != peer("10.0.0.2"))
        #expect(try peer("::ffff:10.0.0.1") == peer("10.0.0.1"))
        #expect(try peer("::ffff:10.0.0.1") != peer("::ffff:10.0.0.2"))
        #expect(PeerAddress(nil) == nil)
    }
}
