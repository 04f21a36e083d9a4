/* Copies that run concurrently with the queue's work: a copy finishes before work that is queued later reads
 * it, and does not start before work that was queued earlier has read the old data. Devices with and without
 * a transfer queue are tested: replaced loader functions change the queue families that the driver
 * reports. */
#include "support/steps.h"
#include "lib/opcodes.h"
#include "shaders/op/elementwise.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <volk.h>

extern int gt_vulkan_validation_messages(void);

static gt_backend *backend; /* with the queues of the driver */

/* --- a window of one batch --- */

enum { COUNT = 300000, ROUNDS = 40 };

/* y += x, where x is the window. */
static gt_executable *compile_sum(steps *s, gt_error *error) {
  struct gt_elementwise_args args = {.count = COUNT, .row_length = 1};
  gt_step *step = steps_add(s, "elementwise", &args, sizeof args, 64, 16);
  steps_bind(s, offsetof(struct gt_elementwise_args, x), 0, 0);
  steps_bind(s, offsetof(struct gt_elementwise_args, x) + 8, 1, 0);
  steps_bind(s, offsetof(struct gt_elementwise_args, y), 1, 0);
  step->spec[GT_SPEC_CODE_COUNT] = step->spec[GT_SPEC_OUTPUT_COUNT] = 1;
  step->spec[GT_SPEC_INPUT_COUNT] = 2;
  step->spec[GT_SPEC_CODE] = GT_I_ADD | 1u << 16;
  step->spec[GT_SPEC_OUTPUT] = GT_OPERAND_RESULT;
  return s->backend->api->compile(s->backend, &s->plan, s->buffer, error);
}

/* Round r feeds the value r to the window, in two copies from one half of the staging buffer; the step that
 * follows adds it r % 3 + 1 times. */
