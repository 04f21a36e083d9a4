/* A failed submission returns no ticket. Its buffers are freed only when the device is idle, and never if
 * that cannot be determined. Loader functions are replaced to inject failures; uses the validation layers if
 * installed. */
#include "support/steps.h"
#include "lib/opcodes.h"
#include "shaders/op/elementwise.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stddef.h>
#include <string.h>
#include <volk.h>

extern int gt_vulkan_validation_messages(void);

enum { COUNT = 500000, TIMES = 6 };

static PFN_vkQueueSubmit real_submit;
static PFN_vkFreeMemory real_free;
static PFN_vkDeviceWaitIdle real_idle;
static VkSemaphore timeline; /* of the submitted work */
static uint64_t done_value;  /* the semaphore's value once that work is done */
/* Results of the functions that replace vkQueueSubmit and vkDeviceWaitIdle; idle_result 0: the real one. */
static VkResult submit_result, idle_result;
static int freed; /* calls of vkFreeMemory */

/* Submits the work but reports a failure, as a driver may if the device is lost at that moment. */
static VKAPI_ATTR VkResult VKAPI_CALL submit_and_fail(VkQueue queue, uint32_t count, const VkSubmitInfo *info,
                                                      VkFence fence) {
  const VkTimelineSemaphoreSubmitInfo *values = info->pNext;
  timeline = info->pSignalSemaphores[0];
  done_value = values->pSignalSemaphoreValues[0];
  assert_int_equal(real_submit(queue, count, info, fence), VK_SUCCESS);
  return submit_result;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice device) {
  return idle_result ? idle_result : real_idle(device);
}

/* Asserts that the work is done when memory is freed. */
static VKAPI_ATTR void VKAPI_CALL free_finished(VkDevice device, VkDeviceMemory memory,
                                                const VkAllocationCallbacks *callbacks) {
  uint64_t value = 0;
  assert_int_equal(vkGetSemaphoreCounterValue(device, timeline, &value), VK_SUCCESS);
  assert_true(value >= done_value);
  freed++;
  real_free(device, memory, callbacks);
}

/* Repeats x = x + 1 in a submission that reports a failure. */
static void submit_unfinished(gt_backend *doomed) {
  const gt_backend_api *api = doomed->api;
  gt_error error = {0};
  uint64_t ticket;
  steps s;
  steps_init(&s, doomed);
  const int x = steps_buffer(&s, NULL, COUNT);
  struct gt_elementwise_args args = {.count = COUNT, .row_length = 1};
  gt_step *step = steps_add(&s, "elementwise", &args, sizeof args, 64, 4);
  steps_bind(&s, offsetof(struct gt_elementwise_args, x), x, 0);
  steps_bind(&s, offsetof(struct gt_elementwise_args, y), x, 0);
  step->spec[GT_SPEC_CODE_COUNT] = step->spec[GT_SPEC_INPUT_COUNT] = step->spec[GT_SPEC_OUTPUT_COUNT] = 1;
  step->spec[GT_SPEC_CODE] = GT_I_ADD | GT_OPERAND_IMMEDIATE << 16;
  step->spec[GT_SPEC_IMMEDIATE] = 0x3f800000; /* 1.0f */
  step->spec[GT_SPEC_OUTPUT] = GT_OPERAND_RESULT;
  gt_executable *executable = api->compile(doomed, &s.plan, s.buffer, &error);
  assert_string_equal(error.message, "");
  vkQueueSubmit = submit_and_fail;
  vkFreeMemory = free_finished;
  vkDeviceWaitIdle = wait_idle;
  assert_false(api->run(doomed, executable, TIMES, &ticket, &error));
  vkQueueSubmit = real_submit;
  assert_non_null(strstr(error.message, "vkQueueSubmit"));
  api->executable_destroy(doomed, executable);
  steps_finish(&s);
  api->close(doomed);
  vkFreeMemory = real_free;
  vkDeviceWaitIdle = real_idle;
}

static gt_backend *open_device(void) {
  gt_error error = {0};
  gt_backend *opened = gt_vulkan_open(0, &error);
  assert_non_null(opened);
  real_submit = vkQueueSubmit;
  real_free = vkFreeMemory;
  real_idle = vkDeviceWaitIdle;
  freed = 0;
  return opened;
}

static void test_freed_when_idle(void **state) {
  (void)state;
  const VkResult failures[] = {VK_ERROR_DEVICE_LOST, VK_ERROR_UNKNOWN};
  for (int i = 0; i < 2; i++) {
    gt_backend *doomed = open_device();
    submit_result = failures[i];
    submit_unfinished(doomed);
    assert_true(freed >= 3); /* x, the constants and the staging ring */
  }
  assert_false(gt_vulkan_device_abandoned());
}

/* Must be last: the device stays open. */
static void test_never_freed(void **state) {
  (void)state;
  static gt_backend *kept;
  kept = open_device();
  submit_result = VK_ERROR_UNKNOWN;
  idle_result = VK_ERROR_OUT_OF_HOST_MEMORY;
  submit_unfinished(kept);
  assert_int_equal(freed, 0);
  assert_true(gt_vulkan_device_abandoned());
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

int main(void) {
  gt_backend *backend = steps_open_vulkan();
  if (!backend) return 77;
  gt_backend_close(backend);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_freed_when_idle),
                                     cmocka_unit_test(test_never_freed)};
  return cmocka_run_group_tests_name("vulkan: work left behind", tests, NULL, NULL);
}
