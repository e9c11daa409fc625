// The first example of the README: open, import, outcome.
import Settle

let paths = CommandLine.arguments.dropFirst()
let library = try await Library.open(at: BytePath(paths.first ?? "Documents.settle"))
let run = try library.import(paths.dropFirst().map { ImportSource(BytePath($0)) })
print(await run.report().counts)
