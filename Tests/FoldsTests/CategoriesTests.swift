import Testing

@testable import Folds

@Suite struct CategoriesTests {
    /// A version's own registration counts; a version that never registered the category has what any did, of as many as there
    /// are.
    @Test func aVersionHasItsOwnElseWhatAnyRegistered() throws {
        var symbols = Symbols()
        var categories = Categories()
        let news = symbols.names.symbol(of: "news")
        let like = symbols.names.symbol(of: "like")
        func register(_ version: String, _ definition: String, at: Moment) throws {
            var text = "[" + definition + "]"
            let list = text.withUTF8 { symbols.lists.symbol(of: UnsafeRawBufferPointer($0)) }
            let key = Categories.List(bytes: list, version: symbols.names.symbol(of: version))
            let origin = Categories.Origin(at: at, device: .empty, id: UUIDValue(high: 0, low: UInt64(at)))
            _ = try categories.merge(key, origin, &symbols)
        }
        try register("1", #"{"id": "news", "actions": [], "options": []}"#, at: 1)
        try register(
            "2",
            #"{"id": "news", "actions": [{"id": "like", "type": "text_input", "options": ["foreground"]}], "options": ["custom_dismiss_action"]}"#,
            at: 2
        )
        let (first, second, other) = (
            symbols.names.symbol(of: "1"), symbols.names.symbol(of: "2"), symbols.names.symbol(of: "3")
        )
        #expect([first, second, other].map { categories.hasCustomDismiss(news, version: $0) } == [false, true, true])
        #expect(
            [first, second, other].map { categories.action(like, of: news, version: $0).isTextInput } == [
                false, true, true,
            ]
        )
        #expect(!categories.hasCustomDismiss(like, version: other))
        #expect(categories.versions(Categories.Part(category: news)).list == [2, 1, 0, 0])
        #expect(categories.versions(Categories.Part(category: news, action: like)).list == [1, 0, 1, 1])

        // The newest of a version counts, and what it takes back no version has.
        try register("2", #"{"id": "news", "actions": [], "options": []}"#, at: 3)
        #expect(!categories.hasCustomDismiss(news, version: other))
        #expect(!categories.action(like, of: news, version: other).isForeground)
        #expect(categories.versions(Categories.Part(category: news)).list == [2, 0, 0, 0])
        #expect(categories.versions(Categories.Part(category: news, action: like)).list == [0, 0, 0, 0])
    }
}
