/* Transfer of tensors from a model file to another model: by equal names, and with rules that map names. A
 * layer with constants or states is transferred only as a whole. Also the store: slots by role, state dicts,
 * initial values, and the check of values by role. */
#include "store/transfer.h"
#include "store/state_dict.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static gt_arena arena;
static char path[4096];

static void fill_with_seed(const void *settings, const char *name, gt_shape shape, uint64_t seed,
                           float *out) {
  (void)settings;
  (void)name;
  for (int64_t i = 0; i < gt_shape_count(shape); i++) out[i] = (float)seed;
}

/* A model of a dense layer "a" of 3 x `inputs`, a layer "norm" with a weight of `inputs` values and a state
 * of 3, and gates "g", which all read input `wire`. */
static gt_store *create_store(int64_t inputs, int32_t wire) {
  static const int32_t limits[4] = {9, 9, 9, 9};
  gt_store *store = gt_store_create(&arena);
  const bool frozen = false;
  const gt_fill fill = {.write = fill_with_seed};
  int32_t *wiring = GT_NEW_N(&arena, int32_t, 4);
  for (int i = 0; i < 4; i++) wiring[i] = wire;
  gt_store_add(store, (gt_slot){.name = "a.weight", .shape = gt_shape_2(3, inputs), .fill = fill});
  gt_store_add(store, (gt_slot){.name = "a.bias", .shape = gt_shape_1(3), .fill = fill});
  gt_store_add(store, (gt_slot){.name = "norm.weight", .shape = gt_shape_1(inputs), .fill = fill});
  gt_store_add(
      store, (gt_slot){.name = "norm.mean", .role = GT_STATE, .shape = gt_shape_1(3), .fill = {.value = 7}});
  gt_store_add(store, (gt_slot){.name = "g.logits", .shape = gt_shape_2(2, 16), .fill = fill});
  gt_store_layout(store, &frozen, 1);
  gt_store_add(store, (gt_slot){.name = "g.wiring",
                                .role = GT_CONSTANT,
                                .dtype = GT_I32,
                                .shape = gt_shape_2(2, 2),
                                .table = wiring,
                                .limit = limits});
  return store;
}

static void save(const gt_store *store, uint64_t seed) {
  gt_state_dict dict;
  gt_stored tensors[16];
  gt_error error = {0};
  gt_state_dict_init(&dict, store, GT_WEIGHT_ROLES, seed);
  assert_true(gt_safetensors_write(path, tensors, gt_state_dict_tensors(&dict, GT_MODEL_ROLES, tensors), NULL,
                                   0, &error));
  gt_state_dict_finish(&dict);
}

/* Transfers the file at `path` to the store and fills *dict with the initial values. Returns a letter for
 * each slot: T transferred, L left out by a rule, N not in the file, S has another shape, A the file has none
 * of the names along an axis, O another tensor of the layer does not match. */
static const char *transfer_letters(gt_store *store, const gt_transfer_rule *rule, int rules, uint64_t seed,
                                    gt_state_dict *dict) {
  static char text[17];
  static const char letters[] = "TLNSAO";
  gt_transferred result[16];
  gt_container file;
  gt_error error = {0};
  int transferred = 0;
  assert_true(gt_safetensors_read(path, &file, &error));
  const gt_transfer transfer = {&file, rule, rules};
  const int count = gt_transfer_apply(&transfer, store, result);
  for (int i = 0; i < store->slots; i++) {
    text[i] = letters[result[i]];
    transferred += result[i] == GT_COPIED;
  }
  text[store->slots] = 0;
  assert_int_equal(count, transferred);
  gt_container_finish(&file);
  gt_state_dict_init(dict, store, GT_WEIGHT_ROLES, seed);
  return text;
}

static float first(const gt_state_dict *dict, const char *name) {
  return *(const float *)gt_state_dict_slot(dict, gt_store_find(dict->store, name));
}

static void by_name_and_shape(void **state) {
  (void)state;
  gt_state_dict dict;
  save(create_store(4, 5), 2);
  assert_string_equal(transfer_letters(create_store(4, 5), NULL, 0, 3, &dict), "TTTTTT");
  assert_true(first(&dict, "a.weight") == 2 && first(&dict, "norm.mean") == 7 &&
              first(&dict, "g.logits") == 2);
  gt_state_dict_finish(&dict);
  /* With another width, the bias of "a" is transferred, but nothing of "norm", because it has a state. */
  assert_string_equal(transfer_letters(create_store(5, 5), NULL, 0, 3, &dict), "STSOTT");
  assert_true(first(&dict, "a.weight") == 3 && first(&dict, "a.bias") == 2 && first(&dict, "g.logits") == 2);
  gt_state_dict_finish(&dict);
  /* With another wiring, the learned gates are not transferred. */
  assert_string_equal(transfer_letters(create_store(4, 6), NULL, 0, 3, &dict), "TTTTOO");
  assert_true(first(&dict, "g.logits") == 3);
  gt_state_dict_finish(&dict);
}

