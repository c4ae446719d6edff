import Testing

@testable import Folds

/// Folds read `data` as the service writes it, and of older events as `jsonb` does: both say the same.
@Suite("Stored text")
struct StoredTextTests {
    private static func text(_ json: String) -> String {
        var names = SymbolTable()
        let symbol = Array(json.utf8).withUnsafeBytes { $0.text(in: &names) }
        return names.string(symbol)
    }

    @Test("a context is the same value in whichever order it has its members, and is kept as jsonb writes it")
    func contexts() {
        var symbols = Symbols()
        let written = #"{"platform":"ios","os_version":"18.1","app_version":"4.2","locale":"en-US","sdk_version":"1"}"#
        let stored = #"{"locale": "en-US", "platform": "ios", "os_version": "18.1", "app_version": "4.2"}"#
        let one = Array(written.utf8).withUnsafeBytes { symbols.context($0) }
        let other = Array(stored.utf8).withUnsafeBytes { symbols.stored($0) }
        #expect(one == other)
        #expect(symbols.values.string(one) == stored)
    }

    @Test(
        "a number with an exponent is what numeric has",
        arguments: [
            ("6.25e-06", "0.00000625"), ("1e-05", "0.00001"), ("-2.5e-7", "-0.00000025"),
            ("1e+16", "10000000000000000"),
            ("-1.25e+16", "-12500000000000000"), ("1.2345e2", "123.45"), ("0e5", "0"),
        ]
    )
    func numbers(written: String, plain: String) {
        #expect(Self.text(written) == plain)
    }

    @Test(
        "whatever else has the letter stays as it is",
        arguments: ["true", "false", "1.5", "-7", "2e999999999", "e5", "1e"]
    )
    func others(written: String) {
        #expect(Self.text(written) == written)
    }
}
