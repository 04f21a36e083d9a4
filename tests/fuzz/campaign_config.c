#define _GNU_SOURCE /* open_memstream */
/* Configs: a core that should work, of data, layers that fit it and a loss, to which the schema adds what
 * else there is; some are then broken. */
#include "campaign.h"
#include <stdlib.h>
#include <string.h>

typedef struct facts {           /* of the data */
  int64_t height, width, values; /* of a sample: height 0: not an image */
  int64_t classes, targets;      /* classes 0: quantities */
  bool unit;                     /* targets are 0 or 1 */
} facts;

static const json_t *property(const json_t *schema, const char *key) {
  return json_object_get(json_object_get(schema, "properties"), key);
}

/* The branch of anyOf that has a property of this name. */
static const json_t *branch_with(const json_t *schema, const char *key) {
  const json_t *branches = json_object_get(schema, "anyOf"), *branch;
  size_t index;
  json_array_foreach(branches, index, branch) if (property(branch, key)) return branch;
  return NULL;
}

/* Some of what else a map may hold. */
static void add_some(maker *m, json_t *map, const json_t *schema, int percent) {
  const char *key;
  json_t *row;
  json_object_foreach(json_object_get(schema, "properties"), key, row) {
    if (json_object_get(map, key) || !chance(&m->d, percent)) continue;
    json_object_set_new(map, key, value_of(m, row, key));
  }
}

/* --- data
 * ------------------------------------------------------------------------------------------------------- */

static json_t *numbers(maker *m, int64_t count, int64_t least, int64_t most, bool whole) {
  json_t *list = json_array();
  for (int64_t i = 0; i < count; i++) {
    const int64_t number = between(&m->d, least, most);
    json_array_append_new(list, whole ? json_integer(number) : json_real((double)number / 8));
  }
  return list;
}

static json_t *rows(maker *m, int64_t count, int64_t values, int64_t least, int64_t most, bool whole) {
  json_t *list = json_array();
  for (int64_t i = 0; i < count; i++) json_array_append_new(list, numbers(m, values, least, most, whole));
  return list;
}

static json_t *make_table(maker *m, facts *f) {
  const int64_t samples = between(&m->d, 2, 12);
  const bool bits = chance(&m->d, 40);
  json_t *data = json_object();
  f->values = between(&m->d, 1, 6);
  json_object_set_new(data, "inputs", rows(m, samples, f->values, bits ? 0 : -16, bits ? 1 : 16, bits));
  if (chance(&m->d, 50)) {
    f->classes = between(&m->d, 2, 4);
    json_t *targets = numbers(m, samples, 0, f->classes - 1, true);
    json_array_set_new(targets, 0, json_integer(f->classes - 1));
    json_object_set_new(data, "targets", targets);
  } else {
    f->targets = between(&m->d, 1, 3);
    f->unit = chance(&m->d, 50);
    json_object_set_new(data, "targets", rows(m, samples, f->targets, 0, f->unit ? 1 : 9, f->unit));
  }
  return data;
}

static json_t *make_csv(maker *m, facts *f) {
  switch (between(&m->d, 0, 2)) {
  case 0:
    *f = (facts){.values = 2, .classes = 2};
    return json_pack("{s:s, s:s}", "train", "five.csv", "target", "label");
  case 1:
    *f = (facts){.values = 64, .classes = 10, .height = 8, .width = 8};
    return json_pack("{s:s, s:s, s:i}", "train", "datasets/digits/digits.csv", "target", "label", "classes",
                     10);
  default:
    *f = (facts){.values = 7, .targets = 1};
    return json_pack("{s:s, s:s, s:s}", "train", "datasets/penguins/penguins.csv", "target", "body_mass_g",
                     "task", "regression");
  }
}

static json_t *make_arrays(maker *m, facts *f) {
  if (chance(&m->d, 50)) {
    *f = (facts){.values = 3, .targets = 3};
    return json_pack("{s:s, s:{s:s, s:s}}", "format", "npy", "train", "inputs", "five.npy", "targets",
                     "five.npy");
  }
  *f = (facts){.values = 784, .classes = 10, .height = 28, .width = 28};
  return json_pack("{s:{s:s, s:s}}", "train", "inputs", "datasets/mnist/train-images-idx3-ubyte", "targets",
                   "datasets/mnist/train-labels-idx1-ubyte");
}

