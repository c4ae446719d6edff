import CZlib
import Testing

@testable import PNG

@Suite("PNG")
struct PNGTests {
    private static let white = Raster.Colour(0xffffff)
    private static let ink = Raster.Colour(0x204060)

    private func pixel(_ raster: Raster, _ column: Int, _ row: Int) -> [UInt8] {
        let index = 3 * (row * raster.width + column)
        return Array(raster.bytes[index..<(index + 3)])
    }

    @Test("a file has the chunks of PNG with their checksums, and its rows are the pixels")
    func file() throws {
        var raster = Raster(width: 7, height: 3, background: Self.white)
        raster.fill(x: 5..<9, y: 1..<2, Self.ink)
        let png = raster.png
        #expect(Array(png.prefix(8)) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        var chunks: [(String, [UInt8])] = []
        var rest = png.dropFirst(8)
        func number() -> Int {
            let value = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            return value
        }
        while !rest.isEmpty {
            let length = number()
            let checked = Array(rest.prefix(4 + length))
            rest = rest.dropFirst(4 + length)
            #expect(number() == Int(crc32(0, checked, UInt32(checked.count))))
            chunks.append((String(decoding: checked.prefix(4), as: UTF8.self), Array(checked.dropFirst(4))))
        }
        try #require(chunks.map(\.0) == ["IHDR", "IDAT", "IEND"])
        #expect(chunks[0].1 == [0, 0, 0, 7, 0, 0, 0, 3, 8, 2, 0, 0, 0])
        var size = UInt(200)
        var rows = [UInt8](repeating: 1, count: 200)
        #expect(uncompress(&rows, &size, chunks[1].1, UInt(chunks[1].1.count)) == Z_OK)
        let row = [UInt8](repeating: 255, count: 3 * 7)
        let drawn = [UInt8](repeating: 255, count: 3 * 5) + [0x20, 0x40, 0x60, 0x20, 0x40, 0x60]
        #expect(Array(rows.prefix(Int(size))) == [0] + row + [0] + drawn + [0] + row)
    }

    @Test("a line is whole in its middle, part at its edges, and not drawn twice where its parts meet")
    func lines() {
        var raster = Raster(width: 40, height: 20, background: Self.white)
        raster.line([.init(x: 5, y: 10.25), .init(x: 20, y: 10.25), .init(x: 35, y: 10.25)], width: 3, Self.ink)
        #expect(pixel(raster, 20, 10) == [0x20, 0x40, 0x60])
        let edge = pixel(raster, 20, 8)
        #expect(edge[0] > 0x20 && edge[0] < 255)
        #expect(edge == pixel(raster, 12, 8))
        #expect(pixel(raster, 20, 4) == [255, 255, 255])
        var dot = Raster(width: 9, height: 9, background: Self.white)
        dot.line([.init(x: 4.5, y: 4.5)], width: 4, Self.ink)
        #expect(pixel(dot, 4, 4) == [0x20, 0x40, 0x60] && pixel(dot, 0, 0) == [255, 255, 255])
    }

    @Test("what lies outside is left out")
    func outside() {
        var raster = Raster(width: 4, height: 4, background: Self.white)
        raster.line([.init(x: -50, y: -50), .init(x: 90, y: 90)], width: 2, Self.ink)
        raster.fill(x: -3..<99, y: 3..<99, Self.ink)
        #expect(pixel(raster, 2, 2) == [0x20, 0x40, 0x60] && pixel(raster, 0, 3) == [0x20, 0x40, 0x60])
    }
}
