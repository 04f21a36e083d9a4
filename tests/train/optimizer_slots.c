/* The optimizer slots (moments) in a checkpoint are restored by the names of their parameters, even if the
 * parameter groups, and thus the offsets, have changed. */
#include "optim/groups.h"
#include "store/state_dict.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PARAMETERS = 3 };

static char path[4096];
static gt_arena arena;
static const struct {
  const char *name;
  gt_shape shape;
} table[PARAMETERS] = {{"a.weight", {1, {5}}}, {"b.weight", {2, {2, 2}}}, {"c.bias", {1, {3}}}};

static float value_of(int parameter, int64_t i) { return (float)(10 * (parameter + 1) + i); }

/* copies: optimizer slots start as copies of their parameters, not with 0. */
static gt_store *create_store(const char *optimizer, bool copies) {
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, &arena);
  const gt_spec *root = gt_spec_parse(&arena, "config", optimizer, strlen(optimizer), &diagnostics);
  const gt_optim *optim = gt_optim_read(&arena, root, &diagnostics);
  assert_non_null(optim);
  gt_store *store = gt_store_create(&arena);
  for (int i = 0; i < PARAMETERS; i++)
    gt_store_add(store, (gt_slot){.name = table[i].name, .shape = table[i].shape});
  gt_optim_layout(optim, store);
  gt_store_add_optimizer_slots(store, "optimizer.exp_avg", (gt_fill){.copies = copies});
  return store;
}

/* Element k of parameter i gets value_of(i, k), element k of its optimizer slot 100 times this value. */
static void fill(gt_state_dict *dict) {
  for (int i = 0; i < dict->store->slots; i++) {
    const gt_slot *slot = dict->store->slot[i], *p = slot->belongs_to ? slot->belongs_to : slot;
    for (int64_t k = 0; k < slot->count; k++)
      dict->variable[slot->variable_index][slot->offset + k] =
          (slot->belongs_to ? 100 : 1) * value_of(p->index, k);
  }
}

/* Writes a checkpoint of a run with this optimizer. */
static void save(const char *optimizer) {
  gt_stored tensors[4 * PARAMETERS];
  gt_state_dict dict;
  gt_error error = {0};
  const gt_store *store = create_store(optimizer, false);
  gt_state_dict_init(&dict, store, GT_CHECKPOINT_ROLES, 1);
  fill(&dict);
  const int count = gt_state_dict_tensors(&dict, GT_CHECKPOINT_ROLES, tensors);
  const gt_metadata config = {"config", optimizer};
  assert_true(gt_safetensors_write(path, tensors, count, &config, 1, &error));
  gt_state_dict_finish(&dict);
}

/* Loads the checkpoint into a store that create_store makes from these arguments. Returns a character for
 * each parameter: '1' if its moments are restored, '0' if they start with initial values, '.' if it is
 * frozen; or "-" if the checkpoint is rejected. */
static const char *load(const char *optimizer, bool copies) {
  static char text[PARAMETERS + 1];
  gt_container file;
  gt_state_dict dict;
  gt_error error = {0};
  const gt_store *store = create_store(optimizer, copies);
  assert_true(gt_safetensors_read(path, &file, &error));
  const bool ok = gt_state_dict_read(&dict, store, &file, path, GT_CHECKPOINT_ROLES, &error);
  gt_container_finish(&file);
  if (!ok) {
    assert_int_equal(error.status, GT_ERR_DATA);
    return "-";
  }
  float *slot_values = dict.variable[store->slot[PARAMETERS]->variable_index];
  strcpy(text, "...");
  for (int i = PARAMETERS; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    const int p = slot->belongs_to->index;
    text[p] = slot_values[slot->offset] == 100 * value_of(p, 0) ? '1' : '0';
    for (int64_t k = 0; k < slot->count; k++) {
      assert_true(slot_values[slot->offset + k] == (text[p] == '1' ? 100 : copies) * value_of(p, k));
      slot_values[slot->offset + k] = 0;
    }
  }
  for (int64_t k = 0; k < store->trainable; k++) assert_true(slot_values[k] == 0); /* the padding is 0 */
  gt_state_dict_finish(&dict);
  return text;
}

static const char one_group[] = "optimizer: adam\n";
static const char *const groups[] = {
    one_group, "optimizer: {type: adam, parameters: [{match: \"b.*\", lr: 0.5}]}\n",
    "optimizer: {type: adam, parameters: [{match: \"c.*\", lr: 0.1}, {match: \"a.*\", lr: 0.5}]}\n",
    "optimizer: {type: adamw, parameters: [{match: \"*.bias\", weight_decay: 0}]}\n"};
static const char with_frozen[] = "optimizer: {type: adam, parameters: [{match: \"a.*\", frozen: true}]}\n";

static void moments_are_matched_by_name(void **unused) {
  (void)unused;
  for (size_t from = 0; from < sizeof groups / sizeof *groups; from++) {
    save(groups[from]);
    for (size_t to = 0; to < sizeof groups / sizeof *groups; to++)
      assert_string_equal(load(groups[to], false), "111");
    assert_string_equal(load(with_frozen, false), ".11");
  }
}

static void unfrozen_parameters_get_new_moments(void **unused) {
  (void)unused;
  save(with_frozen);
  for (size_t to = 0; to < sizeof groups / sizeof *groups; to++) {
    assert_string_equal(load(groups[to], false), "011");
    assert_string_equal(load(groups[to], true), "011");
  }
  assert_string_equal(load(with_frozen, false), ".11");
}

static void mismatched_checkpoints_are_rejected(void **unused) {
  (void)unused;
  gt_error error = {0};
  const float values[5] = {0};
  const gt_metadata config = {"config", one_group};
  save(one_group);
  assert_string_equal(load(one_group, false), "111");
  gt_stored tensors[PARAMETERS + 1];
  gt_state_dict dict;
  gt_state_dict_init(&dict, create_store(one_group, false), GT_ROLE(GT_PARAMETER), 1);
  gt_state_dict_tensors(&dict, GT_ROLE(GT_PARAMETER), tensors);
  /* Without optimizer slots. */
  assert_true(gt_safetensors_write(path, tensors, PARAMETERS, &config, 1, &error));
  assert_string_equal(load(one_group, false), "-");
  /* One optimizer slot, with another shape than its parameter. */
  tensors[PARAMETERS] = (gt_stored){"optimizer.exp_avg/a.weight", GT_F32, {1, {4}}, values};
  assert_true(gt_safetensors_write(path, tensors, PARAMETERS + 1, &config, 1, &error));
  assert_string_equal(load(one_group, false), "-");
  gt_state_dict_finish(&dict);
}

int main(void) {
  const char *folder = getenv("TEST_TMP");
  snprintf(path, sizeof path, "%s/slots-%ld", folder ? folder : "/tmp", (long)getpid());
  gt_arena_init(&arena);
  const struct CMUnitTest tests[] = {cmocka_unit_test(moments_are_matched_by_name),
                                     cmocka_unit_test(unfrozen_parameters_get_new_moments),
                                     cmocka_unit_test(mismatched_checkpoints_are_rejected)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  gt_arena_finish(&arena);
  return failed;
}
