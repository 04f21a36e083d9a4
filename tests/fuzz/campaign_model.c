/* Generates models: each layer is of a kind that fits the output shape of the layer before. */
#include "campaign.h"
#include <string.h>

typedef struct partial_model {
  generator *m;
  json_t *layers;
  int axes;
  int64_t axis[MAX_AXES]; /* the shape of a sample after the layers so far */
} partial_model;

static int64_t values_of(const partial_model *s) {
  int64_t values = 1;
  for (int i = 0; i < s->axes; i++) values *= s->axis[i];
  return values;
}

static void flatten(partial_model *s, int64_t values) {
  s->axes = 1;
  s->axis[0] = values;
}

/* Adds a layer with these settings (NULL: none), and sometimes with further settings from its schema. */
static void add(partial_model *s, const char *name, json_t *settings) {
  const json_t *layers = json_object_get(json_object_get(s->m->schema, "$defs"), "layer");
  const json_t *schema = property_of(branch_with(layers, name), name),
               *branches = json_object_get(schema, "anyOf");
  json_t *layer = json_object();
  if (!settings) settings = json_object();
  if (branches) schema = json_array_get(branches, 0);
  if (json_is_object(settings)) add_some(s->m, settings, schema, 12);
  /* The layer must read the one before it; a random `from` would name another one, or none. */
  if (json_is_object(settings)) json_object_del(settings, "from");
  json_object_set_new(layer, name, settings);
  json_array_append_new(s->layers, layer);
}

static void add_named(partial_model *s, const char *name, const char *key, json_t *value) {
  json_t *settings = json_object();
  json_object_set_new(settings, key, value);
  add(s, name, settings);
}

/* --- shapes --- */

static void add_reshape(partial_model *s) {
  int64_t rest = values_of(s);
  json_t *shape = json_array();
  s->axes = 0;
  for (int64_t factor = 2; factor < 8 && s->axes < MAX_AXES - 1; factor++) {
    if (rest % factor || chance(&s->m->d, 50)) continue;
    json_array_append_new(shape, json_integer(s->axis[s->axes++] = factor));
    rest /= factor;
  }
  json_array_append_new(shape, json_integer(chance(&s->m->d, 20) ? -1 : rest));
  s->axis[s->axes++] = rest;
  add_named(s, "reshape", "shape", shape);
}

static void add_permute(partial_model *s) {
  json_t *order = json_array();
  int64_t before[MAX_AXES];
  const int first = (int)between(&s->m->d, 0, s->axes - 1);
  memcpy(before, s->axis, sizeof before);
  for (int i = 0; i < s->axes; i++) {
    const int from = (first + i) % s->axes;
    s->axis[i] = before[from];
    json_array_append_new(order, json_integer(from + 1));
  }
  add_named(s, "permute", "axes", order);
}

static void add_pad_shrink_or_stride(partial_model *s) {
  json_t *list = json_array();
  const int64_t kind = between(&s->m->d, 0, 2);
  for (int i = 0; i < s->axes; i++) {
    const int64_t most = kind == 0 ? 2 : s->axis[i];
    const int64_t number = between(&s->m->d, kind == 0 ? 0 : 1, most);
    json_array_append_new(list, json_integer(number));
    s->axis[i] = kind == 0   ? s->axis[i] + 2 * number
                 : kind == 1 ? number
                             : (s->axis[i] + number - 1) / number;
  }
  static const char *const names[] = {"pad", "shrink", "stride"}, *const keys[] = {"before", "stop", "step"};
  json_t *settings = json_object(), *layer = json_object();
  json_object_set_new(settings, keys[kind], list);
  json_object_set_new(layer, names[kind], settings);
  json_array_append_new(s->layers, layer);
}

static void add_elementwise(partial_model *s) {
  static const char *const plain[] = {"relu",       "tanh",     "gelu",        "silu",      "sigmoid", "sin",
                                      "cos",        "softplus", "exp2",        "erf",       "abs",     "neg",
                                      "leaky_relu", "softmax",  "log_softmax", "bernoulli", NULL};
  json_array_append_new(s->layers, json_string(one_of(&s->m->d, plain)));
}

/* --- gates --- */

/* A number of gates for this many inputs: at least enough to read all, at most the number of pairs. */
static int64_t random_gates(generator *m, int64_t values) {
  const int64_t least = values < 2 ? 1 : (values + 1) / 2, most = values < 3 ? 1 : values * (values - 1) / 2;
  return between(&m->d, least, most < least + 8 ? most : least + 8);
}

static void add_logic(partial_model *s) {
  flatten(s, random_gates(s->m, values_of(s)));
  add_named(s, "logic", "units", json_integer(s->axis[0]));
}

static void add_threshold(partial_model *s) {
  json_t *levels = json_array();
  const int64_t count = between(&s->m->d, 1, 3);
  for (int64_t i = 0; i < count; i++)
    json_array_append_new(levels, json_real((double)between(&s->m->d, -8, 8) / 8));
  s->axis[s->axes - 1] *= count;
  add_named(s, "threshold", "levels", levels);
}

static void add_convolution(partial_model *s) {
  const int64_t side = s->axis[0] < s->axis[1] ? s->axis[0] : s->axis[1];
  const int64_t kernel = between(&s->m->d, 1, side < 4 ? side : 4), channels = between(&s->m->d, 1, 4);
  json_t *layer = json_object();
  json_object_set_new(layer, "logic_conv2d",
                      json_pack("{s:I, s:I, s:I}", "channels", (json_int_t)channels, "kernel",
                                (json_int_t)kernel, "depth", (json_int_t)between(&s->m->d, 1, 3)));
  json_array_append_new(s->layers, layer);
  s->axis[0] -= kernel - 1, s->axis[1] -= kernel - 1, s->axis[2] = channels;
}

