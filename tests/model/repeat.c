/* Repeated blocks give the same model as layers that are written out; each mistake in a block is reported
 * once, at its position; and the size of the expanded model is limited. Each repetition is a pass. */
#include "model_support.h"

static const char by_block[] = "model:\n"
                               "  - linear: {units: 6, name: stem}\n"
                               "  - repeat:\n"
                               "      times: 3\n"
                               "      layers:\n"
                               "        - linear: {units: 6, name: body}\n"
                               "        - relu\n"
                               "        - dropout: 0.25\n"
                               "        - linear: {units: 6, name: conv1}\n"
                               "        - add: {from: [block_input, conv1, relu1, body1, stem]}\n"
                               "  - concatenate: {from: [add3, body3, conv1_2, input]}\n"
                               "  - linear: 2\n";
static const char by_hand[] = "model:\n"
                              "  - linear: {units: 6, name: stem}\n"
                              "  - linear: {units: 6, name: body1}\n"
                              "  - relu\n"
                              "  - dropout: 0.25\n"
                              "  - linear: {units: 6, name: conv1_1}\n"
                              "  - add: {from: [stem, conv1_1, relu1, body1, stem]}\n"
                              "  - linear: {units: 6, name: body2}\n"
                              "  - relu\n"
                              "  - dropout: 0.25\n"
                              "  - linear: {units: 6, name: conv1_2}\n"
                              "  - add: {from: [add1, conv1_2, relu2, body2, stem]}\n"
                              "  - linear: {units: 6, name: body3}\n"
                              "  - relu\n"
                              "  - dropout: 0.25\n"
                              "  - linear: {units: 6, name: conv1_3}\n"
                              "  - add: {from: [add2, conv1_3, relu3, body3, stem]}\n"
                              "  - concatenate: {from: [add3, body3, conv1_2, input]}\n"
                              "  - linear: 2\n";

static void assert_same(const char *blocks, const char *hand) {
  fixture f, g;
  build(&f, blocks, gt_shape_2(5, 3), true);
  assert_built(&f);
  build(&g, hand, gt_shape_2(5, 3), true);
  assert_built(&g);
  assert_int_equal(!f.diagnostics.count, !g.diagnostics.count); /* both have warnings or none */
  assert_int_equal(f.model->layers, g.model->layers);
  for (int i = 0; i < f.model->layers; i++) {
    const gt_model_layer *a = &f.model->layer[i], *b = &g.model->layer[i];
    assert_string_equal(a->name, b->name);
    assert_ptr_equal(a->type, b->type);
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->input_count, b->input_count);
    for (int k = 0; k < a->input_count; k++) assert_string_equal(a->input[k], b->input[k]);
  }
  assert_int_equal(f.model->store->slots, g.model->store->slots);
  for (int i = 0; i < f.model->store->slots; i++)
    assert_string_equal(f.model->store->slot[i]->name, g.model->store->slot[i]->name);
  gt_state_dict start, same;
  gt_state_dict_init(&start, f.model->store, GT_WEIGHT_ROLES, 7);
  gt_state_dict_init(&same, g.model->store, GT_WEIGHT_ROLES, 7);
  assert_memory_equal(start.variable[0], same.variable[0], sizeof(float) * (size_t)f.model->store->total);
  gt_state_dict_finish(&start);
  gt_state_dict_finish(&same);
  finish(&g);
  finish(&f);
}

static void blocks_equal_written_out_layers(void **state) {
  (void)state;
  assert_same(by_block, by_hand);
  assert_same("model: [{repeat: {times: 1, layers: [relu]}}, {linear: 2}]", "model: [relu, {linear: 2}]");
  /* Blocks at both ends of the model, next to each other. */
  assert_same(
      "model: [{repeat: {times: 2, layers: [{linear: 3}, {add: {from: [block_input, linear1]}}]}},\n"
      "  {repeat: {times: 2, layers: [{add: {from: [input, block_input]}}]}}]",
      "model: [{linear: 3}, {add: {from: [input, linear1]}}, {linear: 3}, {add: {from: [add1, linear2]}},\n"
      "  {add: {from: [input, add2]}}, {add: {from: [input, add3]}}]");
}

