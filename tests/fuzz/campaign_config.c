/* Generates configs: data, layers and a loss that fit it, plus further keys from the schema. Some configs are
 * then damaged. */
#define _GNU_SOURCE /* open_memstream */
#include "campaign.h"
#include <stdlib.h>
#include <string.h>

/* --- data --- */

static json_t *number(generator *m, int64_t min, int64_t max, bool whole) {
  const int64_t n = between(&m->d, min, max);
  return whole ? json_integer(n) : json_real((double)n / 8);
}

static json_t *sample(generator *m, int64_t values, bool bits) {
  json_t *list = json_array();
  for (int64_t i = 0; i < values; i++)
    json_array_append_new(list, number(m, bits ? 0 : -16, bits ? 1 : 16, bits));
  return list;
}

static json_t *target(generator *m, const data_facts *f) {
  if (f->classes) return number(m, 0, f->classes - 1, true);
  json_t *list = json_array();
  for (int64_t i = 0; i < f->targets; i++)
    json_array_append_new(list, number(m, 0, f->unit ? 1 : 9, f->unit));
  return list;
}

static json_t *make_table(generator *m, data_facts *f) {
  const int64_t samples = between(&m->d, 2, 12);
  const bool bits = chance(&m->d, 40);
  json_t *inputs = json_array(), *targets = json_array(), *shape = json_array(), *data;
  int64_t values = 1;
  f->axes = (int)between(&m->d, 1, 3);
  for (int i = 0; i < f->axes; i++) {
    values *= f->axis[i] = between(&m->d, 1, f->axes > 1 ? 4 : 8);
    json_array_append_new(shape, json_integer(f->axis[i]));
  }
  if (chance(&m->d, 50))
    f->classes = between(&m->d, 2, 4);
  else
    f->targets = between(&m->d, 1, 3), f->unit = chance(&m->d, 50);
  for (int64_t i = 0; i < samples; i++) {
    json_array_append_new(inputs, sample(m, values, bits));
    json_array_append_new(targets, target(m, f));
  }
  if (f->classes) json_array_set_new(targets, 0, json_integer(f->classes - 1));
  data = json_pack("{s:o, s:o}", "inputs", inputs, "targets", targets);
  if (f->axes > 1) json_object_set(data, "shape", shape);
  json_decref(shape);
  return data;
}

static json_t *make_csv(generator *m, data_facts *f) {
  switch (between(&m->d, 0, 2)) {
  case 0:
    *f = (data_facts){.axes = 1, .axis = {2}, .classes = 2};
    return json_pack("{s:s, s:s}", "train", "five.csv", "target", "label");
  case 1:
    *f = (data_facts){.axes = 1, .axis = {64}, .classes = 10};
    return json_pack("{s:s, s:s, s:i}", "train", "datasets/digits/digits.csv", "target", "label", "classes",
                     10);
  default:
    *f = (data_facts){.axes = 1, .axis = {7}, .targets = 1};
    return json_pack("{s:s, s:s, s:s}", "train", "datasets/penguins/penguins.csv", "target", "body_mass_g",
                     "task", "regression");
  }
}

static json_t *make_npy(generator *m, data_facts *f) {
  (void)m;
  *f = (data_facts){.axes = 1, .axis = {3}, .targets = 3};
  return json_pack("{s:s, s:{s:s, s:s}}", "format", "npy", "train", "inputs", "five.npy", "targets",
                   "five.npy");
}

static json_t *make_idx(generator *m, data_facts *f) {
  (void)m;
  *f = (data_facts){.axes = 2, .axis = {28, 28}, .classes = 10};
  return json_pack("{s:{s:s, s:s}}", "train", "inputs", "datasets/mnist/train-images-idx3-ubyte", "targets",
                   "datasets/mnist/train-labels-idx1-ubyte");
}

static json_t *make_function(generator *m, data_facts *f) {
  static const char *const formulas[] = {"x0", "sin(pi*x0)", "x0^2 - 1", "exp(-abs(x0))", "x0 < 0.5", NULL};
  *f = (data_facts){.axes = 1, .axis = {between(&m->d, 1, 3)}, .targets = 1};
  return json_pack("{s:s, s:I, s:I, s:I, s:[i,i]}", "formula", one_of(&m->d, formulas), "inputs",
                   (json_int_t)f->axis[0], "samples", (json_int_t)between(&m->d, 1, 40), "test_samples",
                   (json_int_t)between(&m->d, 0, 9), "range", -1, 1);
}

static json_t *make_boards(generator *m, data_facts *f) {
  static const char *const targets[] = {"checkerboard", "life", NULL};
  static const char *const pictures[] = {"datasets/ca/letter_g.png", "datasets/ca/lizard.png", NULL};
  json_t *data = json_pack("{s:s}", "format", "ca");
  const char *target = one_of(&m->d, targets);
  const int64_t max = *target == 'l' ? 3 : 9;
  f->automaton = true;
  f->targets = between(&m->d, 1, *target == 'l' ? 1 : 4);
  if (chance(&m->d, 25)) {
    f->targets += 2; /* colors */
    json_object_set_new(data, "image", json_string(one_of(&m->d, pictures)));
  } else {
    json_object_set_new(data, "target", json_string(target));
    if (*target == 'l') json_object_set_new(data, "start", json_string("boards"));
    json_object_set_new(
        data, "grid",
        json_pack("[I, I]", (json_int_t)between(&m->d, 3, max), (json_int_t)between(&m->d, 3, max)));
  }
  json_object_set_new(data, "channels", json_integer(f->targets));
  return data;
}