static void by_rules(void **state) {
  (void)state;
  gt_state_dict dict;
  save(create_store(3, 5), 2);
  const gt_transfer_rule omit_two_layers[] = {{"a", NULL}, {"g.*", NULL}};
  assert_string_equal(transfer_letters(create_store(3, 5), omit_two_layers, 2, 3, &dict), "LLTTLL");
  assert_true(first(&dict, "a.bias") == 3);
  gt_state_dict_finish(&dict);
  /* The first rule that matches counts. */
  const gt_transfer_rule omit_bias[] = {{"a.bias", NULL}, {"a", "a"}};
  assert_string_equal(transfer_letters(create_store(3, 5), omit_bias, 2, 3, &dict), "TLTTTT");
  gt_state_dict_finish(&dict);
  const gt_transfer_rule other_names[] = {{"a.bias", "norm.weight"}, {"a", "nothing"}};
  assert_string_equal(transfer_letters(create_store(3, 5), other_names, 2, 3, &dict), "NTTTTT");
  gt_state_dict_finish(&dict);
}

/* The file has "a" of 3 x 4 with the names ABC x wxyz; the model CDA x zw, of which D is new. */
static void by_names_along_axes(void **state) {
  (void)state;
  static const int32_t rows[3] = {2, -1, 0}, columns[2] = {3, 0};
  static const gt_transfer_axis row_names = {3, 3, rows}, column_names = {2, 4, columns};
  const float weight[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}}, bias[3] = {5, 6, 7};
  const gt_stored tensors[] = {{"a.weight", GT_F32, {2, {3, 4}}, weight}, {"a.bias", GT_F32, {1, {3}}, bias}};
  gt_store *store = create_store(2, 5);
  gt_transferred result[16];
  gt_container file;
  gt_state_dict dict;
  gt_error error = {0};
  assert_true(gt_safetensors_write(path, tensors, 2, NULL, 0, &error));
  assert_true(gt_safetensors_read(path, &file, &error));
  const gt_transfer_axis *axis[16][GT_MAX_RANK] = {{&row_names, &column_names}, {&row_names}};
  gt_transfer transfer = {.file = &file, .axis = axis};
  assert_int_equal(gt_transfer_apply(&transfer, store, result), 2);
  assert_true(gt_transfer_check(&transfer, store, result, path, &error));
  axis[0][1] = NULL; /* 4 columns do not fit 2 by place */
  assert_false(gt_transfer_fits(&transfer, store->slot[0], &file.tensor[0]));
  gt_container_finish(&file);
  gt_state_dict_init(&dict, store, GT_WEIGHT_ROLES, 9);
  const float want[] = {23, 20, 9, 9, 3, 0}, want_bias[] = {7, 9, 5};
  assert_memory_equal(gt_state_dict_slot(&dict, store->slot[0]), want, sizeof want);
  assert_memory_equal(gt_state_dict_slot(&dict, store->slot[1]), want_bias, sizeof want_bias);
  gt_state_dict_finish(&dict);
}

