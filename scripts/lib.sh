# shellcheck shell=bash
# Sourced by the other scripts: messages; packages, as root or not; what a binary needs.

say() { echo "$(basename "$0" .sh): $*" >&2; }
die() {
  say "$@"
  exit 1
}

# Of the packages named, those that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    # No :any or virtual names are asked for (NAME:arm64 is fine); "installed" is the third word of the status.
    [[ $(dpkg-query -W -f='${Status}' "$package" 2> /dev/null) == *" installed" ]] || echo "$package"
  done
}

# Run a command as root. Fails, without asking for a password, where nobody could type one.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo > /dev/null && { [[ -t 0 ]] || sudo -n true 2> /dev/null; }; then
    sudo "$@"
  else
    return 126
  fi
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  command -v apt-get > /dev/null || die "no apt-get here; install these by other means: ${missing[*]}"
  say "installing ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
  local log
  log=$(mktemp)
  # Lists may be old or, in a fresh container, absent. A repository that cannot be reached need not matter.
  as_root "${apt[@]}" update >> "$log" 2>&1 || true
  if ! as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >> "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "could not install; as root, run: apt-get install ${missing[*]}"
  fi
  rm -f "$log"
}

# The oldest glibc that has every versioned symbol of these ELF files.
oldest_glibc() { LC_ALL=C readelf -VW "$@" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d _ -f 2; }
