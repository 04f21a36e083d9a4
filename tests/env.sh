# shellcheck shell=sh
# Sourced by tests/run.sh and by `make check-vulkan`: the environment of all tests.

# The tests' Vulkan device is Mesa's CPU driver (lavapipe), so that every machine tests the same thing. To test
# another driver, name it (VK_DRIVER_FILES=/path/icd.json), or set VK_DRIVER_FILES= (empty) for the system's choice.
if [ -z "${VK_DRIVER_FILES+set}" ] && [ -z "${VK_ICD_FILENAMES+set}" ]; then
  for icd in /usr/share/vulkan/icd.d/lvp_icd."$(uname -m)".json /usr/share/vulkan/icd.d/lvp_icd.json; do
    if [ -f "$icd" ]; then
      # Loaders before 1.3.207 know only the second name.
      export VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd"
      break
    fi
  done
elif [ -z "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}" ]; then
  unset VK_DRIVER_FILES VK_ICD_FILENAMES
fi

export LC_ALL=C NO_COLOR=1
# Most kernels run only once on lavapipe after they are compiled, so compiling without optimization and for vectors of
# four is faster.
export GALLIVM_PERF="${GALLIVM_PERF-nopt}" LP_NATIVE_VECTOR_WIDTH="${LP_NATIVE_VECTOR_WIDTH-128}"
# Mesa caches compiled code here, for all tests of a run and for the next run. CI keeps the cache between clones
# (.ci/run).
export MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-$PWD/build/cache/mesa}"