/* The widths of gate layers that reduce `from` values to `to`. */
static json_t *gate_widths(generator *m, int64_t from, int64_t to) {
  json_t *list = json_array();
  while (from > 2 * to) {
    from = chance(&m->d, 30) ? random_gates(m, from) : (from + 1) / 2;
    json_array_append_new(list, json_integer(from));
  }
  json_array_append_new(list, json_integer(to));
  return list;
}

static void add_automaton(partial_model *s, int64_t channels) {
  const int64_t kernels = between(&s->m->d, 1, 3);
  json_t *settings = json_pack("{s:I, s:I, s:[i,i,i,i], s:o}", "steps", (json_int_t)between(&s->m->d, 1, 4),
                               "kernels", (json_int_t)kernels, "perception", 8, 4, 2, 1, "update",
                               gate_widths(s->m, channels * (kernels + 1), channels));
  add(s, "logic_ca", settings);
}

/* --- the whole model --- */

static void add_layer(partial_model *s) {
  const int64_t units = between(&s->m->d, 1, 9);
  switch (between(&s->m->d, 0, 13)) {
  case 0:
  case 1:
    add_named(s, "linear", "units", json_integer(units));
    s->axis[s->axes - 1] = units;
    break;
  case 2: add_named(s, "dropout", "p", json_real((double)between(&s->m->d, 0, 9) / 10)); break;
  case 3: add_named(s, "expression", "expression", json_string("x^2 - x/2")); break;
  case 4: add_threshold(s); break;
  case 5:
  case 6: add_logic(s); break;
  case 7: add_reshape(s); break;
  case 8: add_permute(s); break;
  case 9: add_pad_shrink_or_stride(s); break;
  case 10:
    if (s->axes == 3) add_convolution(s);
    break;
  case 11: json_array_append_new(s->layers, json_string("flatten")), flatten(s, values_of(s)); break;
  default: add_elementwise(s); break;
  }
}

/* Inserts random layers of the schema at random positions. */
static void add_anything(partial_model *s) {
  const json_t *layers = resolved(s->m, property_of(s->m->schema, "model"));
  const json_t *schema = json_object_get(layers, "items");
  for (int64_t n = between(&s->m->d, 1, 2); n > 0; n--)
    json_array_insert_new(s->layers, (size_t)between(&s->m->d, 0, (int64_t)json_array_size(s->layers)),
                          value_of(s->m, schema, "layer"));
}

/* Adds layers that read other outputs than that of the layer before. */
static void add_sources(partial_model *s) {
  static const char *const merging[] = {"add", "mul", "concatenate", NULL};
  const char *name = one_of(&s->m->d, merging);
  json_array_append_new(s->layers, json_pack("{s:{s:s, s:s}}", "tanh", "name", "first", "from", "input"));
  json_array_append_new(s->layers, json_pack("{s:{s:[s, s, s]}}", name, "from", "first", "input", "first"));
  if (*name == 'c') s->axis[s->axes - 1] *= 3;
}

/* Adds a `repeat` of layers that keep the shape, often with a skip connection around each repetition. */
static void add_block(partial_model *s) {
  static const char *const merging[] = {"add", "mul", NULL};
  partial_model inner = *s;
  inner.layers = json_array();
  for (int64_t n = between(&s->m->d, 0, 2); n > 0; n--) add_elementwise(&inner);
  if (inner.axes == 1) add_named(&inner, "linear", "units", json_integer(inner.axis[0]));
  json_array_append_new(inner.layers, json_pack("{s:{s:s}}", "tanh", "name", "body"));
  if (chance(&s->m->d, 20) && values_of(&inner) < 500) add_block(&inner);
  if (chance(&s->m->d, 60))
    json_array_append_new(
        inner.layers, json_pack("{s:{s:[s, s]}}", one_of(&s->m->d, merging), "from", "block_input", "body"));
  json_array_append_new(s->layers, json_pack("{s:{s:I, s:o}}", "repeat", "times",
                                             (json_int_t)between(&s->m->d, 1, 4), "layers", inner.layers));
}

static void add_outputs(partial_model *s, const data_facts *f) {
  const int64_t outputs = f->classes ? f->classes : f->targets;
  if (s->axes > 1) json_array_append_new(s->layers, json_string("flatten")), flatten(s, values_of(s));
  if (f->classes && values_of(s) % outputs == 0 && chance(&s->m->d, 60))
    add_named(s, "group_sum", "groups", json_integer(outputs));
  else
    add_named(s, "linear", "units", json_integer(outputs));
}

json_t *make_model(generator *m, const data_facts *f) {
  partial_model s = {.m = m, .layers = json_array(), .axes = f->axes};
  memcpy(s.axis, f->axis, sizeof s.axis);
  if (f->automaton) {
    add_automaton(&s, f->targets);
  } else {
    if (chance(&m->d, 15)) add_sources(&s);
    for (int64_t n = between(&m->d, 0, 5); n > 0 && values_of(&s) < 4000; n--) add_layer(&s);
    if (chance(&m->d, 15)) add_block(&s);
    add_outputs(&s, f);
  }
  if (chance(&m->d, 15)) add_anything(&s);
  return s.layers;
}
