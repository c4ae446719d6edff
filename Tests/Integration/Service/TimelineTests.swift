import Foundation
import PlainHTTP
import Testing

/// The events of a device, and of a notification, in pages.
@Suite("Timelines")
struct TimelineTests {
    @Test func aTimelineIsPagedOldestFirst() async throws {
        try await ServiceFixture.run { service in
            struct Page: Decodable {
                struct Event: Decodable {
                    var occurredAt: String
                    var notificationId: String
                }
                var events: [Event]
                var nextCursor: String?
            }
            // Sent newest first, and two at one moment.
            let events = (0..<25).map { Sample.action(notification: "n\($0)", at: Sample.time(100 + $0 / 2 * 10)) }
            _ = try await service.client.post("[\(events.joined(separator: ","))]", key: service.app.write)
            var seen: [Page.Event] = []
            var cursor = ""
            var pages = 0
            while pages < 10 {
                pages += 1
                let page = try await service.client.get("/v1/devices/d1/events?limit=7\(cursor)", key: service.app.read)
                    .decoded(Page.self)
                seen += page.events
                guard let next = page.nextCursor else { break }
                cursor = "&cursor=\(next)"
            }
            #expect(pages == 4)
            #expect(seen.count == 25)
            #expect(Set(seen.map(\.notificationId)).count == 25)
            #expect(seen.map(\.occurredAt) == seen.map(\.occurredAt).sorted())
            let one = try await service.client.get("/v1/notifications/d1/n3", key: service.app.read).decoded(Page.self)
            #expect(one.events.map(\.notificationId) == ["n3"])
            #expect(try await service.client.get("/v1/notifications/d1/none", key: service.app.read).status == 404)
            #expect(try await service.client.get("/v1/devices/d1/events?limit=0", key: service.app.read).status == 400)
            #expect(try await service.client.get("/v1/devices/d1/events?cursor=x", key: service.app.read).status == 400)
        }
    }

    @Test("large events make a page of a timeline end before its limit, and none is left out", .timeLimit(.minutes(5)))
    func pagesOfLargeEvents() async throws {
        try await ServiceFixture.run { service in
            struct Page: Decodable {
                struct Event: Decodable { var notificationId: String }
                var events: [Event]
                var nextCursor: String?
            }
            let count = 300
            let more = #","attributes":{"large":"\#(String(repeating: "x", count: 4_000))"}"#
            for part in 0..<3 {
                let events = (0..<count / 3).map { number in
                    Sample.action(
                        notification: "n\(part * count / 3 + number)",
                        at: Sample.time(100 + number),
                        more: more
                    )
                }
                let answer = try await service.client.post("[\(events.joined(separator: ","))]", key: service.app.write)
                #expect(try answer.events.accepted == count / 3)
            }
            var seen: [String] = []
            var sizes: [Int] = []
            var cursor = ""
            while sizes.count < 20 {
                let path = "/v1/devices/d1/events?limit=1000\(cursor)"
                let answer = try await service.client.get(path, key: service.app.read)
                sizes.append(answer.text.utf8.count)
                let page = try answer.decoded(Page.self)
                seen += page.events.map(\.notificationId)
                guard let next = page.nextCursor else { break }
                cursor = "&cursor=\(next)"
            }
            #expect(sizes.count == 3)
            #expect(sizes.allSatisfy { $0 < 600 << 10 })
            #expect(seen.count == count && Set(seen).count == count)
        }
    }
}
