import NotificationEvents
import Testing

@Suite("Text of bytes")
struct TextTests {
    @Test("hexadecimal digits are in lower case, two a byte")
    func hexadecimal() {
        #expect(String(hexadecimal: [0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(String(hexadecimal: [UInt8]()).isEmpty)
    }

    /// The escapes of RFC 8259, section 7.
    @Test(
        "a JSON string escapes control characters, quotation marks and backslashes, and nothing else",
        arguments: [
            ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\0\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""), ("/é😀", #""/é😀""#),
        ]
    )
    func escapes(_ text: String, _ json: String) {
        // At each offset within the eight bytes that are read at a time.
        for length in 0..<17 {
            let filler = String(repeating: "x", count: length)
            var written = ""
            written.append(json: filler + text + filler)
            #expect(written == "\"" + filler + json.dropFirst().dropLast() + filler + "\"")
        }
    }
}
