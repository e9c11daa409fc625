/// The version of the tool, as `--version` and the man page print it.
enum ToolVersion {
  static let text = "0.1.0"
}
