// The C types that Apple's C library declares otherwise than Linux's, for type-checking only. This
// file is compiled into each module that imports CSettleSystem, where it hides the imported ones.
import CSettleSystem

typealias pthread_t = OpaquePointer
typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
typealias posix_spawnattr_t = UnsafeMutableRawPointer

let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0x4000

extension stat {
  var st_mtimespec: timespec { st_mtim }
}

func pthread_create(
  _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
  _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }

typealias SpawnActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
typealias SpawnFlags = UnsafeMutablePointer<posix_spawnattr_t?>

@discardableResult
func posix_spawn_file_actions_init(_ value: SpawnActions) -> Int32 { 0 }
@discardableResult
func posix_spawn_file_actions_destroy(_ value: SpawnActions) -> Int32 { 0 }
@discardableResult
func posix_spawn_file_actions_adddup2(
  _ value: SpawnActions, _ source: Int32, _ target: Int32
) -> Int32 { 0 }
@discardableResult
func posix_spawn_file_actions_addopen(
  _ value: SpawnActions, _ target: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32,
  _ mode: mode_t
) -> Int32 { 0 }
@discardableResult
func posix_spawnattr_init(_ value: SpawnFlags) -> Int32 { 0 }
@discardableResult
func posix_spawnattr_destroy(_ value: SpawnFlags) -> Int32 { 0 }
@discardableResult
func posix_spawnattr_setflags(_ value: SpawnFlags, _ flags: Int16) -> Int32 { 0 }
@discardableResult
func posix_spawnattr_setpgroup(_ value: SpawnFlags, _ group: pid_t) -> Int32 { 0 }
@discardableResult
func posix_spawnattr_setsigmask(
  _ value: SpawnFlags, _ signals: UnsafePointer<sigset_t>?
) -> Int32 { 0 }
@discardableResult
func posix_spawnattr_setsigdefault(
  _ value: SpawnFlags, _ signals: UnsafePointer<sigset_t>?
) -> Int32 { 0 }
func posix_spawn(
  _ process: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>?,
  _ attributes: UnsafePointer<posix_spawnattr_t?>?,
  _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 { 0 }
func posix_spawnp(
  _ process: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>?,
  _ attributes: UnsafePointer<posix_spawnattr_t?>?,
  _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 { 0 }
