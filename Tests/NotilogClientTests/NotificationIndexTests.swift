import Foundation
import Testing

@testable import NotilogClient

/// What a recorder remembers of the notifications that the app asked for.
@Suite("The index of notifications")
struct NotificationIndexTests {
    private let now = MappingRow.now

    private func request(_ identifier: String, _ mark: String, _ trigger: Notilog.Trigger) -> Notilog.Request {
        var content = Notilog.Content()
        content.hasText = true
        content.mark = Notilog.Mark(id: mark)
        return Notilog.Request(identifier: identifier, content: content, trigger: trigger)
    }

    private func request(_ identifier: String, _ mark: String, in seconds: TimeInterval) -> Notilog.Request {
        request(identifier, mark, Notilog.Trigger(.timeInterval, nextDate: now + seconds))
    }

    @Test("what the app takes back is told by the notification's own id, and a fired one is not pending")
    func pending() throws {
        var index = NotificationIndex()
        #expect(index.add(request("a", "1", in: 60), at: now) == nil)
        #expect(index.add(request("b", "2", in: -60), at: now) == nil)
        #expect(index.add(request("a", "3", in: 90), at: now)?.mark?.id == "1")
        #expect(index.add(request("b", "4", in: -50), at: now) == nil)
        let data = try JSONEncoder().encode(index)
        #expect(try JSONDecoder().decode(NotificationIndex.self, from: data) == index)
        #expect(index.takePending(["a", "b", "c"], at: now).map { $0.mark?.id ?? $0.identifier } == ["3", "c"])
        #expect(index.add(request("e", "5", in: 60), at: now) == nil)
        #expect(index.takePending(nil, at: now).map(\.identifier) == ["e"])
        #expect(index.takePending(nil, at: now).isEmpty)
    }

    static let withoutDate = [
        Notilog.Trigger(.location, onEntry: true), Notilog.Trigger(.calendar, components: DateComponents(year: 2000)),
        Notilog.Trigger(nil),
    ]

    @Test("a request that fires at a time nobody can tell is pending until it has arrived", arguments: withoutDate)
    func undated(trigger: Notilog.Trigger) {
        var index = NotificationIndex()
        #expect(index.add(request("a", "1", trigger), at: now) == nil)
        #expect(index.add(request("a", "2", trigger), at: now)?.mark?.id == "1")
        #expect(index.updated(by: "a", at: now + 1e6) == "2")
        #expect(index.add(request("b", "3", trigger), at: now) == nil)
        #expect(index.takePending(["a"], at: now + 1e6).map { $0.mark?.id } == ["2"])
        #expect(index.takePending(nil, at: now + 1e6).map { $0.mark?.id } == ["3"])
        #expect(index.add(request("c", "4", trigger), at: now) == nil)
        index.arrive(Notilog.Delivered(request("c", "4", trigger), date: now + 60), isListed: true)
        #expect(index.takePending(["c"], at: now + 61).isEmpty && index.takePending(nil, at: now + 61).isEmpty)
    }

    @Test("one notification is updated while it is pending or shown, and no longer")
    func updated() {
        var index = NotificationIndex()
        let later = Notilog.Trigger(.timeInterval, interval: 60, nextDate: now + 60)
        #expect(index.updated(by: "a", at: now) == nil)
        _ = index.add(request("a", "1", later), at: now)
        #expect(index.updated(by: "a", at: now) == "1" && index.updated(by: "b", at: now) == nil)
        // An update is no other notification, so it replaces none.
        #expect(index.add(request("a", "1", later), at: now + 1) == nil)
        // Fired: shown, as far as is known, for an hour; longer where the delivered list has it.
        #expect(index.updated(by: "a", at: now + 3600) == "1" && index.updated(by: "a", at: now + 3700) == nil)
        let fired = Notilog.Delivered(request("a", "1", later), date: now + 60)
        var seen = index
        _ = seen.sweep([fired], at: now + 80)
        #expect(seen.updated(by: "a", at: now + 1e5) == "1")
        for isGone in [true, false] {
            var left = seen
            if isGone { _ = left.sweep([], at: now + 90) } else { left.respond(to: fired) }
            #expect(left.updated(by: "a", at: now + 91) == nil)
        }
        _ = seen.takeDelivered(["a"], at: now + 90)
        #expect(seen.updated(by: "a", at: now + 91) == nil)
    }