static json_t *make_function(maker *m, facts *f) {
  static const char *const formulas[] = {"x0", "sin(pi*x0)", "x0^2 - 1", "exp(-abs(x0))", "x0 < 0.5", NULL};
  *f = (facts){.values = between(&m->d, 1, 3), .targets = 1};
  return json_pack("{s:s, s:I, s:I, s:I, s:[i,i]}", "formula", one_of(&m->d, formulas), "inputs",
                   (json_int_t)f->values, "samples", (json_int_t)between(&m->d, 1, 40), "test_samples",
                   (json_int_t)between(&m->d, 0, 9), "range", -1, 1);
}

static json_t *make_boards(maker *m, facts *f) {
  static const char *const targets[] = {"checkerboard", "life", NULL};
  static const char *const pictures[] = {"datasets/ca/letter_g.png", "datasets/ca/lizard.png", NULL};
  json_t *data = json_pack("{s:s}", "format", "ca");
  f->targets = between(&m->d, 1, 3); /* channels of a cell */
  f->height = between(&m->d, 3, 9), f->width = between(&m->d, 3, 9);
  json_object_set_new(data, "channels", json_integer(f->targets));
  if (chance(&m->d, 25)) {
    json_object_set_new(data, "image", json_string(one_of(&m->d, pictures)));
  } else {
    json_object_set_new(data, "target", json_string(one_of(&m->d, targets)));
    json_object_set_new(data, "grid", json_pack("[I, I]", (json_int_t)f->height, (json_int_t)f->width));
  }
  f->values = f->height * f->width * f->targets;
  return data;
}

static json_t *make_data(maker *m, facts *f, made *result) {
  static json_t *(*const makers[])(maker *, facts *) = {make_table, make_csv, make_arrays, make_function,
                                                        make_boards};
  static const char *const keys[] = {"targets", "delimiter", "test_fraction", "formula", "grid"};
  static const char *const inputs[] = {"five.csv", "datasets/digits/digits.csv", "five.npy", "five.csv",
                                       "five.idx"};
  const int64_t kind = between(&m->d, 0, 4);
  json_t *data = makers[kind](m, f);
  result->automaton = kind == 4;
  result->inputs = inputs[kind];
  if (chance(&m->d, 50)) add_some(m, data, branch_with(property(m->schema, "data"), keys[kind]), 12);
  return data;
}

/* --- layers
 * ------------------------------------------------------------------------------------------------------ */

static json_t *layer(const char *name, json_t *settings) {
  json_t *result = json_object();
  json_object_set_new(result, name, settings);
  return result;
}

/* The fewest gates that read so many values, to the most that have inputs of their own. */
static int64_t gates(maker *m, int64_t values) {
  const int64_t least = values < 2 ? 1 : (values + 1) / 2, most = values < 3 ? 1 : values * (values - 1) / 2;
  return between(&m->d, least, most < least + 8 ? most : least + 8);
}

static json_t *add_layer(maker *m, json_t *model, int64_t *values) {
  static const char *const plain[] = {"relu", "tanh",     "gelu",    "silu",    "sigmoid",
                                      "sin",  "softplus", "softmax", "flatten", NULL};
  const int64_t units = between(&m->d, 1, 9);
  switch (between(&m->d, 0, 7)) {
  case 0:
  case 1: *values = units; return layer("linear", json_integer(units));
  case 2: return layer("dropout", json_real(0.25));
  case 3: return layer("expression", json_string("x^2 - x/2"));
  case 4: *values *= 2; return layer("threshold", json_pack("[f, f]", 0.25, 0.5));
  case 5: *values = gates(m, *values); return layer("logic", json_integer(*values));
  case 6: return layer("reshape", json_pack("[I]", (json_int_t)*values));
  default: (void)model; return json_string(one_of(&m->d, plain));
  }
}

static json_t *sizes(maker *m, int64_t from, int64_t to) {
  json_t *list = json_array();
  while (from > 2 * to)
    json_array_append_new(list, json_integer(from = gates(m, from) < from ? (from + 1) / 2 : from / 2));
  json_array_append_new(list, json_integer(to));
  return list;
}

static void add_automaton(maker *m, json_t *model, const facts *f) {
  const int64_t kernels = between(&m->d, 1, 3), channels = f->targets;
  json_t *settings = json_pack("{s:I, s:I, s:[i,i,i,i], s:o}", "steps", (json_int_t)between(&m->d, 1, 4),
                               "kernels", (json_int_t)kernels, "perception", 8, 4, 2, 1, "update",
                               sizes(m, channels * (kernels + 1), channels));
  const json_t *schema = branch_with(json_object_get(property(m->schema, "model"), "items"), "logic_ca");
  if (chance(&m->d, 50)) add_some(m, settings, property(schema, "logic_ca"), 15);
  json_array_append_new(model, layer("logic_ca", settings));
}

