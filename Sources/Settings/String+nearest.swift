extension String {
    /// The name that this one is most likely a misspelling of; nil if none is near.
    package func nearest(of names: [String]) -> String? {
        let near = names.map { (name: $0, steps: steps(to: $0)) }.filter {
            $0.steps <= max(2, count / 4) && $0.steps < count
        }
        return near.min { $0.steps < $1.steps }?.name
    }

    /// The least number of characters to insert, remove or replace (Levenshtein).
    private func steps(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (number, letter) in enumerated() {
            var corner = number
            row[0] = number + 1
            for (column, wanted) in letters.enumerated() {
                let replaced = corner + (letter == wanted ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = Swift.min(replaced, corner + 1, row[column] + 1)
            }
        }
        return row[letters.count]
    }
}