    @Test("what fires at once is shown until the list says otherwise, and not by a banner alone")
    func immediate() {
        var index = NotificationIndex()
        _ = index.add(request("a", "1", Notilog.Trigger(.immediate)), at: now)
        #expect(index.updated(by: "a", at: now) == "1" && index.takePending(nil, at: now).isEmpty)
        // Read as it fired, the list may not have had it yet.
        _ = index.sweep([], at: now + 1)
        #expect(index.updated(by: "a", at: now + 1) == "1")
        let shown = Notilog.Delivered(request("a", "1", Notilog.Trigger(.immediate)), date: now)
        index.arrive(shown, isListed: false)
        #expect(index.updated(by: "a", at: now + 2) == nil)
        index.arrive(shown, isListed: true)
        #expect(index.updated(by: "a", at: now + 2) == "1")
        _ = index.sweep([], at: now + 60)
        #expect(index.updated(by: "a", at: now + 60) == nil)
    }

    @Test("a schedule that is added again is the same schedule, whatever became of its firings")
    func repeating() {
        var index = NotificationIndex()
        let daily = request("a", "1", Notilog.Trigger(.timeInterval, repeats: true, interval: 86_400))
        _ = index.add(daily, at: now)
        index.respond(to: Notilog.Delivered(daily, date: now + 86_400))
        #expect(index.updated(by: "a", at: now + 1e6) == "1")
        #expect(index.takePending(nil, at: now + 1e6).count == 1)
    }

    @Test("what has yet to fire is not taken from the delivered list, whatever its identifier")
    func notDelivered() {
        var index = NotificationIndex()
        let daily = request("daily", "1", Notilog.Trigger(.timeInterval, repeats: true, interval: 86_400))
        _ = index.add(daily, at: now)
        _ = index.add(request("later", "2", in: 60), at: now)
        _ = index.add(request("fired", "3", in: -60), at: now)
        let identifiers = ["daily", "later", "fired", "unknown"]
        var read = index
        #expect(read.takeDelivered(identifiers, isRead: true, at: now).isEmpty)
        #expect(read.takePending(["daily", "later"], at: now).count == 2)
        _ = index.sweep([Notilog.Delivered(daily, date: now)], at: now)
        var swept = index
        #expect(swept.takeDelivered(identifiers, isRead: true, at: now).map { $0.mark?.id } == ["1"])
        let unread = index.takeDelivered(identifiers, at: now).map { $0.mark?.id ?? $0.identifier }
        #expect(unread == ["1", "3", "unknown"])
    }

    @Test("when there are too many, what has fired gives way first")
    func bounded() {
        var index = NotificationIndex()
        _ = index.add(request("place", "p", Notilog.Trigger(.location)), at: now)
        for number in 0..<300 { _ = index.add(request("\(number)", "\(number)", in: -60), at: now) }
        #expect(index.requests.count == NotificationIndex.limit)
        #expect(index.takePending(nil, at: now).map(\.identifier) == ["place"])
    }

    @Test("an index of before is read")
    func older() throws {
        let json =
            #"{"requests":[{"identifier":"a","repeats":false,"categoryID":"","mark":{"id":"1"}}],"delivered":[]}"#
        var index = try JSONDecoder().decode(NotificationIndex.self, from: Data(json.utf8))
        #expect(index.requests.map(\.mark?.id) == ["1"] && index.takePending(nil, at: now).isEmpty)
    }

    @Test("two requests that are on their way under one identifier are one notification")
    func onTheirWay() {
        var stamped = StampedRequests()
        #expect(stamped.id("a", at: now, else: "1") == "1")
        #expect(stamped.id("a", at: now + 1, else: "2") == "1" && stamped.id("b", at: now + 1, else: "3") == "3")
        stamped.remove("a")
        #expect(stamped.id("a", at: now + 2, else: "4") == "4")
        #expect(stamped.id("a", at: now + 100, else: "5") == "5")
    }
}
