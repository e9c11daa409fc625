/// What a cancellation achieved. The answer is true at the moment it is given (CAN-2).
public enum CancelAnswer: String, Sendable, Hashable {
  /// What waits is cancelled, what runs will end without committing.
  case accepted
  /// Nothing waits or runs any more: what is not settled is past its commit point.
  case tooLate
  /// An earlier call was accepted.
  case alreadyRequested
}
