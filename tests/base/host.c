/* Reads the limits of a process from control group files and device files that the test writes. */
#include "base/host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char root[4000];

static void write_text(const char *name, const char *text) {
  char command[9000];
  snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s/%s')\" && printf '%%s' '%s' > '%s/%s'", root,
           name, text, root, name);
  assert_int_equal(system(command), 0);
}

static gt_host read_host(void) {
  gt_host host;
  gt_host_read(&host, root);
  assert_true(host.processors >= 1 && host.allowed >= 1);
  return host;
}

/* Selects an empty folder as the root of the file system that gt_host_read sees. */
static void use_root(const char *name) { snprintf(root, sizeof root, "%s/%s", getenv("TEST_TMP"), name); }

static void missing_files_set_no_limit(void **unused) {
  (void)unused;
  use_root("nothing");
  const gt_host host = read_host();
  assert_true(host.quota == 0 && !host.memory_limit && !host.memory_available && !host.nvidia &&
              !host.render_nodes);
}

/* The parent group sets the only processor limit, the group itself the only memory limit. */
static void control_groups_version_2(void **unused) {
  (void)unused;
  use_root("two");
  write_text("proc/self/cgroup", "0::/pod/job\n");
  write_text("sys/fs/cgroup/pod/job/cpu.max", "max 100000\n");
  write_text("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  write_text("sys/fs/cgroup/pod/job/memory.max", "1073741824\n");
  write_text("sys/fs/cgroup/pod/memory.max", "max\n");
  write_text("proc/meminfo", "MemTotal: 4 kB\nMemAvailable:    2048 kB\n");
  const gt_host host = read_host();
  assert_true(host.quota == 1.5);
  assert_true(host.memory_limit == 1 << 30 && host.memory_available == 2 << 20);
}

/* As in a container: /sys/fs/cgroup has no folders of the groups in /proc/self/cgroup. The limits are those
 * of the root of each hierarchy and, in the second part, of a parent group. */
static void control_groups_version_1(void **unused) {
  (void)unused;
  use_root("one");
  write_text("proc/self/cgroup", "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n0::/\n");
  write_text("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  write_text("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write_text("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* no limit */
  gt_host host = read_host();
  assert_true(host.quota == 4 && !host.memory_limit);
  write_text("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");          /* no limit */
  write_text("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "4096\n"); /* of the parent group */
  host = read_host();
  assert_true(host.quota == 0 && host.memory_limit == 4096);
}

/* A quota is rounded down to whole threads, of which there is at least one and at most one per processor. */
static void threads_heed_the_quota(void **unused) {
  (void)unused;
  const double quota[] = {0, 0.5, 1, 1.5, 3.999, 8, 64};
  const int threads[] = {8, 1, 1, 1, 3, 8, 8};
  for (size_t i = 0; i < sizeof quota / sizeof *quota; i++) {
    const gt_host host = {.processors = 16, .allowed = 8, .quota = quota[i]};
    assert_int_equal(gt_host_threads(&host), threads[i]);
  }
  gt_host host;
  use_root("half");
  write_text("proc/self/cgroup", "0::/job\n");
  write_text("sys/fs/cgroup/job/cpu.max", "50000 100000\n");
  gt_host_read_processors(&host, root);
  assert_int_equal(gt_host_threads(&host), 1);
}

static void gpus_are_found(void **unused) {
  (void)unused;
  use_root("gpus");
  write_text("proc/driver/nvidia/version", "NVRM version");
  write_text("dev/dri/renderD128", "");
  write_text("dev/dri/card0", "");
  const gt_host host = read_host();
  assert_true(host.nvidia && host.render_nodes == 1 && !host.denied);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_files_set_no_limit), cmocka_unit_test(control_groups_version_2),
      cmocka_unit_test(control_groups_version_1), cmocka_unit_test(threads_heed_the_quota),
      cmocka_unit_test(gpus_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
