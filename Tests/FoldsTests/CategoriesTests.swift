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

    /// What a version registers bears on versions that never registered the category only if no version had registered that before.
    @Test func othersAreChangedByWhatNoVersionRegisteredBefore() throws {
        var symbols = Symbols()
        let news = symbols.names.symbol(of: "news")
        let like = symbols.names.symbol(of: "like")
        func changed(_ definition: String, stored: [Categories.Part: [Int64]], was: String? = nil) throws -> Set<Symbol>
        {
            var categories = Categories()
            for (part, counts) in stored {
                var versions = Categories.Versions()
                (versions.all, versions.customDismiss, versions.textInput, versions.foreground) = (
                    counts[0], counts[1], counts[2], counts[3]
                )
                categories.load(part, versions)
            }
            let version = symbols.names.symbol(of: "2")
            let origin = Categories.Origin(at: 1, device: .empty, id: UUIDValue(high: 0, low: 1))
            if var was {
                let definition = was.withUTF8 { symbols.lists.symbol(of: UnsafeRawBufferPointer($0)) }
                categories.load(
                    Categories.Key(category: news, version: version),
                    origin,
                    definition: definition,
                    &symbols
                )
            }
            var text = "[" + definition + "]"
            let list = text.withUTF8 { symbols.lists.symbol(of: UnsafeRawBufferPointer($0)) }
            let newer = Categories.Origin(at: 2, device: .empty, id: UUIDValue(high: 0, low: 2))
            _ = try categories.merge(Categories.List(bytes: list, version: version), newer, &symbols)
            return categories.changedForOthers
        }
        let plain = #"{"id": "news", "actions": [], "options": []}"#
        let rich =
            #"{"id": "news", "actions": [{"id": "like", "type": "text_input", "options": ["foreground"]}], "options": ["custom_dismiss_action"]}"#
        let (category, button) = (Categories.Part(category: news), Categories.Part(category: news, action: like))
        #expect(try changed(plain, stored: [:]) == [])
        #expect(try changed(rich, stored: [:]) == [news])
        #expect(try changed(rich, stored: [category: [1, 1, 0, 0], button: [1, 0, 1, 1]]) == [])
        // A button that no version had as a text field.
        #expect(try changed(rich, stored: [category: [1, 1, 0, 0], button: [1, 0, 0, 1]]) == [news])
        // The only version that had it takes it back; one of two does.
        #expect(try changed(plain, stored: [category: [1, 1, 0, 0], button: [1, 0, 1, 1]], was: rich) == [news])
        #expect(try changed(plain, stored: [category: [2, 2, 0, 0], button: [2, 0, 2, 2]], was: rich) == [])
    }
}
