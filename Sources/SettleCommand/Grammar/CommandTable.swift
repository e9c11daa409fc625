extension CommandSpec {
  private static let entries = ArgumentSpec(
    placeholder: "ID", kind: .entry, fewest: 1, most: nil)

  /// Every command of the tool, in the order in which help lists them.
  static let all: [CommandSpec] = [
    importing, listing, showing, exporting, removing, checking, recovering, status, doctor, demo,
    checkingTrace, selftest, completions, man,
  ]

  private static let importing = CommandSpec(
    name: .import, summary: "Copy documents into the library, verified.",
    examples: [
      Example(line: "settle import ~/Scans", note: "every PDF below a folder"),
      Example(
        line: "find . -name '*.pdf' -print0 | settle import -0 --files-from -",
        note: "paths from another tool"),
    ],
    argument: ArgumentSpec(
      placeholder: "PATH", kind: .path, fewest: 1, most: nil, replacedBy: [.filesFrom]),
    options: [.filesFrom, .null, .onDuplicate, .failIfEmpty],
    description: [
      "Each document is copied, opened with a real parser, made durable and recorded; only then "
        + "it counts as imported. The source is never changed.",
      "Folders are searched. A file found in a folder that is no document is skipped; a file named "
        + "by hand that is none has failed.",
      "Ctrl-C lets the document in hand finish or roll back; a second Ctrl-C leaves at once. Either "
        + "way nothing half done is listed.",
    ])

  private static let listing = CommandSpec(
    name: .ls, summary: "List the documents of the library.",
    examples: [
      Example(line: "settle ls", note: "one line a document"),
      Example(line: "settle ls --json", note: "the same for a program"),
    ],
    description: ["Lists the available documents, oldest first: id, size, pages and name."])

  private static let showing = CommandSpec(
    name: .show, summary: "Show everything that is known of a document.",
    examples: [
      Example(line: "settle show 01jz3k5w8p9q2r4t6v8x0y1z2a", note: "one document"),
      Example(line: "settle show --json ID1 ID2", note: "two, for a program"),
    ],
    argument: entries,
    description: ["Shows path, size, hash, pages, engine and run of each document."])

  private static let exporting = CommandSpec(
    name: .export, summary: "Copy documents out of the library under safe names.",
    examples: [
      Example(line: "settle export --all -o ~/Desktop/documents", note: "the whole library"),
      Example(line: "settle export 01jz3k5w8p9q2r4t6v8x0y1z2a -o .", note: "one document"),
    ],
    argument: ArgumentSpec(
      placeholder: "ID", kind: .entry, fewest: 1, most: nil, replacedBy: [.all]),
    options: [.all, .output],
    description: [
      "A file that exists is never replaced. The library is not changed, and DIR cannot be in it.",
      "A copy is made under a hidden name that begins with .settle- and gets its own when it is "
        + "whole. An export that was killed may leave one such file; the next export to the same "
        + "folder removes it.",
    ])

  private static let removing = CommandSpec(
    name: .rm, summary: "Delete documents from the library.",
    examples: [
      Example(line: "settle rm 01jz3k5w8p9q2r4t6v8x0y1z2a", note: "asks first"),
      Example(line: "settle rm --yes ID1 ID2", note: "does not ask"),
    ],
    argument: entries,
    description: [
      "Asks on a terminal. Without a terminal, or with --no-input, --yes is needed.",
      "The sources that the documents came from are not touched. A signal that comes once the "
        + "deletion has begun comes too late: it is finished.",
    ])

  private static let checking = CommandSpec(
    name: .check, summary: "Check that every document is there and unchanged.",
    examples: [
      Example(line: "settle check", note: "is every file there, with its size"),
      Example(line: "settle check --deep", note: "read every file, compare its hash"),
    ],
    options: [.deep],
    description: ["Reports missing, changed, unknown and unreadable files. Repairs nothing."])

  private static let recovering = CommandSpec(
    name: .recover, summary: "Finish or roll back what a crash left, and say what was done.",
    examples: [
      Example(line: "settle recover -n", note: "what would be done"),
      Example(line: "settle recover", note: "do it"),
    ],
    description: [
      "Every command that writes recovers on its own; this one reports it. Repeating it changes "
        + "nothing more."
    ])

  private static let status = CommandSpec(
    name: .status, summary: "Show counts, size and who is writing.",
    examples: [
      Example(line: "settle status", note: "the default library"),
      Example(line: "settle status --json --library ~/Papers", note: "another one, for a program"),
    ],
    description: ["Reads only; works while another process imports."])

  private static let doctor = CommandSpec(
    name: .doctor, summary: "Check tools, rights, disk and library.",
    examples: [
      Example(line: "settle doctor", note: "is everything in place"),
      Example(line: "settle doctor --json", note: "for a bug report"),
    ],
    description: ["Says for each finding what to do. Changes nothing."])

  private static let demo = CommandSpec(
    name: .demo, summary: "A tour on documents of its own, offline, in under 20 seconds.",
    examples: [
      Example(line: "settle demo", note: "a refusal, a cancel, a kill and a recovery"),
      Example(line: "settle demo --json", note: "the same as JSON lines"),
    ],
    description: [
      "Works in a temporary folder that it removes; your library is not touched. Each claim that "
        + "it prints is checked, and one that does not hold ends it with exit code 1."
    ])

  private static let checkingTrace = CommandSpec(
    name: .checkTrace, summary: "Judge the trace of any program by the contract's rules.",
    examples: [
      Example(line: "settle check-trace trace.jsonl", note: "which rules it breaks, and where"),
      Example(
        line: "my-tests | settle check-trace --json -", note: "from another program, for a third"),
    ],
    argument: ArgumentSpec(placeholder: "FILE|-", kind: .path, fewest: 1, most: 1),
    description: [
      "A trace is JSON Lines: a header, then one event a line, in the order in which they happened. "
        + "Any language can write it; Documentation/Guides/TestKit.md has the schema.",
      "Prints each broken rule with the events that show it, and names the rules that saw none of "
        + "their events: those have not passed. Exit code 5 when a rule is broken, 2 when the file "
        + "is no trace.",
    ])

  private static let selftest = CommandSpec(
    name: .selftest, summary: "Prove on this machine's disk that failures and cancels end well.",
    examples: [
      Example(line: "settle selftest", note: "a table, and what is not as expected"),
      Example(line: "settle selftest --report html -o report.html", note: "a page to read"),
    ],
    options: [.report, .output, .compare],
    description: [
      "Imports documents of its own from every kind of source, with every fault and a cancel at "
        + "every stage, on the file system of the library, and opens the library again after each. "
        + "Works in a new folder beside the library, or in the temporary folder when there is "
        + "none, and removes it. Takes less than a minute.",
      "Exit code 0 when every cell of the matrix ended as expected and every planned fault "
        + "happened, else 5. What this machine cannot run is skipped, with its reason, and never "
        + "counted as passed.",
      "FILE gets the report in one piece; one that exists is replaced only after a question or "
        + "with --yes. Documentation/Guides/AcceptanceReport.md has the schema.",
    ])

  private static let completions = CommandSpec(
    name: .completions, summary: "Print a completion script for a shell.",
    examples: [
      Example(line: "source <(settle completions bash)", note: "in ~/.bashrc"),
      Example(
        line: "settle completions fish > ~/.config/fish/completions/settle.fish",
        note: "for fish"),
    ],
    argument: ArgumentSpec(
      placeholder: "SHELL", kind: .choice(["bash", "zsh", "fish"]), fewest: 1, most: 1),
    description: ["SHELL is bash, zsh or fish."])

  private static let man = CommandSpec(
    name: .man, summary: "Print the manual page.",
    examples: [
      Example(line: "settle man | man -l -", note: "read it"),
      Example(line: "settle man > settle.1", note: "keep it"),
    ],
    description: ["Prints roff, the format of manual pages."])
}
