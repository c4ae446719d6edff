/// A picture of pixels, drawn with smooth edges.
public struct Raster: Sendable {
    /// A colour of sRGB.
    public struct Colour: Sendable, Equatable {
        let red, green, blue: UInt8

        /// - Parameter rgb: as CSS has it: 0xRRGGBB.
        public init(_ rgb: UInt32) {
            red = UInt8(truncatingIfNeeded: rgb >> 16)
            green = UInt8(truncatingIfNeeded: rgb >> 8)
            blue = UInt8(truncatingIfNeeded: rgb)
        }
    }

    /// A point, in pixels from the upper left corner.
    public struct Point: Sendable {
        var x, y: Double

        /// Makes a point.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int
    /// Three bytes a pixel, row by row.
    var bytes: [UInt8]

    /// - Parameters:
    ///   - width: 1 to 4096.
    ///   - height: 1 to 4096.
    ///   - background: the colour of every pixel.
    public init(width: Int, height: Int, background: Colour) {
        precondition((1...4096).contains(width) && (1...4096).contains(height), "a raster of no or too many pixels")
        self.width = width
        self.height = height
        bytes = []
        bytes.reserveCapacity(3 * width * height)
        for _ in 0..<(width * height) { bytes += [background.red, background.green, background.blue] }
    }

    /// Fills a rectangle. What lies outside is left out.
    ///
    /// - Parameters:
    ///   - x: the columns, in pixels.
    ///   - y: the rows, in pixels.
    public mutating func fill(x: Range<Int>, y: Range<Int>, _ colour: Colour) {
        for row in y.clamped(to: 0..<height) {
            for column in x.clamped(to: 0..<width) { blend(column, row, colour, 1) }
        }
    }

    /// Draws a line through points, with round ends and corners; one point is a dot.
    ///
    /// - Parameters:
    ///   - points: where it goes through, none of them further than 4096 pixels outside.
    ///   - width: in pixels.
    public mutating func line(_ points: [Point], width thickness: Double, _ colour: Colour) {
        guard let first = points.first else { return }
        // The most that any of its parts covers of a pixel: parts that meet are not drawn twice.
        var coverage: [Int: Double] = [:]
        let reach = thickness / 2 + 1
        for (start, end) in zip([first] + points, points) {
            let rows = Self.span(start.y, end.y, reach, height)
            for row in rows {
                for column in Self.span(start.x, end.x, reach, width) {
                    let distance = Self.distance(Double(column) + 0.5, Double(row) + 0.5, start, end)
                    let part = min(max(thickness / 2 + 0.5 - distance, 0), 1)
                    if part > 0 { coverage[row * width + column] = max(coverage[row * width + column] ?? 0, part) }
                }
            }
        }
        for (index, part) in coverage { blend(index % width, index / width, colour, part) }
    }

    /// The pixels between two coordinates, and so many around them.
    private static func span(_ one: Double, _ other: Double, _ reach: Double, _ size: Int) -> Range<Int> {
        let low = Int((min(one, other) - reach).rounded(.down))
        let high = Int((max(one, other) + reach).rounded(.up))
        return (low..<max(low, high)).clamped(to: 0..<size)
    }

    /// How far a point is from a part of a line.
    private static func distance(_ x: Double, _ y: Double, _ start: Point, _ end: Point) -> Double {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = dx * dx + dy * dy
        let along = length == 0 ? 0 : min(max(((x - start.x) * dx + (y - start.y) * dy) / length, 0), 1)
        let (offX, offY) = (x - start.x - along * dx, y - start.y - along * dy)
        return (offX * offX + offY * offY).squareRoot()
    }

    private mutating func blend(_ column: Int, _ row: Int, _ colour: Colour, _ part: Double) {
        let index = 3 * (row * width + column)
        for (offset, value) in [colour.red, colour.green, colour.blue].enumerated() {
            let below = Double(bytes[index + offset])
            bytes[index + offset] = UInt8((below + (Double(value) - below) * part).rounded())
        }
    }
}
