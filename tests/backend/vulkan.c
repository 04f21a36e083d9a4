/* The Vulkan backend: buffers, order of work, replays, and error messages when Vulkan fails. Faults are
 * injected by replacing the loader's function pointers. Uses the validation layers if installed. */
#include "support/steps.h"
#include "lib/opcodes.h"
#include "shaders/op/clock.h"
#include "shaders/op/elementwise.h"
#include "shaders/op/log_row.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <volk.h>

extern int gt_vulkan_validation_messages(void);

static gt_backend *backend;
static const gt_backend_api *api;

static void test_open(void **state) {
  (void)state;
  gt_device_info device[8];
  gt_error error = {0};
  int count = gt_vulkan_list(device, 8, &error);
  assert_true(count >= 1);
  assert_string_equal(device[0].id, "vulkan:0");
  assert_true(device[0].usable && device[0].memory_bytes > 0 && device[0].subgroup > 0);
  assert_true(backend->target.device && backend->target.max_workgroup >= 128 && backend->target.units > 0);
  assert_null(gt_vulkan_open(count, &error));
  assert_int_equal(error.status, GT_ERR_NODEVICE);
}

static void test_buffers(void **state) {
  (void)state;
  /* More bytes than the staging ring has; AT: where the upload begins. */
  enum { SIZE = 37 * 1000 * 1000 + 4, AT = 1000004 };
  gt_error error = {0};
  uint64_t before = backend->memory_used;
  uint8_t *out = malloc(SIZE), *in = malloc(SIZE);
  for (int i = 0; i < SIZE; i++) in[i] = (uint8_t)(i * 7 + (i >> 11));
  gt_buffer *buffer = api->buffer_create(backend, SIZE, GT_BUFFER_DEVICE, &error);
  assert_non_null(buffer);
  assert_true(backend->memory_used >= before + SIZE && backend->memory_peak >= backend->memory_used);
  assert_true(api->download(backend, buffer, 0, out, SIZE, &error));
  for (int i = 0; i < SIZE; i++) assert_false(out[i]);
  assert_true(api->upload(backend, buffer, AT, in, SIZE - AT, &error));
  assert_true(api->download(backend, buffer, 0, out, SIZE, &error));
  assert_memory_equal(out + AT, in, SIZE - AT);
  assert_true(!out[AT - 1]);
  assert_true(api->download(backend, buffer, AT + 4, out, 8, &error));
  assert_memory_equal(out, in + 4, 8);
  assert_false(api->upload(backend, buffer, SIZE, in, 1000, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
  api->buffer_destroy(backend, buffer);
  assert_int_equal(backend->memory_used, before);
  error = (gt_error){0};
  buffer = api->buffer_create(backend, 0, GT_BUFFER_DEVICE, &error);
  assert_non_null(buffer);
  api->buffer_destroy(backend, buffer);
  free(in), free(out);
}

/* y = x + 1, or x = x + 1 if they are the same buffer. */
static void add_one(steps *s, int x, int y, uint32_t count) {
  struct gt_elementwise_args args = {.count = count, .row_length = 1};
  gt_step *step = steps_add(s, "elementwise", &args, sizeof args, 64, 4);
  steps_bind(s, offsetof(struct gt_elementwise_args, x), x, 0);
  steps_bind(s, offsetof(struct gt_elementwise_args, y), y, 0);
  step->spec[GT_SPEC_CODE_COUNT] = step->spec[GT_SPEC_INPUT_COUNT] = step->spec[GT_SPEC_OUTPUT_COUNT] = 1;
  step->spec[GT_SPEC_CODE] = GT_I_ADD | GT_OPERAND_IMMEDIATE << 16;
  step->spec[GT_SPEC_IMMEDIATE] = 0x3f800000; /* 1.0f */
  step->spec[GT_SPEC_OUTPUT] = GT_OPERAND_RESULT;
}

/* Two runs and a profile make 20011 + 1 + 1 replays, which the clock and x count. */
static void test_replays(void **state) {
  (void)state;
  enum { COUNT = 1003, ROWS = 7, SCALARS = 3 };
  gt_error error = {0};
  steps s;
  steps_init(&s, backend);
  float table[ROWS * SCALARS], x[COUNT];
  for (int i = 0; i < ROWS * SCALARS; i++) table[i] = (float)i;
  const uint32_t start[4] = {5, 11, 22, 0};
  int vstate = steps_buffer(&s, start, 4), vtable = steps_buffer(&s, table, ROWS * SCALARS);
  int vnow = steps_buffer(&s, NULL, 4 + SCALARS), vx = steps_buffer(&s, NULL, COUNT);
  struct gt_clock_args clock = {.rows = ROWS, .scalars = SCALARS};
  steps_add(&s, "clock", &clock, sizeof clock, 64, 1);
  steps_bind(&s, offsetof(struct gt_clock_args, state), vstate, 0);
  steps_bind(&s, offsetof(struct gt_clock_args, table), vtable, 0);
  steps_bind(&s, offsetof(struct gt_clock_args, now), vnow, 0);
  add_one(&s, vx, vx, COUNT);

  gt_executable *executable = api->compile(backend, &s.plan, s.buffer, &error);
  assert_string_equal(error.message, "");
  uint64_t first = 0, second = 0, done = 0;
  assert_true(
      api->run(backend, executable, 20011, &first, &error)); /* several submissions are pending at once */
  assert_true(api->run(backend, executable, 1, &second, &error));
  assert_true(second > first);
  assert_true(api->wait(backend, second, &error));
  assert_true(api->completed(backend, &done, &error) && done >= second);
  struct {
    uint32_t word[4];
    float scalar[SCALARS];
  } now;
  steps_read(&s, vnow, &now, 4 + SCALARS);
  assert_int_equal(now.word[0], 5 + 20011); /* the step of the last replay */
  assert_int_equal(now.word[1], 11);
  assert_int_equal(now.word[2], 22);
  for (int i = 0; i < SCALARS; i++) assert_true(now.scalar[i] == table[(5 + 20011) % ROWS * SCALARS + i]);
  steps_read(&s, vx, x, COUNT);
  for (int i = 0; i < COUNT; i++) assert_true(x[i] == 20012);
  double microseconds[2] = {-1, -1};
  assert_true(api->profile(backend, executable, microseconds, &error));
  assert_true(microseconds[0] >= 0 && microseconds[1] > 0);
  steps_read(&s, vx, x, COUNT);
  assert_true(x[COUNT - 1] == 20013); /* profile is a replay, too */
  api->executable_destroy(backend, executable);
  steps_finish(&s);
}

/* Uploads, replays and downloads take effect in the order of the calls, without waits between them. */
static void test_order(void **state) {
  (void)state;
  enum { COUNT = 4000 };
  gt_error error = {0};
  steps s;
  steps_init(&s, backend);
  float in[COUNT], out[COUNT];
  int vx = steps_buffer(&s, NULL, COUNT), vy = steps_buffer(&s, NULL, COUNT);
  add_one(&s, vx, vy, COUNT);
  gt_executable *executable = api->compile(backend, &s.plan, s.buffer, &error);
  assert_non_null(executable);
  for (int round = 0; round < 50; round++) {
    uint64_t ticket;
    for (int i = 0; i < COUNT; i++) in[i] = (float)(round * 100000 + i);
    assert_true(api->upload(backend, s.buffer[vx], 0, in, sizeof in, &error));
    assert_true(api->run(backend, executable, 1, &ticket, &error));
    for (int i = 0; i < COUNT; i++) in[i] = -1; /* upload has copied it */
    if (round % 5 == 0) {
      steps_read(&s, vy, out, COUNT);
      for (int i = 0; i < COUNT; i++) assert_true(out[i] == (float)(round * 100000 + i) + 1);
    }
  }
  api->executable_destroy(backend, executable);
  steps_finish(&s);
}

/* The device writes row 6 % 4 of a log in host memory, which the host reads afterwards. */
static void test_host_buffer(void **state) {
  (void)state;
  gt_error error = {0};
  steps s;
  steps_init(&s, backend);
  const float x[2] = {1.5f, -2};
  const uint32_t now[4] = {6, 0, 0, 0};
  int vx = steps_buffer(&s, x, 2), vnow = steps_buffer(&s, now, 4), vlog = s.buffers++;
  s.buffer[vlog] = api->buffer_create(backend, 4 * 2 * 4, GT_BUFFER_HOST, &error);
  s.size[vlog] = 4 * 2 * 4;
  s.graph.variables++;
  struct gt_log_row_args args = {.rows = 4, .count = 2, .inputs = 2, .width = {1, 1}};
  steps_add(&s, "log_row", &args, sizeof args, 64, 1);
  steps_bind(&s, offsetof(struct gt_log_row_args, x), vx, 0);
  steps_bind(&s, offsetof(struct gt_log_row_args, x) + 8, vx, 1);
  steps_bind(&s, offsetof(struct gt_log_row_args, clock), vnow, 0);
  steps_bind(&s, offsetof(struct gt_log_row_args, log), vlog, 0);
  steps_run(&s, 1);
  const float *log = api->buffer_map(backend, s.buffer[vlog]), want[8] = {[4] = 1.5f, [5] = -2};
  assert_memory_equal(log, want, sizeof want);
  steps_finish(&s);
}

/* Constants are uploaded with the plan; values in the arena can be inspected. */
static void test_constants_and_inspect(void **state) {
  (void)state;
  gt_error error = {0};
  steps s;
  steps_init(&s, backend);
  const float constants[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  float out[8];
  s.plan.constants = constants;
  s.plan.constant_bytes = sizeof constants;
  s.plan.arena_bytes = 1024;
  int placeholder = steps_buffer(&s, NULL, 8); /* replaced by the constants and the arena */
  add_one(&s, placeholder, placeholder, 8);
  s.access[0][0].buffer = GT_PLAN_CONSTANTS;
  s.access[0][1].buffer = GT_PLAN_ARENA;
  s.access[0][1].offset = 512;
  uint64_t ticket;
  gt_executable *executable = api->compile(backend, &s.plan, s.buffer, &error);
  assert_non_null(executable);
  assert_true(api->run(backend, executable, 1, &ticket, &error));
  assert_true(api->inspect(backend, executable, &s.access[0][1], out, &error));
  for (int i = 0; i < 8; i++) assert_true(out[i] == (float)i + 1);
  api->executable_destroy(backend, executable);

  s.access[0][1].offset = 4096; /* beyond the arena */
  assert_null(api->compile(backend, &s.plan, s.buffer, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
  error = (gt_error){0};
  s.access[0][1].offset = 0;
  s.kernel[0].name = "no_such_kernel";
  assert_null(api->compile(backend, &s.plan, s.buffer, &error));
  assert_non_null(strstr(error.message, "no_such_kernel"));
  steps_finish(&s);
}

/* --- faults --- */

static VKAPI_ATTR VkResult VKAPI_CALL no_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                const VkAllocationCallbacks *callbacks,
                                                VkDeviceMemory *memory) {
  (void)device, (void)info, (void)callbacks, (void)memory;
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void test_out_of_memory(void **state) {
  (void)state;
  gt_error error = {0};
  uint64_t before = backend->memory_used;
  PFN_vkAllocateMemory real = vkAllocateMemory;
  vkAllocateMemory = no_memory;
  assert_null(api->buffer_create(backend, 12345678, GT_BUFFER_DEVICE, &error));
  assert_int_equal(error.status, GT_ERR_MEMORY);
  assert_non_null(strstr(error.message, "11.8 MiB requested"));
  steps s;
  steps_init(&s, backend);
  error = (gt_error){0};
  assert_null(api->compile(backend, &s.plan, s.buffer, &error));
  assert_int_equal(error.status, GT_ERR_MEMORY);
  vkAllocateMemory = real;
  error = (gt_error){0};
  assert_null(api->buffer_create(backend, UINT64_C(1) << 55, GT_BUFFER_DEVICE, &error));
  assert_true(!backend->max_allocation ||
              strstr(error.message, "requested in one allocation; the limit of this device is"));
  assert_int_equal(error.status, GT_ERR_MEMORY);
  assert_int_equal(backend->memory_used, before);
}

static VKAPI_ATTR VkResult VKAPI_CALL no_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                   const VkComputePipelineCreateInfo *info,
                                                   const VkAllocationCallbacks *callbacks,
                                                   VkPipeline *pipelines) {
  (void)device, (void)cache, (void)info, (void)callbacks;
  for (uint32_t i = 0; i < count; i++) pipelines[i] = VK_NULL_HANDLE;
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void test_pipeline_failure(void **state) {
  (void)state;
  gt_error error = {0};
  steps s;
  steps_init(&s, backend);
  int x = steps_buffer(&s, NULL, 77);
  for (int i = 0; i < 3; i++) {
    add_one(&s, x, x, 77);
    s.step[i].spec[GT_SPEC_LOCAL_X] = 11 + (uint32_t)i; /* pipelines that do not exist yet */
  }
  PFN_vkCreateComputePipelines real = vkCreateComputePipelines;
  vkCreateComputePipelines = no_pipelines;
  assert_null(api->compile(backend, &s.plan, s.buffer, &error));
  assert_int_equal(error.status, GT_ERR_MEMORY);
  assert_non_null(strstr(error.message, "vkCreateComputePipelines"));
  vkCreateComputePipelines = real;
  steps_run(&s, 2); /* the failure has no later effect */
  float out[77];
  steps_read(&s, x, out, 77);
  for (int i = 0; i < 77; i++) assert_true(out[i] == 6); /* 2 replays of 3 steps */
  steps_finish(&s);
}

/* The kernels of two plans are compiled once, before `compile`; a failure leaves nothing behind. */
static void test_compile_ahead(void **state) {
  (void)state;
  gt_error error = {0};
  steps s[2];
  const gt_plan *plan[2] = {&s[0].plan, &s[1].plan};
  for (int p = 0; p < 2; p++) {
    steps_init(&s[p], backend);
    const int x = steps_buffer(&s[p], NULL, 77);
    for (int i = 0; i < 2; i++) {
      add_one(&s[p], x, x, 77);
      s[p].step[i].spec[GT_SPEC_LOCAL_X] = 21 + (uint32_t)(p + i); /* new pipelines: 21, 22 and 22, 23 */
    }
  }
  const uint32_t before = backend->compile_stats.kernels;
  PFN_vkCreateComputePipelines real = vkCreateComputePipelines;
  vkCreateComputePipelines = no_pipelines;
  api->compile_ahead(backend, plan, 2);
  vkCreateComputePipelines = real;
  const uint32_t failed = backend->compile_stats.kernels - before;
  api->compile_ahead(backend, plan, 2);
  assert_int_equal(backend->compile_stats.kernels, before + failed + 3);
  for (int p = 0; p < 2; p++) {
    steps_run(&s[p], 1);
    gt_executable *executable = api->compile(backend, plan[p], s[p].buffer, &error);
    assert_non_null(executable);
    api->executable_destroy(backend, executable);
    steps_finish(&s[p]);
  }
  assert_int_equal(backend->compile_stats.kernels, before + failed + 3);
}

static VKAPI_ATTR VkResult VKAPI_CALL lost_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info,
                                                  VkFence fence) {
  (void)queue, (void)count, (void)info, (void)fence;
  return VK_ERROR_DEVICE_LOST;
}

static VKAPI_ATTR VkResult VKAPI_CALL lost_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                uint64_t timeout) {
  (void)device, (void)info, (void)timeout;
  return VK_ERROR_DEVICE_LOST;
}

static void test_device_lost(void **state) {
  (void)state;
  gt_error error = {0};
  gt_backend *doomed = gt_vulkan_open(0, &error);
  assert_non_null(doomed);
  steps s;
  steps_init(&s, doomed);
  int x = steps_buffer(&s, NULL, 100);
  add_one(&s, x, x, 100);
  gt_executable *executable = api->compile(doomed, &s.plan, s.buffer, &error);
  uint64_t ticket = 0;
  assert_true(api->run(doomed, executable, 100, &ticket, &error));
  PFN_vkWaitSemaphores real_wait = vkWaitSemaphores;
  vkWaitSemaphores = lost_wait;
  assert_false(api->wait(doomed, ticket, &error));
  assert_int_equal(error.status, GT_ERR_NODEVICE);
  assert_non_null(strstr(error.message, "device lost"));
  vkWaitSemaphores = real_wait;
  PFN_vkQueueSubmit real_submit = vkQueueSubmit;
  vkQueueSubmit = lost_submit;
  error = (gt_error){0};
  assert_false(api->run(doomed, executable, 1, &ticket, &error));
  assert_non_null(strstr(error.message, "vkQueueSubmit"));
  error = (gt_error){0};
  assert_false(api->upload(doomed, s.buffer[x], 0, "abcd", 4, &error));
  assert_int_equal(error.status, GT_ERR_NODEVICE);
  api->executable_destroy(doomed, executable);
  steps_finish(&s);
  api->close(doomed);
  vkQueueSubmit = real_submit;
}

static VkResult wait_result;
static VKAPI_ATTR VkResult VKAPI_CALL failing_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                   uint64_t timeout) {
  (void)device, (void)info, (void)timeout;
  return wait_result;
}

/* All waits fail or time out immediately. Resources that are still in use must not be freed. After a time-out
 * gtrain reads the semaphore until the work is done, so `wait` succeeds. */
static void test_failing_waits(void **state) {
  (void)state;
  enum { COUNT = 3000000 };
  PFN_vkWaitSemaphores real_wait = vkWaitSemaphores;
  const VkResult results[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_UNKNOWN, VK_TIMEOUT};
  const gt_status status[] = {GT_ERR_MEMORY, GT_ERR_NODEVICE, GT_OK};
  for (int i = 0; i < 3; i++) {
    gt_error error = {0};
    gt_backend *doomed = gt_vulkan_open(0, &error);
    assert_non_null(doomed);
    steps s;
    steps_init(&s, doomed);
    int x = steps_buffer(&s, NULL, COUNT);
    add_one(&s, x, x, COUNT);
    gt_executable *executable = api->compile(doomed, &s.plan, s.buffer, &error);
    uint64_t ticket = 0;
    assert_true(api->run(doomed, executable, 50, &ticket, &error));
    vkWaitSemaphores = failing_wait;
    wait_result = results[i];
    assert_int_equal(api->wait(doomed, ticket, &error), status[i] == GT_OK);
    assert_int_equal(error.status, status[i]);
    api->executable_destroy(doomed, executable);
    steps_finish(&s);
    api->close(doomed);
    vkWaitSemaphores = real_wait;
  }
}

/* --- the pipeline cache on disk --- */

static PFN_vkGetPipelineCacheData real_cache_data;
static int cache_queries;

/* A driver whose cache is larger at each query. Mesa's CPU driver stores nothing in its cache. */
static VKAPI_ATTR VkResult VKAPI_CALL growing_cache(VkDevice device, VkPipelineCache cache, size_t *size,
                                                    void *data) {
  size_t capacity = *size;
  VkResult result = real_cache_data(device, cache, size, data);
  const size_t growth = 64 * (size_t)++cache_queries;
  if (data && capacity >= *size)
    memset((uint8_t *)data + *size, 7, capacity - *size), *size = capacity;
  else if (!data)
    *size += growth;
  return result;
}

/* The path of the only cache file in the directory; NULL if there is not exactly one. */
static char *cache_file(const char *directory) {
  static char path[1024];
  glob_t found;
  snprintf(path, sizeof path, "%s/*.cache", directory);
  bool any = !glob(path, 0, NULL, &found) && found.gl_pathc == 1;
  if (any) snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
  globfree(&found);
  return any ? path : NULL;
}

static void open_and_compile(void) {
  gt_error error = {0};
  gt_backend *other = gt_vulkan_open(0, &error);
  assert_non_null(other);
  steps s;
  steps_init(&s, other);
  int x = steps_buffer(&s, NULL, 10);
  float out;
  add_one(&s, x, x, 10);
  steps_run(&s, 1);
  steps_read(&s, x, &out, 1);
  assert_true(out == 1);
  steps_finish(&s);
  other->api->close(other);
}

/* A damaged or truncated cache must not prevent a run, and neither must a folder that cannot be written. */
static void test_cache(void **state) {
  (void)state;
  char directory[] = "/tmp/gtrain-cache-XXXXXX", saved[4096] = "";
  assert_non_null(mkdtemp(directory));
  const char *before = getenv("GTRAIN_CACHE_DIR");
  if (before) snprintf(saved, sizeof saved, "%s", before);
  setenv("GTRAIN_CACHE_DIR", directory, 1);
  real_cache_data = vkGetPipelineCacheData;
  vkGetPipelineCacheData = growing_cache;
  open_and_compile();
  vkGetPipelineCacheData = real_cache_data;
  char *path = cache_file(directory);
  assert_non_null(path);
  FILE *file = fopen(path, "rb");
  uint8_t good[4096];
  size_t size = fread(good, 1, sizeof good, file);
  fclose(file);
  assert_true(size > 24 + 32); /* the headers of the file and of Vulkan's cache data */
  /* Each round changes one byte, of every 40 the first four in turn; at the fourth the file ends there. The
   * last round writes the good cache. */
  for (size_t damage = 0; damage <= size; damage++) {
    if (damage % 40 > 3 && damage != size) continue;
    uint8_t bad[4096];
    memcpy(bad, good, size);
    if (damage < size) bad[damage] ^= 0x10;
    file = fopen(path, "wb");
    const bool is_truncated = damage < size && damage % 40 == 3;
    fwrite(bad, 1, is_truncated ? damage : size, file);
    fclose(file);
    open_and_compile();
  }
  unlink(path);
  rmdir(directory);
  setenv("GTRAIN_CACHE_DIR", "/proc/nowhere", 1); /* not writable: not an error */
  vkGetPipelineCacheData = growing_cache;
  open_and_compile();
  vkGetPipelineCacheData = real_cache_data;
  if (*saved)
    setenv("GTRAIN_CACHE_DIR", saved, 1);
  else
    unsetenv("GTRAIN_CACHE_DIR");
}

static void test_no_messages(void **state) {
  (void)state;
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

static int close_backend(void **state) {
  (void)state;
  api->close(backend);
  return 0;
}

int main(void) {
  backend = steps_open_vulkan();
  if (!backend) return 77;
  api = backend->api;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open),          cmocka_unit_test(test_buffers),
      cmocka_unit_test(test_replays),       cmocka_unit_test(test_order),
      cmocka_unit_test(test_host_buffer),   cmocka_unit_test(test_constants_and_inspect),
      cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_pipeline_failure),
      cmocka_unit_test(test_compile_ahead), cmocka_unit_test(test_device_lost),
      cmocka_unit_test(test_failing_waits), cmocka_unit_test(test_cache),
      cmocka_unit_test(test_no_messages),
  };
  return cmocka_run_group_tests_name("vulkan backend", tests, NULL, close_backend);
}