static void add_convolution(maker *m, json_t *model, const facts *f, int64_t *values) {
  const int64_t channels = between(&m->d, 1, 3);
  json_array_append_new(
      model, layer("reshape", json_pack("[I, I, i]", (json_int_t)f->height, (json_int_t)f->width, 1)));
  json_array_append_new(model, layer("threshold", json_integer(0)));
  json_array_append_new(
      model, layer("logic_conv2d", json_pack("{s:I, s:i, s:I}", "channels", (json_int_t)channels, "kernel", 3,
                                             "depth", (json_int_t)between(&m->d, 1, 3))));
  json_array_append_new(model, json_string("flatten"));
  *values = 8; /* whatever it is: a linear layer follows */
  json_array_append_new(model, layer("linear", json_integer(8)));
}

/* Anything that the schema knows, anywhere. */
static void add_anything(maker *m, json_t *model) {
  const json_t *schema = json_object_get(property(m->schema, "model"), "items");
  for (int64_t n = between(&m->d, 1, 2); n > 0; n--)
    json_array_insert_new(model, (size_t)between(&m->d, 0, (int64_t)json_array_size(model)),
                          value_of(m, schema, "layer"));
}

/* A layer that reads another than the one before. */
static void add_source(maker *m, json_t *model) {
  static const char *const merging[] = {"add", "mul", "concatenate", NULL};
  json_array_insert_new(model, 0, layer("tanh", json_pack("{s:s}", "name", "first")));
  json_array_insert_new(model, 1,
                        layer(one_of(&m->d, merging), json_pack("{s:[s, s]}", "from", "first", "input")));
}

static json_t *make_model(maker *m, const facts *f, bool automaton) {
  json_t *model = json_array();
  int64_t values = f->values;
  if (f->height && !automaton && chance(&m->d, 40)) add_convolution(m, model, f, &values);
  if (f->height && !json_array_size(model) && !automaton)
    json_array_append_new(model, json_string("flatten"));
  if (automaton) add_automaton(m, model, f);
  for (int64_t n = automaton ? 0 : between(&m->d, 0, 3); n > 0; n--)
    json_array_append_new(model, add_layer(m, model, &values));
  const int64_t outputs = f->classes ? f->classes : f->targets;
  if (f->classes && values % outputs == 0 && values && chance(&m->d, 50))
    json_array_append_new(model, layer("group_sum", json_integer(outputs)));
  else if (!automaton)
    json_array_append_new(
        model, layer("linear", json_pack("{s:I, s:s}", "units", (json_int_t)outputs, "name", "out")));
  if (chance(&m->d, 15)) add_source(m, model);
  if (chance(&m->d, 20)) add_anything(m, model);
  return model;
}

/* --- the rest
 * ---------------------------------------------------------------------------------------------------- */

static void add_loss(maker *m, json_t *config, const facts *f) {
  static const char *const quantities[] = {"mse", "mae", "huber", "sum_squared", NULL};
  if (chance(&m->d, 40)) return;
  const char *name = f->classes                     ? "cross_entropy"
                     : f->unit && chance(&m->d, 50) ? "bce"
                                                    : one_of(&m->d, quantities);
  json_object_set_new(config, "loss",
                      chance(&m->d, 15) ? value_of(m, property(m->schema, "loss"), "loss")
                                        : json_string(name));
}

static void add_train(maker *m, json_t *config) {
  json_t *train = json_object();
  if (chance(&m->d, 70))
    json_object_set_new(train, "steps", json_integer(between(&m->d, 1, 8)));
  else
    json_object_set_new(train, "epochs", json_integer(between(&m->d, 1, 3)));
  json_object_set_new(train, "batch_size", json_integer(between(&m->d, 1, 9)));
  if (chance(&m->d, 70)) {
    const json_t *schema = property(m->schema, "train");
    const bool epochs = json_object_get(train, "epochs");
    add_some(m, train, schema, 15);
    json_object_del(train, epochs ? "steps" : "epochs");
  }
  json_object_set_new(config, "train", train);
}

