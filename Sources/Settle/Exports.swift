// An app imports `Settle` and has the words it speaks in: outcomes and snapshots, byte paths,
// verdicts.
@_exported public import SettleCore
@_exported public import SettleFiles
@_exported public import SettleVerify
