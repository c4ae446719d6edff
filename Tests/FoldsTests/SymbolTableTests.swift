import Testing

@testable import Folds

@Suite struct SymbolTableTests {
    @Test func oneStringHasOneSymbolHoweverManyThereAre() {
        var table = SymbolTable()
        let strings = (0..<5_000).map { "string \($0)" }
        let symbols = strings.map { table.symbol(of: $0) }
        #expect(Set(symbols).count == strings.count)
        #expect(strings.map { table.symbol(of: $0) } == symbols)
        #expect(symbols.map { table.string($0) } == strings)
    }

    /// The second word of each undoes the first, for who knows what the hash begins with.
    @Test func stringsMadeUpToCollideDoNot() {
        func mixed(_ value: UInt64) -> UInt64 {
            let product = value.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
            return product.high ^ product.low
        }
        let madeUp = (0..<1_000).map { number -> [UInt64] in
            let first = UInt64(number)
            return [first, mixed(0x9E37_79B9_7F4A_7C15 ^ 16 ^ first)]
        }
        let table = SymbolTable()
        let hashes = madeUp.map { words in words.withUnsafeBytes { table.hash($0) } }
        #expect(Set(hashes).count > 990)
    }
}