static void blocks_in_blocks(void **state) {
  (void)state;
  assert_same("model:\n"
              "  - repeat:\n"
              "      times: 2\n"
              "      layers:\n"
              "        - linear: {units: 3, name: a}\n"
              "        - repeat:\n"
              "            times: 2\n"
              "            layers:\n"
              "              - tanh: {name: b}\n"
              "              - add: {name: c, from: [block_input, b, a, input]}\n"
              "        - add: {from: [block_input, c2, b1, a, b2]}\n"
              "        - tanh\n"
              "  - add: {from: [c2_1, a1, tanh2]}\n",
              "model:\n"
              "  - linear: {units: 3, name: a1}\n"
              "  - tanh: {name: b1_1}\n"
              "  - add: {name: c1_1, from: [a1, b1_1, a1, input]}\n"
              "  - tanh: {name: b1_2}\n"
              "  - add: {name: c1_2, from: [c1_1, b1_2, a1, input]}\n"
              "  - add: {from: [input, c1_2, b1_1, a1, b1_2]}\n"
              "  - tanh\n"
              "  - linear: {units: 3, name: a2}\n"
              "  - tanh: {name: b2_1}\n"
              "  - add: {name: c2_1, from: [a2, b2_1, a2, input]}\n"
              "  - tanh: {name: b2_2}\n"
              "  - add: {name: c2_2, from: [c2_1, b2_2, a2, input]}\n"
              "  - add: {from: [tanh1, c2_2, b2_1, a2, b2_2]}\n"
              "  - tanh\n"
              "  - add: {from: [c2_1, a1, tanh2]}\n");
  /* Layers without names: in each pass, the names of the first pass mean the corresponding layers. */
  assert_same("model:\n"
              "  - repeat:\n"
              "      times: 2\n"
              "      layers:\n"
              "        - repeat: {times: 2, layers: [tanh, {add: {from: [block_input, tanh1]}}]}\n"
              "        - add: {from: [block_input, tanh2, add1]}\n",
              "model: [tanh, {add: {from: [input, tanh1]}}, tanh, {add: {from: [add1, tanh2]}},\n"
              "  {add: {from: [input, tanh2, add1]}},\n"
              "  tanh, {add: {from: [add3, tanh3]}}, tanh, {add: {from: [add4, tanh4]}},\n"
              "  {add: {from: [add3, tanh4, add4]}}]");
}

/* `each` has a list of values for each name: one value per pass. */
static void values_of_each_pass(void **state) {
  (void)state;
  assert_same(
      "model:\n"
      "  - repeat:\n"
      "      each: {width: [3, 5], shape: [[3, 1], [1, 5]]}\n"
      "      layers: [{linear: $width}, {reshape: {shape: $shape}}, flatten]\n"
      "  - linear: 2\n",
      "model: [{linear: 3}, {reshape: [3, 1]}, flatten, {linear: 5}, {reshape: [1, 5]}, flatten, {linear: 2}]");
  /* Nested blocks: a name is looked up in the inner block first, also inside a list. */
  assert_same("model:\n"
              "  - repeat:\n"
              "      each: {a: [2, 3], b: [1, 1]}\n"
              "      layers:\n"
              "        - linear: $a\n"
              "        - repeat:\n"
              "            times: 2\n"
              "            each: {b: [6, 4]}\n"
              "            layers: [{linear: {units: $b, name: c}}, {reshape: [1, $b]}, flatten]\n"
              "        - linear: {units: $a, bias: false}\n"
              "        - reshape: [$b, $a, 1]\n"
              "        - flatten\n",
              "model: [{linear: 2}, {linear: {units: 6, name: c1_1}}, {reshape: [1, 6]}, flatten,\n"
              "  {linear: {units: 4, name: c1_2}}, {reshape: [1, 4]}, flatten,\n"
              "  {linear: {units: 2, bias: false}}, {reshape: [1, 2, 1]}, flatten,\n"
              "  {linear: 3}, {linear: {units: 6, name: c2_1}}, {reshape: [1, 6]}, flatten,\n"
              "  {linear: {units: 4, name: c2_2}}, {reshape: [1, 4]}, flatten,\n"
              "  {linear: {units: 3, bias: false}}, {reshape: [1, 3, 1]}, flatten]");
}

