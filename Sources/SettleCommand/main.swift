import CSettleSystem

StandardStreams.openAll()
switch await Tool.run(commandLineBytes(), Surroundings.ofThisProcess()) {
case .exit(let status): exit(status.rawValue)
case .signal(let number): Interruptions.leave(by: number)
}