static json_t *make_data(generator *m, data_facts *f, generated_config *result) {
  static const struct {
    json_t *(*make)(generator *, data_facts *);
    /* key: add_some takes keys from the first branch of the schema of `data` that has this key; inputs: a
     * file for predictions */
    const char *key, *inputs;
  } kinds[] = {{make_table, "targets", "five.csv"},     {make_csv, "delimiter", "datasets/digits/digits.csv"},
               {make_npy, "test_fraction", "five.npy"}, {make_idx, "test_fraction", "five.idx"},
               {make_function, "formula", "five.csv"},  {make_boards, "grid", "five.npy"}};
  const int64_t kind = between(&m->d, 0, 5);
  json_t *data = kinds[kind].make(m, f);
  result->inputs = kinds[kind].inputs;
  result->automaton = f->automaton;
  if (chance(&m->d, 50))
    add_some(m, data, branch_with(resolved(m, property_of(m->schema, "data")), kinds[kind].key), 12);
  return data;
}

/* --- the rest --- */

static void add_loss(generator *m, json_t *config, const data_facts *f) {
  static const char *const quantities[] = {"mse", "mae", "huber", "sum_squared", NULL};
  if (chance(&m->d, 40)) return;
  const char *name = f->classes                     ? "cross_entropy"
                     : f->unit && chance(&m->d, 50) ? "bce"
                                                    : one_of(&m->d, quantities);
  json_object_set_new(config, "loss",
                      chance(&m->d, 15) ? value_of(m, property_of(m->schema, "loss"), "loss")
                                        : json_string(name));
}

static void add_train(generator *m, json_t *config) {
  json_t *train = json_object();
  if (chance(&m->d, 70))
    json_object_set_new(train, "steps", json_integer(between(&m->d, 1, 8)));
  else
    json_object_set_new(train, "epochs", json_integer(between(&m->d, 1, 3)));
  json_object_set_new(train, "batch_size", json_integer(between(&m->d, 1, 9)));
  if (chance(&m->d, 70)) {
    const json_t *schema = resolved(m, property_of(m->schema, "train"));
    const bool epochs = json_object_get(train, "epochs");
    add_some(m, train, schema, 15);
    json_object_del(train, epochs ? "steps" : "epochs");
  }
  json_object_set_new(config, "train", train);
}

/* The map or list that contains the index-th value of a tree, in depth-first order; *key or *place is the
 * value's position in it. */
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

static void break_something(generator *m, json_t *config) {
  const char *key = NULL;
  size_t place = 0;
  static const char *const sections[] = {"data", "model", "loss", "optimizer", "schedule", "train", NULL};
  json_t *section = json_object_get(config, one_of(&m->d, sections));
  int64_t index = between(&m->d, 0, 15);
  json_t *parent = chance(&m->d, 10) ? config : parent_of(section, &index, &key, &place);
  if (parent == config) key = one_of(&m->d, sections);
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

generated_config make_config(generator *m) {
  static const char *const sections[] = {"optimizer", "schedule"};
  generated_config result = {.config = json_object()};
  data_facts f = {0};
  const int64_t broken = chance(&m->d, 30) ? between(&m->d, 1, 3) : 0;
  m->wild = chance(&m->d, 60) ? 0 : (int)between(&m->d, 1, 20);
  json_object_set_new(result.config, "data", make_data(m, &f, &result));
  json_object_set_new(result.config, "model", make_model(m, &f));
  add_loss(m, result.config, &f);
  for (int i = 0; i < 2; i++)
    if (chance(&m->d, 60))
      json_object_set_new(result.config, sections[i],
                          value_of(m, property_of(m->schema, sections[i]), sections[i]));
  add_train(m, result.config);
  if (chance(&m->d, 30)) json_object_set_new(result.config, "seed", json_integer(between(&m->d, 0, 1000)));
  for (int64_t i = 0; i < broken; i++) break_something(m, result.config);
  return result;
}

/* --- overrides --- */

/* SECTION.KEY=VALUE for a random key of the schema. */
static void write_schema_override(generator *m, FILE *file) {
  static const char *const sections[] = {"train", "optimizer", "schedule", "data", NULL};
  const char *name = one_of(&m->d, sections), *key;
  const json_t *section = resolved(m, property_of(m->schema, name)),
               *branches = json_object_get(section, "anyOf");
  if (branches)
    section = json_array_get(branches, (size_t)between(&m->d, 0, (int64_t)json_array_size(branches) - 1));
  json_t *properties = json_object_get(section, "properties"), *property;
  int64_t index = between(&m->d, 0, (int64_t)json_object_size(properties) - 1);
  json_object_foreach(properties, key, property) {
    if (index--) continue;
    json_t *value = value_of(m, property, key);
    fprintf(file, "%s.%s=", name, key);
    write_yaml(file, value);
    json_decref(value);
  }
}

char *make_override(generator *m, const json_t *config) {
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
  /* The number of steps is no longer known to be small. */
  if (!strncmp(text, "train.steps=", 12) || !strncmp(text, "train.epochs=", 13)) m->huge = true;
  return text;
}
