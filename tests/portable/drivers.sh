#!/usr/bin/env bash
# If Vulkan is installed, but has no device or an unsuitable one, the report names the driver and the reason. Uses fake
# drivers: one whose library is missing, one whose library is not a driver, one that fails to start, one without a
# device.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=$(realpath "${BUILD:-build}")
real=${VK_DRIVER_FILES-}
unset VK_ICD_FILENAMES GTRAIN_DEVICE
cd "$TEST_TMP" || exit 1

# driver NAME LIBRARY: writes the manifest of a driver.
driver() { echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"$2\", \"api_version\": \"1.2.0\"}}" > "$1.json"; }
driver ghost /nowhere/libvulkan_ghost.so
driver zlib libz.so.1
driver odd "$build/portable/odd_driver.so"
echo 'not JSON' > garbage.json
cat > xor.yaml << 'END'
data: {inputs: [[0], [1]], targets: [[0], [1]]}
model: [{linear: 1}]
train: {epochs: 1}
END
files() {
  local name list=
  for name; do list+=${list:+:}$PWD/$name.json; done
  export VK_DRIVER_FILES=$list VK_ICD_FILENAMES=$list
}

files ghost
exits 0 "a library that is missing" "$GTRAIN" devices
if [[ $out == *"no Vulkan loader"* ]]; then
  echo "$out" | tail -n 1
  exit 77
fi
says "  names the file" "warning: Vulkan driver $PWD/ghost.json: "
says "  and the reason" "ghost.json: /nowhere/libvulkan_ghost.so: cannot open shared object file"
exits 0 "training says it, too" "$GTRAIN" train xor.yaml --run-dir ghost
says "  in the device line" "/nowhere/libvulkan_ghost.so: cannot open shared object file"
exits 69 "as does a device asked for by name" "$GTRAIN" train xor.yaml --run-dir ghost2 --device vulkan
says "  in the error" "/nowhere/libvulkan_ghost.so: cannot open shared object file"

files zlib garbage absent
exits 0 "a library that is not a driver, a file that is not JSON, and none" "$GTRAIN" devices
says "  no driver" "$PWD/zlib.json: "
says "  not JSON" "$PWD/garbage.json: "
says "  none" "$PWD/absent.json: "
exits 0 "the doctor on these" "$GTRAIN" doctor
for name in zlib garbage absent; do
  check "  warns of $name" grep -q "^warning  driver       $PWD/$name.json: ." <<< "$out"
done
says "  and says what to do" "-> reinstall this driver, or remove the file"
says "  and that the CPU can train" "gtrain can train here, on the CPU; "

files odd
export TEST_DRIVER=refuses
exits 0 "a driver that does not start" "$GTRAIN" devices
says "  is blamed" "warning: Vulkan driver $PWD/odd.json: "
if [[ $real == *.json ]]; then
  VK_DRIVER_FILES+=:$real VK_ICD_FILENAMES+=:$real
  exits 0 "next to one that does" "$GTRAIN" devices
  says "  is blamed, too" "warning: Vulkan driver $PWD/odd.json: "
  says "  and the other one used" "vulkan:0: "
  check "  without a word of it" test "${out/"Vulkan driver $real"/}" = "$out"
  exits 0 "training says why there is no GPU" "$GTRAIN" train xor.yaml --run-dir odd
  says "  besides the software that there is" "a driver failed to load: "
  out=$("$GTRAIN" devices --json 2> /dev/null)
  check "the list as JSON is nothing else" test "${out:0:2}${out: -2}" = '[{}]'
fi

files odd
export TEST_DRIVER=crashes
exits 0 "a driver that crashes" "$GTRAIN" devices
says "  is blamed for it" "odd.json: it crashes while loading: Aborted"
says "  and leaves the CPU" "cpu: "
exits 69 "the doctor on it" "$GTRAIN" doctor
check "  calls it an error" grep -q "^error    driver       $PWD/odd.json: it crashes while loading: Aborted$" <<< "$out"
says "  says what to do" "VK_DRIVER_FILES="
says "  and goes on" "matrix products use"
exits 0 "a report" "$GTRAIN" selftest --filter group_sum --report report.txt
check "  tests the CPU" grep -q "^error    driver .* crashes while loading" report.txt
if [[ $real == *.json ]]; then
  VK_DRIVER_FILES+=:$real VK_ICD_FILENAMES+=:$real
  exits 0 "next to one that does not" "$GTRAIN" devices
  says "  is blamed, too" "odd.json: it crashes while loading"
  says "  and the other one used" "vulkan:0: "
  exits 69 "the doctor on both" "$GTRAIN" doctor
  says "  shows the device of the other" "ok       vulkan:0 "
  check "  and the environment as it is" grep -qF "VK_DRIVER_FILES=$VK_DRIVER_FILES" <<< "$out"
fi

export TEST_DRIVER=refuses
cp odd.json nvidia_icd.json
files nvidia_icd
exits 0 "NVIDIA's driver where it does not start" "$GTRAIN" devices
if [[ $(/sbin/ldconfig -p 2> /dev/null) != *libEGL.so.1* ]]; then
  says "  is known to need libEGL" "some of its libraries are missing (Debian packages: libegl1"
else
  check "  needs no libEGL that is there" test "${out/libegl1/}" = "$out"
fi
# The libraries of all drivers are missing.
mkdir broken
for library in libEGL.so.1 libGLdispatch.so.0 libGL.so.1 libGLX.so.0 libGLESv2.so.2 libOpenGL.so.0; do
  echo broken > "broken/$library"
done
LD_LIBRARY_PATH=$PWD/broken exits 0 "the doctor on NVIDIA's driver without its libraries" "$GTRAIN" doctor
says "  names the packages" "apt install libegl1 libglvnd0 libgl1 libglx0 libgles2 libopengl0"

files odd
export TEST_DRIVER=empty
exits 0 "a driver without a device" "$GTRAIN" devices
says "  is listed, without a warning" $'\n'"Vulkan driver $PWD/odd.json: found no device"
exits 69 "and no device to be had by name" "$GTRAIN" train xor.yaml --run-dir odd2 --device vulkan
says "  nor one found" "no Vulkan device found"

mkdir none
VK_DRIVER_FILES=$PWD/none VK_ICD_FILENAMES=$PWD/none
exits 0 "no driver" "$GTRAIN" devices
says "  is said" "the Vulkan loader found no driver"
exits 0 "the doctor without a driver" "$GTRAIN" doctor
says "  says so" "the Vulkan loader found no driver"

if [[ $real == *.json ]]; then
  export VK_DRIVER_FILES=$real VK_ICD_FILENAMES=$real
  layer=VK_LAYER_GTRAIN_small_device
  mkdir layers
  cat > layers/layer.json << END
{"file_format_version": "1.1.2", "layer": {"name": "$layer", "type": "GLOBAL", "api_version": "1.3.0",
 "library_path": "$build/portable/small_device.so", "implementation_version": "1", "description": "for tests"}}
END
  export VK_LAYER_PATH=$PWD/layers VK_INSTANCE_LAYERS=$layer TEST_DEVICE_LACKS=scalarBlockLayout,timelineSemaphore
  exits 0 "a device that lacks features" "$GTRAIN" devices
  says "  is listed with them" "missing    scalarBlockLayout, timelineSemaphore"
  exits 69 "and is not used" "$GTRAIN" train xor.yaml --run-dir lacks --device vulkan
  says "  which says why" "lacks scalarBlockLayout, timelineSemaphore"
fi
finish