static void config_errors(void **state) {
  (void)state;
  static const mistake list[] = {
      {"model: [{repat: {times: 3, layers: [relu]}}]\n", 1, 10, "unknown layer 'repat'", "repeat"},
      {"model:\n  - repeat: {tims: 3, layers: [relu]}\n", 2, 14, "unknown key 'tims' in 'repeat'", "times"},
      {"model:\n  - repeat: {times: 3}\n", 2, 5, "key 'layers' is missing in 'repeat'", NULL},
      {"model:\n  - repeat: 3\n", 2, 13, "in 'repeat': expected a map", NULL},
      {"model:\n  - repeat: {times: 3, layers: relu}\n", 2, 32, "must be a list of layers", NULL},
      {"model:\n  - repeat: {times: 3, layers: []}\n", 2, 32, "must be a list of layers", NULL},
      {"model:\n  - repeat: {times: 3, layers: }\n", 2, 32, "must be a list of layers", NULL},
      {"model:\n  - repeat: {times: 0, layers: [relu]}\n", 2, 21, "is too small", NULL},
      {"model:\n  - repeat: {times: 1001, layers: [relu]}\n", 2, 21, "is too large", NULL},
      {"model:\n  - repeat: {times: 2, layers: [relu]}\n    name: a\n", 3, 5, "a layer is one entry", NULL},
      {"model:\n  - repeat: {layers: [relu]}\n", 2, 5, "'repeat' does not say how many times", NULL},
      {"model:\n  - repeat: {each: 3, layers: [relu]}\n", 2, 20, "must be a map of lists", NULL},
      {"model:\n  - repeat: {each: {a: 3}, layers: [relu]}\n", 2, 24, "'a' must be a list", NULL},
      {"model:\n  - repeat: {each: {a: []}, layers: [relu]}\n", 2, 24, "'a' must be a list", NULL},
      {"model:\n  - repeat: {each: {a: [1, 2], b: [1]}, layers: [relu]}\n", 2, 35, "'b' has 1 values", NULL},
      {"model:\n  - repeat: {times: 3, each: {a: [1, 2]}, layers: [relu]}\n", 2, 34, "'a' has 2 values",
       NULL},
      {"model:\n  - repeat: {each: {width: [1, 2]}, layers: [{linear: $widht}]}\n", 2, 55,
       "no 'each' of an enclosing block defines 'widht'", "$width"},
      {"model:\n  - linear: $width\n", 2, 13, "no 'each' of an enclosing block defines 'width'", NULL},
      {"model:\n  - repeat: {each: {a: [1, x]}, layers: [{linear: $a}]}\n", 2, 28, "expected an integer",
       NULL},
      {"model:\n  - repeat: {each: {a: [x, x, 1]}, layers: [{linear: $a}]}\n", 2, 25, "expected an integer",
       NULL},
      {"model:\n  - repeat: {each: {a: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]}, layers: [{reshape: "
       "$a}]}\n",
       2, 25, "too long", NULL},
      /* Errors that are reported once, not once per pass. */
      {"model:\n  - repeat:\n      times: 9\n      layers:\n        - linear: {unitz: 3}\n", 5, 20,
       "unknown key 'unitz'", "units"},
      {"model:\n  - repeat:\n      times: 9\n      layers:\n        - relu: {from: rellu1}\n", 5, 24,
       "layer 'relu1' reads 'rellu1'", NULL},
      {"model:\n  - repeat: {times: 9, layers: [{relu: {from: blockinput}}]}\n", 2, 47,
       "layer 'relu1' reads 'blockinput'", "block_input"},
      {"model:\n  - repeat: {times: 9, layers: [add]}\n", 2, 33, "needs at least 2 inputs", NULL},
      {"model:\n  - repeat: {times: 9, layers: [{linear: {units: 2, name: a.b}}]}\n", 2, 59,
       "cannot be the name", NULL},
      {"model:\n  - repeat: {times: 9, layers: [{reshape: [4, 5]}]}\n", 2, 43, "cannot reshape 'input'",
       NULL},
      /* An error that occurs only in the second pass. */
      {"model:\n  - linear: 6\n  - repeat:\n      times: 4\n      layers:\n"
       "        - concatenate: {from: [block_input, input]}\n"
       "        - linear: {units: 9, name: a}\n        - add: {from: [concatenate1, a]}\n",
       8, 23, "layer 'add2' cannot add 'concatenate2' [5, 12] and 'a2' [5, 9]", NULL},
      /* Names. */
      {"model:\n  - repeat: {times: 2, layers: [{relu: {from: r1}}, {tanh: {name: r}}]}\n", 2, 47,
       "cannot read 'r1', which comes after it", NULL},
      {"model:\n  - repeat: {times: 2, layers: [{tanh: {name: r}}, {relu: {from: r2}}]}\n", 2, 66,
       "cannot read 'r2', which comes after it", NULL},
      {"model:\n  - repeat: {times: 2, layers: [{tanh: {name: r}}]}\n  - relu: {from: r}\n", 3, 18,
       "reads 'r', but no layer has this name", NULL},
      {"model:\n  - repeat: {times: 2, layers: [{relu: {name: r, from: r}}]}\n", 2, 56, "cannot read itself",
       NULL},
      {"model:\n  - relu: {from: block_input}\n", 2, 18, "is not in a block", NULL},
      {"model:\n  - repeat: {times: 9, layers: [{relu: {name: block_input}}]}\n", 2, 47,
       "a layer cannot be called 'block_input'", NULL},
      {"model:\n  - repeat: {times: 9, layers: [{tanh: {name: a}}, {relu: {name: a}}]}\n", 2, 66,
       "the name 'a' is already used by the tanh layer in line 2", NULL},
      {"model:\n  - relu: {name: a2}\n  - repeat: {times: 9, layers: [{tanh: {name: a}}]}\n", 3, 47,
       "the name 'a2' is already used by the relu layer in line 2", NULL},
      {"model:\n  - repeat:\n      times: 1\n      layers:\n        - repeat: {times: 2, layers: [{tanh: {name: a}}]}\n"
       "        - relu: {name: a2}\n",
       6, 24, "the name 'a2' is already used by the tanh layer in line 5", NULL},
      {"model:\n  - repeat: {times: 2, layers: [{tanh: {name: "
       "a1234567890123456789012345678901234567890123456789012345678901234}}]}\n",
       2, 47, "this name is too long", NULL},
      /* Huge models from short configs. */
      {"model:\n  - relu\n  - repeat: {times: 1000, layers: [relu, relu, relu, relu, relu]}\n"
       "  - repeat: {times: 834, layers: [{tanh: {}}, relu, relu, relu, relu, relu]}\n",
       4, 21, "written out, this model would have 10005 layers or more", NULL},
      {"model:\n"
       "  - repeat: {times: 1000, layers: [repeat: {times: 1000, layers: [repeat: {times: 1000, layers:\n"
       "      [repeat: {times: 1000, layers: [repeat: {times: 1000, layers: [relu]}]}]}]}]}\n",
       3, 24, "written out, this model would have 1000000 layers or more", NULL},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_mistake(&list[i]);
}

/* Nested blocks, with one layer in the innermost. */
static gt_model *build_nested(fixture *f, int depth) {
  char text[4096] = "model: [", *end = text + strlen(text);
  for (int i = 0; i < depth; i++) end += sprintf(end, "{repeat: {times: 1, layers: [");
  end += sprintf(end, "{linear: {units: 3, name: a}}");
  for (int i = 0; i < depth; i++) end += sprintf(end, "]}}");
  sprintf(end, "]\n");
  build(f, text, gt_shape_2(5, 3), true);
  return f->model;
}

static void depth(void **state) {
  (void)state;
  fixture f;
  assert_non_null(build_nested(&f, 8));
  assert_built(&f);
  assert_string_equal(f.model->layer[0].name, "a1_1_1_1_1_1_1_1");
  finish(&f);
  assert_null(build_nested(&f, 9));
  assert_int_equal(f.diagnostics.errors, 1);
  assert_non_null(strstr(f.diagnostics.items[0].message, "nested too deeply"));
  finish(&f);
}

/* A layer with this many inputs, repeated a thousand times. */
static void build_wide(fixture *f, int inputs) {
  char text[4096] = "model: [{repeat: {times: 1000, layers: [{add: {from: [block_input",
       *end = text + strlen(text);
  for (int i = 1; i < inputs; i++) end += sprintf(end, ", input");
  sprintf(end, "]}}]}}]\n");
  build(f, text, gt_shape_2(5, 3), true);
}

static void largest_models(void **state) {
  (void)state;
  fixture f;
  build(&f, "model: [{repeat: {times: 10, layers: [{repeat: {times: 1000, layers: [{relu: {name: a}}]}}]}}]",
        gt_shape_2(5, 3), true);
  assert_built(&f);
  assert_int_equal(f.model->layers, 10000);
  assert_string_equal(f.model->layer[9999].name, "a10_1000");
  finish(&f);
  /* The expanded config may have 100000 YAML values: here, each layer has one per input and three more. */
  build_wide(&f, 97);
  assert_built(&f);
  finish(&f);
  build_wide(&f, 98);
  assert_int_equal(f.diagnostics.errors, 1);
  assert_non_null(strstr(f.diagnostics.items[0].message, "this model would have 101000 values or more"));
  finish(&f);
}

static void unused_layer_is_one_warning(void **state) {
  (void)state;
  fixture f;
  build(&f, "model:\n  - repeat: {times: 3, layers: [{tanh: {name: a}}, {relu: {from: block_input}}]}\n",
        gt_shape_2(5, 3), true);
  assert_built(&f);
  assert_int_equal(f.diagnostics.count, 1);
  assert_string_equal(f.diagnostics.items[0].message, "the output of layer 'a1' is never used");
  finish(&f);
}

/* Errors inside and outside a block are reported together. */
static void all_errors_are_reported(void **state) {
  (void)state;
  fixture f;
  build(&f,
        "model:\n"
        "  - liner: 3\n"
        "  - repeat: {times: 0, layers: [{linear: 0}, {repeat: {times: 2, layers: [rellu]}}]}\n"
        "  - linear: {units: -3}\n",
        gt_shape_2(5, 3), true);
  assert_null(f.model);
  assert_int_equal(f.diagnostics.errors, 5);
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_equal_written_out_layers),
      cmocka_unit_test(blocks_in_blocks),
      cmocka_unit_test(values_of_each_pass),
      cmocka_unit_test(config_errors),
      cmocka_unit_test(depth),
      cmocka_unit_test(largest_models),
      cmocka_unit_test(unused_layer_is_one_warning),
      cmocka_unit_test(all_errors_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
