#!/bin/sh
# vulkan-entries.sh OUT HEADERS SOURCE…: the Vulkan entry points that the sources use, as lines of OUT:
#   FALLIBLE(vkCreateBuffer, (VkDevice device, …), (device, …), SPOIL(pBuffer))   returns a VkResult
#   INFALLIBLE(void, vkGetDeviceQueue, (VkDevice device, …), (device, …))         cannot fail
# SPOIL names what the call would write. HEADERS is the preprocessed text of Vulkan's headers: its function pointer
# types (PFN_vk…) contain the parameters.
set -eu
out=$1
headers=$2
shift 2
grep -ohE '\bvk[A-Z][A-Za-z0-9]+\b' "$@" | LC_ALL=C sort -u > "$out.used"
# A name that no header declares is an error.
awk -v used="$out.used" '
BEGIN { while ((getline name < used) > 0) wanted[name] = 1 }
/^typedef .*\( *\*PFN_vk[A-Za-z0-9]+\)\(.*\);$/ {
  name = $0
  sub(/^.*\*PFN_/, "", name)
  sub(/\).*$/, "", name)
  if (!(name in wanted)) next
  type = $0
  sub(/^typedef /, "", type)
  sub(/ *\( *\*PFN_.*$/, "", type)
  parameters = $0
  sub(/^.*\*PFN_[A-Za-z0-9]+\)\(/, "", parameters)
  sub(/\);$/, "", parameters)
  arguments = spoiled = ""
  n = split(parameters, parameter, / *, */)
  for (i = 1; i <= n; i++) {
    at = match(parameter[i], /[A-Za-z0-9_]+$/)
    word = substr(parameter[i], at)
    arguments = arguments (i > 1 ? ", " : "") word
    if (parameter[i] ~ /^[A-Za-z0-9_]+\*+ / && parameter[i] !~ /^void\* /) spoiled = spoiled " SPOIL(" word ")"
  }
  if (type == "VkResult")
    printf "FALLIBLE(%s, (%s), (%s),%s)\n", name, parameters, arguments, spoiled
  else
    printf "INFALLIBLE(%s, %s, (%s), (%s))\n", type, name, parameters, arguments
  delete wanted[name]
}
END {
  for (name in wanted) { print "vulkan-entries.sh: no header declares " name > "/dev/stderr"; exit 1 }
}' "$headers" > "$out.next" && mv "$out.next" "$out"
rm -f "$out.used"