/* The map or list that holds the index-th value of a tree, counted in order. */
static json_t *parent_of(json_t *tree, int64_t *index, const char **key, size_t *place) {
  json_t *item, *found;
  if (json_is_object(tree)) {
    json_object_foreach(tree, *key, item) {
      if ((*index)-- == 0) return tree;
      const char *kept = *key;
      if ((found = parent_of(item, index, key, place))) return found;
      *key = kept;
    }
  } else if (json_is_array(tree)) {
    for (size_t i = 0; i < json_array_size(tree); i++) {
      *place = i;
      if ((*index)-- == 0) return tree;
      if ((found = parent_of(json_array_get(tree, i), index, key, place))) return found;
    }
  }
  return NULL;
}

static void break_something(maker *m, json_t *config) {
  const char *key = NULL;
  size_t place = 0;
  int64_t index = between(&m->d, 0, 60);
  json_t *parent = parent_of(config, &index, &key, &place);
  const int64_t how = between(&m->d, 0, 9);
  if (json_is_object(parent)) {
    char *copy = strdup(key);
    if (how < 2)
      json_object_del(parent, copy);
    else if (how < 3)
      json_object_set_new(parent, "unknown", wild_value(m));
    else
      json_object_set_new(parent, copy, wild_value(m));
    free(copy);
  } else if (parent) {
    if (how < 3)
      json_array_remove(parent, place);
    else
      json_array_set_new(parent, place, wild_value(m));
  }
}

made make_config(maker *m) {
  static const char *const sections[] = {"optimizer", "schedule"};
  made result = {.config = json_object()};
  facts f = {0};
  const int64_t broken = chance(&m->d, 30) ? between(&m->d, 1, 3) : 0;
  m->wild = chance(&m->d, 60) ? 0 : (int)between(&m->d, 1, 20);
  json_object_set_new(result.config, "data", make_data(m, &f, &result));
  json_object_set_new(result.config, "model", make_model(m, &f, result.automaton));
  add_loss(m, result.config, &f);
  for (int i = 0; i < 2; i++)
    if (chance(&m->d, 60))
      json_object_set_new(result.config, sections[i],
                          value_of(m, property(m->schema, sections[i]), sections[i]));
  add_train(m, result.config);
  if (chance(&m->d, 30)) json_object_set_new(result.config, "seed", json_integer(between(&m->d, 0, 1000)));
  for (int64_t i = 0; i < broken; i++) break_something(m, result.config);
  return result;
}

/* --- overrides
 * --------------------------------------------------------------------------------------------------- */

/* A key of a section that the schema describes, with a value for it. */
static void write_schema_override(maker *m, FILE *file) {
  static const char *const sections[] = {"train", "optimizer", "schedule", "data", NULL};
  const char *name = one_of(&m->d, sections), *key;
  const json_t *section = property(m->schema, name), *branches = json_object_get(section, "anyOf");
  if (branches)
    section = json_array_get(branches, (size_t)between(&m->d, 0, (int64_t)json_array_size(branches) - 1));
  json_t *properties = json_object_get(section, "properties"), *row;
  int64_t index = between(&m->d, 0, (int64_t)json_object_size(properties) - 1);
  json_object_foreach(properties, key, row) {
    if (index--) continue;
    json_t *value = value_of(m, row, key);
    fprintf(file, "%s.%s=", name, key);
    write_yaml(file, value);
    json_decref(value);
  }
}

char *make_override(maker *m, const json_t *config) {
  static const char *const fixed[] = {"seed=3",
                                      "model.0=relu",
                                      "model.9=relu",
                                      "loss=mse",
                                      "train.batch_size=3",
                                      "data.inputs.0=[]",
                                      "a.b.c=1",
                                      "train={steps: 1}",
                                      "optimizer.lr=0",
                                      "model.0.linear.units=2",
                                      "train.epochs=1",
                                      "=",
                                      "train.steps",
                                      "data=",
                                      "schedule=cosine",
                                      NULL};
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (chance(&m->d, 60)) {
    write_schema_override(m, file);
  } else if (chance(&m->d, 20) && json_object_get(config, "model")) {
    fprintf(file, "model.%lld=", (long long)between(&m->d, -1, 4));
    json_t *value = wild_value(m);
    write_yaml(file, value);
    json_decref(value);
  } else {
    fputs(one_of(&m->d, fixed), file);
  }
  fclose(file);
  /* The run must not take for ever by our own doing. */
  if (!strncmp(text, "train.steps=", 12) || !strncmp(text, "train.epochs=", 13)) m->huge = true;
  return text;
}
