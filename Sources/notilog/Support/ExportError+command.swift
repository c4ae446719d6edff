import ArgumentParser
import Exports

extension ExportError {
    /// As a command throws it: a name or a position that is none is an error of usage (exit code 64).
    var ofCommand: any Error {
        if isOfUsage { ValidationError(message) } else { CommandFailure(message) }
    }

    /// Whether the command was asked wrongly.
    var isOfUsage: Bool {
        [.unknownDataset, .unknownFormat, .invalidCursor, .unknownPosition].contains(code)
    }
}
