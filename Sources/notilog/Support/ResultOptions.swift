import ArgumentParser

/// `--json` of the commands that change something: what they did, as a sentence or as an object that a script reads.
struct ResultOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Write the result as JSON.")
    var asJSON = false

    /// - Parameter result: by names in snake_case.
    func print(_ sentence: String, _ result: some Encodable) throws {
        if asJSON { try JSONOutput.print(result) } else { Console.print(sentence) }
    }
}
