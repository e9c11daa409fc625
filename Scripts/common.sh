# Shared by ./settle, the Makefile's recipes and .ci/run. POSIX sh; sourced, never run.
# `root` must be set to the package's folder. Everything said here goes to standard error.

say() { printf '%s\n' "settle: $*" >&2; }

# Prints the swift command. Fails with a message when there is none.
find_swift() {
  for candidate in "$(command -v swift 2>/dev/null)" "${SETTLE_SWIFT_HOME:-/opt/swift}/usr/bin/swift" \
    /usr/bin/swift; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  say "Swift is not installed: no 'swift' in PATH, /opt/swift/usr/bin or /usr/bin."
  say "Install Swift 6.3 or newer from https://www.swift.org/install, then start this again."
  return 6
}

# True when a Debian package is installed.
has_debian_package() {
  dpkg-query -W -f='${db:Status-Abbrev}\n' "$1" 2>/dev/null | grep -q '^.i'
}

# Prints the Debian packages that are missing, on one line. $1 is the swift command.
missing_debian_packages() {
  missing=
  # A toolchain that was unpacked from an archive brings none of the libraries that it needs.
  if ! "$1" --version >/dev/null 2>&1; then
    for package in binutils git libcurl4 libedit2 libncurses6 libxml2 tzdata zlib1g; do
      has_debian_package "$package" || missing="$missing $package"
    done
  fi
  for package in libc6-dev libsqlite3-dev libssl-dev libqpdf-dev; do
    has_debian_package "$package" || missing="$missing $package"
  done
  command -v pkg-config >/dev/null 2>&1 || missing="$missing pkg-config"
  # The linker needs the C++ library, whose package carries the compiler's version in its name.
  has_debian_package 'libstdc++-*-dev' || missing="$missing g++"
  printf '%s\n' "${missing# }"
}

# Prints the Homebrew formulae that are missing, on one line. SQLite is part of the SDK.
missing_brew_formulae() {
  missing=
  command -v pkg-config >/dev/null 2>&1 || missing="$missing pkgconf"
  for formula in openssl qpdf; do
    brew list "$formula" >/dev/null 2>&1 || missing="$missing $formula"
  done
  printf '%s\n' "${missing# }"
}

# True when we may install: yes without asking if SETTLE_YES=1 or there is no terminal.
may_install() {
  [ "${SETTLE_YES:-}" != 1 ] || return 0
  { [ -t 0 ] && [ -t 2 ]; } || return 0
  printf 'settle: Install now? [Y/n] ' >&2
  read -r answer </dev/tty || return 1
  case $answer in '' | y | Y | yes | Yes) return 0 ;; *) return 1 ;; esac
}

# Ends with the command that the user has to give, and exit code 6 (a tool or a right is missing).
refuse_install() {
  say "$1 Please run this, then start again:"
  printf '  %s\n' "$2" >&2
  return 6
}

# Runs a command quietly; shows its output only when it fails.
quietly() {
  output=$(mktemp "${TMPDIR:-/tmp}/settle-output.XXXXXX") || return 1
  trap 'rm -f "$output"; exit 130' INT
  trap 'rm -f "$output"; exit 143' TERM
  result=0
  "$@" </dev/null >"$output" 2>&1 || result=$?
  [ "$result" = 0 ] || cat "$output" >&2
  rm -f "$output"
  trap - INT TERM
  return "$result"
}

# Installs what the build needs, after saying what and how. $1 is the swift command.
# Returns 0, or 6 with the command that the user has to give.
install_needs() {
  if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
    install_debian_needs "$1"
  elif command -v brew >/dev/null 2>&1; then
    install_brew_needs
  elif ! { command -v pkg-config && pkg-config --exists sqlite3 libcrypto libqpdf; } >/dev/null 2>&1
  then
    say "The build needs the development files of SQLite, OpenSSL and qpdf, and pkg-config."
    say "This system has neither apt-get nor Homebrew. Please install them, then start again."
    return 6
  fi
}

install_debian_needs() {
  missing=$(missing_debian_packages "$1")
  [ -n "$missing" ] || return 0
  command="apt-get install -y --no-install-recommends $missing"
  if [ "$(id -u)" = 0 ]; then
    as=
  elif command -v sudo >/dev/null 2>&1; then
    as=sudo
    # Without a terminal nobody can type a password.
    { [ -t 0 ] && [ -t 2 ]; } || as='sudo -n'
  else
    refuse_install "Missing packages: $missing. You are not root and there is no sudo." "$command"
    return 6
  fi
  say "Missing packages: $missing"
  say "Installing them with: ${as:+$as }$command"
  may_install || {
    refuse_install "Nothing was installed." "${as:+sudo }$command"
    return 6
  }
  # Words in $as and $missing are split on purpose.
  if ! quietly $as env DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends $missing; then
    say "Reading the package lists anew with: ${as:+$as }apt-get update"
    quietly $as apt-get update &&
      quietly $as env DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends $missing || {
      refuse_install "The packages could not be installed." "${as:+sudo }$command"
      return 6
    }
  fi
}

install_brew_needs() {
  missing=$(missing_brew_formulae)
  [ -n "$missing" ] || return 0
  command="brew install $missing"
  say "Missing formulae: $missing"
  say "Installing them with: $command"
  may_install || {
    refuse_install "Nothing was installed." "$command"
    return 6
  }
  quietly brew install $missing || {
    refuse_install "The formulae could not be installed." "$command"
    return 6
  }
}

# The libraries whose public declarations are recorded and documented.
public_libraries='SettleCore SettleFiles SettleProcess SettleLedger SettleVerify Settle SettleTerminal SettleTestKit SettleTestKitTesting SettleTestKitXCTest'

# Builds the libraries (unless SETTLE_BUILT=1 says that they are) and sets `tools`, the toolchain's
# folder, and `module_flags`, with which its tools find the modules. $1 is the swift command.
find_modules() {
  for library in $public_libraries; do
    [ "${SETTLE_BUILT:-}" = 1 ] || "$1" build --quiet --target "$library" || return 1
  done
  tools=$(dirname "$1")
  [ -x "$tools/docc" ] || tools=$(dirname "$(readlink -f "$1")")
  triple=$("$1" -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
  module_flags="-target $triple -I .build/debug/Modules -I .build/debug/CSettleSystem.build
    -I Sources/CSQLite -I Sources/CCrypto $(pkg-config --cflags-only-I sqlite3 libcrypto)"
}
