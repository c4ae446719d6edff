internal import Synchronization

/// What a metric's series have in common: name, type, help.
enum MetricKind: String, Sendable {
    case counter, gauge, histogram
}

/// One series of a metric: it writes its own lines.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes the series' sample lines.
    /// - Parameters:
    ///   - name: the metric's name.
    ///   - labels: the series' labels, written already, without braces; may be empty.
    func write(to text: inout String, name: String, labels: String)
}

/// A name as Prometheus takes it: `[a-zA-Z_:][a-zA-Z0-9_:]*` (Prometheus, "Data model").
func prometheusName(_ label: String) -> String {
    var name = ""
    for scalar in label.unicodeScalars {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ":": name.unicodeScalars.append(scalar)
        default: name.append("_")
        }
    }
    if let first = name.first, first.isNumber { name = "_" + name }
    return name
}

/// Labels without their braces, values escaped (Prometheus, "Text-based format").
func prometheusLabels(_ dimensions: [(String, String)]) -> String {
    dimensions.map { name, value in
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return "\(prometheusName(name))=\"\(escaped)\""
    }
    .joined(separator: ",")
}

/// A sample's value: whole numbers without a point.
func prometheusNumber(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return String(value)
}
