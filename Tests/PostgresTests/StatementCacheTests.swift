import Testing

@testable import Postgres

@Suite("Prepared statements: the cache")
struct StatementCacheTests {
    @Test("the one used longest ago gives way")
    func eviction() {
        var cache = StatementCache(capacity: 2)
        let keys = (1...3).map { StatementCache.Key(sql: "SELECT \($0)", types: []) }
        let names = keys.map { _ in cache.makeName() }
        #expect(cache.insert(keys[0], name: names[0], isBinary: true) == nil)
        #expect(cache.insert(keys[1], name: names[1], isBinary: true) == nil)
        #expect(cache.find(keys[0])?.name == names[0])
        #expect(cache.insert(keys[2], name: names[2], isBinary: false) == names[1])
        #expect(cache.find(keys[1]) == nil)
        #expect(cache.count == 2)
        #expect(cache.remove(keys[0]) == names[0])
    }

    @Test("one text with parameters of other types is another statement")
    func types() {
        var cache = StatementCache()
        let name = cache.makeName()
        _ = cache.insert(.init(sql: "SELECT $1", types: [.int8]), name: name, isBinary: true)
        #expect(cache.find(.init(sql: "SELECT $1", types: [.text])) == nil)
        #expect(cache.find(.init(sql: "SELECT $1", types: [.int8]))?.name == name)
    }
}
