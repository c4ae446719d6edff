internal import PNG

/// Draws a digest's chart: lines over time from nought, the period itself on a band. Words stand around the picture, not in it.
enum DigestChart {
    /// In pixels, of which two are one of the mail's.
    static let width = 1120
    static let height = 320
    /// Of lines, the first one first.
    static let colours: [UInt32] = [0x2563eb, 0xc2410c, 0x0f766e]

    private static let margin = 12

    static func picture(_ chart: DigestMessage.Chart) -> Raster {
        var raster = Raster(width: width, height: height, background: Raster.Colour(0xffffff))
        let count = max(chart.days.count, 1)
        let step = Double(width - 2 * margin) / Double(count)
        func column(_ index: Int) -> Double { Double(margin) + (Double(index) + 0.5) * step }
        func row(_ value: Double) -> Double {
            Double(height - margin) - value / chart.highest * Double(height - 2 * margin)
        }
        raster.fill(x: Int(Double(width - margin) - step)..<(width - margin), y: 0..<height, Raster.Colour(0xeef2f7))
        for part in 0...4 {
            let y = Int(row(chart.highest * Double(part) / 4))
            raster.fill(x: margin..<(width - margin), y: y..<(y + 2), Raster.Colour(part == 0 ? 0x9aa3ad : 0xdde2e8))
        }
        // A note stands where its day is within the interval that it falls in.
        for note in chart.notes ?? [] {
            guard let index = chart.days.lastIndex(where: { $0 <= note.day }) else { continue }
            let x = Int(column(index))
            raster.fill(x: (x - 1)..<(x + 1), y: 0..<(height - margin), Raster.Colour(0x4b5563))
            raster.fill(x: (x + 1)..<(x + 11), y: 0..<8, Raster.Colour(0x4b5563))
        }
        for (line, colour) in zip(chart.lines, colours).reversed() {
            // What is unknown is a gap.
            for run in runs(line.values) {
                let points = run.map { Raster.Point(x: column($0.index), y: row(max($0.value, 0))) }
                raster.line(points, width: 5, Raster.Colour(colour))
                for point in points { raster.line([point], width: 10, Raster.Colour(colour)) }
            }
        }
        return raster
    }

    private static func runs(_ values: [Double?]) -> [[(index: Int, value: Double)]] {
        var runs: [[(index: Int, value: Double)]] = [[]]
        for (index, value) in values.enumerated() {
            if let value {
                runs[runs.count - 1].append((index, value))
            } else {
                runs.append([])
            }
        }
        return runs.filter { !$0.isEmpty }
    }
}
