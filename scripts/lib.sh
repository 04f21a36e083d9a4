# shellcheck shell=bash
# Functions for the other scripts: messages, installation of packages, requirements of a binary.

say() { echo "$(basename "$0" .sh): $*" >&2; }
die() {
  say "$@"
  exit 1
}

# Prints those of the given packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    # Works for names such as NAME:arm64, not for NAME:any or virtual packages. "installed" is the third word of the status.
    [[ $(dpkg-query -W -f='${Status}' "$package" 2> /dev/null) == *" installed" ]] || echo "$package"
  done
}

# Runs a command as root. Fails if that needs a password and there is no terminal on which to type it.
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
  # Package lists may be old or, in a fresh container, absent. Failures are ignored: the packages may come from another
  # repository than the unreachable one.
  as_root "${apt[@]}" update >> "$log" 2>&1 || true
  if ! as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >> "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "could not install; as root, run: apt-get install ${missing[*]}"
  fi
  rm -f "$log"
}

# Prints the oldest glibc version that has every versioned symbol that these ELF files need.
oldest_glibc() { LC_ALL=C readelf -VW "$@" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d _ -f 2; }

# Downloads the archive of the npm package $1, NAME@VERSION, into folder $2. Nothing is installed or run.
download_npm() {
  command -v npm > /dev/null || install_packages npm
  # With --silent npm would not print errors either.
  (cd "$2" && npm pack --loglevel=error --ignore-scripts "$1" > log 2>&1) ||
    die "npm could not download $1: $(reason_in "$2/log")"
}

# Downloads Debian packages and unpacks them into folder $1/unpacked, without root. Nothing is installed or run.
download_debs() {
  local folder=$1 package
  shift
  fetch() { (cd "$folder" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$@" > log 2>&1); }
  # A fresh container has no package lists yet.
  fetch "$@" || { as_root apt-get -qq update > /dev/null 2>&1 && fetch "$@"; } ||
    die "apt-get could not download $*: $(reason_in "$folder/log")"
  for package in "$folder"/*.deb; do dpkg -x "$package" "$folder/unpacked"; done
}

# Prints the first lines of a log file: the last part of an error message.
reason_in() { if [[ -s $1 ]]; then sed -n 1,4p "$1"; else echo "it gave no reason"; fi; }