/* Windows of 2 steps with the names xy, then yx: the axis has both lists one after another. */
static void by_names_of_each_step(void **state) {
  (void)state;
  static const int32_t swapped[2] = {1, 0};
  static const gt_transfer_axis names = {2, 2, swapped};
  gt_store *store = create_store(4, 5);
  const float weight[3][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
  const gt_stored tensor = {"a.weight", GT_F32, {2, {3, 4}}, weight};
  const gt_transfer_axis *axis[16][GT_MAX_RANK] = {{NULL, &names}};
  gt_transferred result[16];
  gt_container file;
  gt_state_dict dict;
  gt_error error = {0};
  assert_true(gt_safetensors_write(path, &tensor, 1, NULL, 0, &error));
  assert_true(gt_safetensors_read(path, &file, &error));
  assert_int_equal(gt_transfer_apply(&(gt_transfer){.file = &file, .axis = axis}, store, result), 1);
  gt_container_finish(&file);
  gt_state_dict_init(&dict, store, GT_WEIGHT_ROLES, 9);
  const float want[] = {1, 0, 3, 2, 5, 4, 7, 6};
  assert_memory_equal(gt_state_dict_slot(&dict, store->slot[0]), want, sizeof want);
  gt_state_dict_finish(&dict);
}

static void constants_of_a_model_being_built(void **state) {
  (void)state;
  gt_container file;
  gt_error error = {0};
  const gt_store *saved = create_store(4, 5), *other = create_store(4, 6);
  const gt_slot *wiring = gt_store_find(other, "g.wiring");
  int32_t drawn[4];
  save(saved, 2);
  assert_true(gt_safetensors_read(path, &file, &error));
  const gt_transfer_rule omit_logits = {"g.logits", NULL};
  const gt_transfer everything = {.file = &file}, without_gates = {&file, &omit_logits, 1};
  memcpy(drawn, wiring->table, sizeof drawn);
  gt_transfer_constant(&without_gates, other, wiring, drawn);
  assert_int_equal(drawn[0], 6);
  gt_transfer_constant(&everything, other, wiring, drawn);
  assert_int_equal(drawn[0], 5);
  /* The file's constant is not used if a value reaches the slot's limit. */
  static const int32_t limits[4] = {5, 5, 5, 5};
  gt_slot narrow = *wiring;
  narrow.limit = limits;
  memcpy(drawn, wiring->table, sizeof drawn);
  gt_transfer_constant(&everything, other, &narrow, drawn);
  assert_int_equal(drawn[0], 6);
  gt_container_finish(&file);
}

static void offsets_and_roles(void **state) {
  (void)state;
  gt_store *store = create_store(5, 1);
  gt_store_add_optimizer_slots(store, "ema", (gt_fill){.copies = true});
  /* Each size is rounded up to a multiple of 4. */
  assert_int_equal(store->total, 16 + 4 + 8 + 32);
  assert_int_equal(store->values, 15 + 3 + 5 + 32);
  assert_int_equal(store->states, 4);
  /* The logits are first, because their size needs no padding. */
  assert_int_equal(gt_store_find(store, "g.logits")->offset, 0);
  const gt_slot *average = gt_store_find(store, "ema/a.bias");
  assert_int_equal(average->offset, gt_store_find(store, "a.bias")->offset);
  gt_state_dict dict;
  gt_state_dict_init(&dict, store, GT_CHECKPOINT_ROLES, 9);
  assert_true(first(&dict, "ema/a.bias") == 9 && first(&dict, "norm.mean") == 7);
  gt_stored tensors[16];
  /* A model file has the six slots of the model; a checkpoint lacks the constant and has four averages. */
  assert_int_equal(gt_state_dict_tensors(&dict, GT_MODEL_ROLES, tensors), 6);
  assert_int_equal(gt_state_dict_tensors(&dict, GT_CHECKPOINT_ROLES, tensors), 5 + 4);
  assert_null(gt_state_dict_find_not_finite(&dict));
  dict.variable[gt_store_find(store, "norm.mean")->variable_index][0] = INFINITY;
  assert_string_equal(gt_state_dict_find_not_finite(&dict)->name, "norm.mean");
  gt_state_dict_finish(&dict);
}

static const gt_stored *stored_of(gt_stored *tensor, gt_shape shape, const float *value) {
  *tensor = (gt_stored){"file's", GT_F32, shape, value};
  return tensor;
}

/* A state must be finite and in the range of its slot; the error names the first value that is not. Values of
 * optimizer slots are not checked. */
static void values_by_role(void **state) {
  (void)state;
  const float not_ascending[] = {0, 5, 1, 4}, ascending[] = {0, 5, 0, 6}, with_negative[] = {2, 0, -1, -2},
              with_nan[] = {0, NAN, 1, 2};
  const gt_shape shape = gt_shape_2(2, 2);
  gt_slot slot = {.name = "bn.var", .role = GT_STATE, .shape = shape, .range = GT_NOT_NEGATIVE};
  gt_stored tensor;
  gt_error error = {0};
  assert_true(gt_slot_check_values(&slot, stored_of(&tensor, shape, not_ascending), "f", &error));
  assert_false(gt_slot_check_values(&slot, stored_of(&tensor, shape, with_negative), "f", &error));
  assert_int_equal(error.status, GT_ERR_DATA);
  assert_string_equal(error.message, "f: value 2 of 'bn.var' is -1; expected 0 or more");
  slot.range = GT_ASCENDING; /* columns of ascending values */
  assert_int_equal(gt_slot_find_invalid(&slot, ascending), -1);
  assert_int_equal(gt_slot_find_invalid(&slot, not_ascending), 3);
  slot.range = GT_ANY_VALUE;
  assert_true(gt_slot_check_values(&slot, stored_of(&tensor, shape, with_negative), "f", &error));
  assert_false(gt_slot_check_values(&slot, stored_of(&tensor, shape, with_nan), "f", &(gt_error){0}));
  slot.role = GT_OPTIMIZER;
  assert_true(gt_slot_check_values(&slot, stored_of(&tensor, shape, with_nan), "f", &error));
}

int main(void) {
  const char *folder = getenv("TEST_TMP");
  snprintf(path, sizeof path, "%s/transfer-%ld", folder ? folder : "/tmp", (long)getpid());
  gt_arena_init(&arena);
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_name_and_shape),
                                     cmocka_unit_test(by_rules),
                                     cmocka_unit_test(by_names_along_axes),
                                     cmocka_unit_test(by_names_of_each_step),
                                     cmocka_unit_test(constants_of_a_model_being_built),
                                     cmocka_unit_test(offsets_and_roles),
                                     cmocka_unit_test(values_by_role)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  gt_arena_finish(&arena);
  return failed;
}
