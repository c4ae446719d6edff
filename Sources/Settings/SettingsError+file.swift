internal import SystemPackage

extension SettingsError {
    /// Why a file cannot be used: it is looked at again, as the error says little. What it holds is not told.
    static func file(_ path: String, _ error: any Error) -> SettingsError {
        let text: String?
        do {
            text = try contents(path)
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return SettingsError("there is no file \(path): check the path of the settings")
        } catch Errno.isDirectory {
            return SettingsError("\(path) is a folder: name the file of the settings in it")
        } catch Errno.permissionDenied, Errno.notPermitted {
            return SettingsError("the file \(path) may not be read: give this user permission to read it")
        } catch {
            return SettingsError("the file \(path) cannot be read: check the path of the settings")
        }
        let format = path.lowercased().hasSuffix(".json") ? "JSON" : "YAML"
        guard text != nil else {
            return SettingsError("the file \(path) is not text in UTF-8: check whether it is the one of the settings")
        }
        if let line = line(String(describing: error)) {
            return SettingsError(
                "the file \(path) is not valid \(format) at line \(line): mend that line or the one before"
            )
        }
        return SettingsError(
            "the file \(path) has no settings in \(format), such as \(example(format)): check its content"
        )
    }

    private static func example(_ format: String) -> String {
        format == "JSON" ? #"{"http": {"port": 8080}}"# : "http: {port: 8080}"
    }

    /// The line that a parser's error names.
    private static func line(_ description: String) -> Substring? {
        guard let match = description.firstMatch(of: /^([0-9]+):[0-9]+: error|line ([0-9]+)/) else { return nil }
        return match.output.1 ?? match.output.2
    }

    /// A file's text, of a mebibyte at most; nil if it is none.
    private static func contents(_ path: String) throws -> String? {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while bytes.count <= 1 << 20 {
                let count = try part.withUnsafeMutableBytes { try file.read(into: $0) }
                if count == 0 { return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self) }
                bytes += part.prefix(count)
            }
            return nil
        }
    }
}