static void feed_rounds(gt_backend *device) {
  const gt_backend_api *api = device->api;
  gt_error error = {0};
  uint64_t ticket[ROUNDS + 1] = {0};
  float *y = malloc(COUNT * sizeof *y), sum = 0;
  steps s;
  steps_init(&s, device);
  gt_buffer *staging = api->buffer_create(device, 2 * COUNT * sizeof(float), GT_BUFFER_HOST, &error);
  s.buffer[0] = api->buffer_create(device, COUNT * sizeof(float), GT_BUFFER_FED, &error);
  assert_non_null(staging);
  assert_non_null(s.buffer[0]);
  s.size[0] = 4 * COUNT;
  s.buffers = 1;
  steps_buffer(&s, NULL, COUNT);
  gt_executable *executable = compile_sum(&s, &error);
  assert_string_equal(error.message, "");
  float *staged = api->buffer_map(device, staging);
  for (int r = 1; r <= ROUNDS; r++) {
    const uint64_t half = (uint64_t)(r % 2) * COUNT; /* the first element of the half */
    const gt_copy copies[2] = {
        {s.buffer[0], 0, half * 4, 4 * (COUNT / 3)},
        {s.buffer[0], 4 * (COUNT / 3), (half + COUNT / 3) * 4, 4 * (COUNT - COUNT / 3)}};
    if (r > 2) assert_true(api->wait(device, ticket[r - 2], &error)); /* the copies from this half are done */
    for (int i = 0; i < COUNT; i++) staged[half + (uint64_t)i] = (float)r;
    assert_true(api->feed(device, staging, copies, 2, ticket[r - 1], &error));
    assert_true(api->run(device, executable, (uint32_t)(r % 3 + 1), &ticket[r], &error));
    sum += (float)(r * (r % 3 + 1));
  }
  steps_read(&s, 1, y, COUNT);
  for (int i = 0; i < COUNT; i++) assert_true(y[i] == sum);
  const gt_copy outside = {s.buffer[0], 4 * COUNT, 0, 4096};
  assert_false(api->feed(device, staging, &outside, 1, 0, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
  /* feed_wait also waits for a copy that no step reads. */
  error = (gt_error){0};
  const gt_copy unread = {s.buffer[0], 0, 0, 4 * COUNT};
  assert_true(api->feed(device, staging, &unread, 1, ticket[ROUNDS], &error));
  assert_true(api->feed_wait(device, &error));
  /* This copy may still be running when its buffers are destroyed. */
  assert_true(api->feed(device, staging, &unread, 1, ticket[ROUNDS], &error));
  api->executable_destroy(device, executable);
  api->buffer_destroy(device, staging);
  steps_finish(&s);
  free(y);
}

static void test_rounds(void **state) {
  (void)state;
  feed_rounds(backend);
}

/* feed_wait succeeds if there was no feed. */
static void test_nothing_fed(void **state) {
  (void)state;
  gt_error error = {0};
  gt_backend *fresh = gt_vulkan_open(0, &error);
  assert_non_null(fresh);
  assert_true(fresh->api->feed_wait(fresh, &error));
  fresh->api->close(fresh);
}

/* --- a second queue --- */

/* The functions below replace Vulkan's. They report a second queue of the driver's only family, or two more
 * families: number 1 for video, which must not be used, and number 2 for transfers. All queues are the
 * driver's only one. */
static bool transfer_family; /* report two more families, not a second queue */
/* How often gtrain created queues, shared buffers, and command pools of the transfer family. */
static int queues_requested, shared_buffers, transfer_pools;
static PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families;
static PFN_vkCreateDevice real_device;
static PFN_vkGetDeviceQueue real_queue;
static PFN_vkCreateCommandPool real_pool;
static PFN_vkCreateBuffer real_buffer;

static VKAPI_ATTR void VKAPI_CALL more_families(VkPhysicalDevice device, uint32_t *count,
                                                VkQueueFamilyProperties *family) {
  real_families(device, count, family);
  if (!family || !*count) return;
  if (!transfer_family) {
    family[0].queueCount++;
    return;
  }
  family[1] = family[2] = family[0];
  family[1].queueFlags = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_VIDEO_DECODE_BIT_KHR;
  family[2].queueFlags = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT;
  *count = 3;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkDevice *device) {
  VkDeviceQueueCreateInfo queue = info->pQueueCreateInfos[0];
  VkDeviceCreateInfo changed = *info;
  queues_requested = 0;
  for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
    queues_requested += (int)info->pQueueCreateInfos[i].queueCount;
  queue.queueCount = 1;
  changed.queueCreateInfoCount = 1;
  changed.pQueueCreateInfos = &queue;
  return real_device(physical, &changed, callbacks, device);
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index,
                                            VkQueue *queue) {
  if (transfer_family) assert_true(index == 0 && (family == 0 || family == 2));
  real_queue(device, 0, 0, queue);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkCommandPool *pool) {
  VkCommandPoolCreateInfo changed = *info;
  transfer_pools += info->queueFamilyIndex == 2;
  changed.queueFamilyIndex = 0;
  return real_pool(device, &changed, callbacks, pool);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkBuffer *buffer) {
  VkBufferCreateInfo changed = *info;
  if (info->sharingMode == VK_SHARING_MODE_CONCURRENT) {
    assert_true(info->queueFamilyIndexCount == 2 && info->pQueueFamilyIndices[0] == 0 &&
                info->pQueueFamilyIndices[1] == 2);
    shared_buffers++;
  }
  changed.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return real_buffer(device, &changed, callbacks, buffer);
}

static void feed_with_second_queue(void) {
  gt_error error = {0};
  queues_requested = shared_buffers = transfer_pools = 0;
  real_families = vkGetPhysicalDeviceQueueFamilyProperties;
  real_device = vkCreateDevice;
  real_queue = vkGetDeviceQueue;
  real_pool = vkCreateCommandPool;
  real_buffer = vkCreateBuffer;
  vkGetPhysicalDeviceQueueFamilyProperties = more_families;
  vkCreateDevice = create_device;
  vkGetDeviceQueue = get_queue;
  vkCreateCommandPool = create_pool;
  vkCreateBuffer = create_buffer;
  gt_backend *device = gt_vulkan_open(0, &error);
  assert_string_equal(error.message, "");
  assert_non_null(device);
  assert_int_equal(queues_requested, 2);
  feed_rounds(device);
  device->api->close(device);
  assert_int_equal(shared_buffers, transfer_family);
  assert_int_equal(transfer_pools, transfer_family);
  vkGetPhysicalDeviceQueueFamilyProperties = real_families;
  vkCreateDevice = real_device;
  vkGetDeviceQueue = real_queue;
  vkCreateCommandPool = real_pool;
  vkCreateBuffer = real_buffer;
}

/* Only drivers with one family and one queue, such as Mesa's CPU driver, can be made to look different. */
static void test_second_queue(void **state) {
  (void)state;
  gt_error error = {0};
  gt_device_info info[8];
  assert_true(gt_vulkan_list(info, 8, &error) > 0);
  if (strcmp(info[0].type, "software") != 0) skip();
  for (int i = 0; i < 2; i++) {
    transfer_family = i;
    feed_with_second_queue();
  }
}

/* --- faults --- */

static VKAPI_ATTR VkResult VKAPI_CALL failing_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info,
                                                     VkFence fence) {
  (void)queue, (void)count, (void)info, (void)fence;
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void test_failed_submission(void **state) {
  (void)state;
  const gt_backend_api *api = backend->api;
  gt_error error = {0};
  uint32_t out[4], in[4] = {1, 2, 3, 4};
  gt_buffer *staging = api->buffer_create(backend, 16, GT_BUFFER_HOST, &error);
  gt_buffer *window = api->buffer_create(backend, 16, GT_BUFFER_FED, &error);
  const gt_copy copy = {window, 0, 0, 16};
  memcpy(api->buffer_map(backend, staging), in, 16);
  PFN_vkQueueSubmit real = vkQueueSubmit;
  vkQueueSubmit = failing_submit;
  assert_false(api->feed(backend, staging, &copy, 1, 0, &error));
  assert_int_equal(error.status, GT_ERR_MEMORY);
  vkQueueSubmit = real;
  error = (gt_error){0};
  /* The download does not wait for the copy that was not submitted. */
  assert_true(api->download(backend, window, 0, out, 16, &error));
  for (int i = 0; i < 4; i++) assert_int_equal(out[i], 0);
  assert_true(api->feed(backend, staging, &copy, 1, 0, &error));
  assert_true(api->download(backend, window, 0, out, 16, &error));
  assert_memory_equal(out, in, 16);
  api->buffer_destroy(backend, staging);
  api->buffer_destroy(backend, window);
}

static void test_no_messages(void **state) {
  (void)state;
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

int main(void) {
  backend = steps_open_vulkan();
  if (!backend) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounds), cmocka_unit_test(test_nothing_fed), cmocka_unit_test(test_second_queue),
      cmocka_unit_test(test_failed_submission), cmocka_unit_test(test_no_messages)};
  const int failed = cmocka_run_group_tests_name("vulkan: feeds", tests, NULL, NULL);
  gt_backend_close(backend);
  return failed;
}
