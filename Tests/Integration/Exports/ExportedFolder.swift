import Foundation

/// What a reader finds in a folder of exports: the files whose manifests are there, in the order of their names.
struct ExportedFolder {
    struct Manifest: Decodable {
        var file: String
        var after: Int64
        var up_to: Int64
        var rows: Int
        var bytes: Int
        var sha256: String
        var format: String
        var compression: String?
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let url: URL

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    var manifests: [Manifest] {
        get throws {
            try names.filter { $0.hasSuffix(".manifest.json") }.map {
                try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: url.appendingPathComponent($0)))
            }.sorted { $0.after < $1.after }
        }
    }

    /// Checks every sum with `sha256sum`, and that no file lacks its manifest, none is left over and the ranges follow each
    /// other; gives the lines of all files, headers of CSV left out.
    func checkedLines() async throws -> [String] {
        let manifests = try manifests
        let sums = manifests.map { "\($0.sha256)  \($0.file)\n" }.joined()
        let check = try await NotilogCommand.runProgram(
            "/bin/sh",
            ["-c", "cd \"$1\" && sha256sum --check --strict --quiet", "sh", url.path],
            input: sums
        )
        guard manifests.isEmpty || check.status == 0 else { throw Failure(description: check.output + check.errors) }
        let described = Set(manifests.map(\.file))
        let others = names.filter {
            !$0.hasSuffix(".manifest.json") && $0 != ".notilog-cursor" && !described.contains($0)
        }
        guard others.isEmpty else { throw Failure(description: "files without a manifest: \(others)") }
        var end = manifests.first?.after ?? 0
        var lines: [String] = []
        for manifest in manifests {
            guard manifest.after == end else { throw Failure(description: "\(manifest.file) does not follow \(end)") }
            end = manifest.up_to
            let part = try await Self.lines(url.appendingPathComponent(manifest.file), manifest.compression == "gzip")
            let rows = manifest.format == "csv" ? Array(part.dropFirst()) : part
            guard rows.count == manifest.rows else {
                throw Failure(description: "\(manifest.file) has \(rows.count) rows")
            }
            lines += rows
        }
        return lines
    }

    private static func lines(_ url: URL, _ isCompressed: Bool) async throws -> [String] {
        let text: String
        if isCompressed {
            text = try await NotilogCommand.runProgram("/bin/sh", ["-c", "gzip -dc \"$1\"", "sh", url.path]).output
        } else {
            text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        }
        guard text.isEmpty || text.hasSuffix("\n") else { throw Failure(description: "the last line is cut short") }
        return text.split(separator: "\n").map(String.init)
    }
}
