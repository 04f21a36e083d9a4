/* Groups of outputs that share nodes. Each group is searched separately: this takes a fraction of the time,
 * and the noise of other outputs does not affect its formula. */
#include "base/count.h"
#include "base/memory.h"
#include "kan/symbolic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORK = 1500000 /* samples times outputs times edges */, MIN_SAMPLES = 200 };

/* --- union-find: the nodes of a group are a tree, whose root identifies the group --- */

typedef struct forest {
  const gt_symbolic *s;
  int *first_node; /* [layers + 2]: index of a layer's first node; number of nodes */
  int *parent;     /* [nodes] */
} forest;

static int root_of(const forest *f, int node) {
  while (f->parent[node] != node) node = f->parent[node];
  return node;
}

/* Inputs belong to all groups and do not join groups. */
static forest build_forest(const gt_symbolic *s, gt_arena *arena) {
  forest f = {s, GT_NEW_N(arena, int, s->layers + 2), NULL};
  for (int l = 0; l <= s->layers; l++) f.first_node[l + 1] = f.first_node[l] + s->width[l];
  f.parent = GT_NEW_N(arena, int, f.first_node[s->layers + 1]);
  for (int n = 0; n < f.first_node[s->layers + 1]; n++) f.parent[n] = n;
  for (int e = 0; e < s->edges; e++) {
    const gt_symbolic_edge *g = &s->edge[e];
    const int from = root_of(&f, f.first_node[g->layer] + g->from),
              to = root_of(&f, f.first_node[g->layer + 1] + g->to);
    if (g->layer) f.parent[from] = to;
  }
  return f;
}

/* --- a group --- */

/* Returns the factor of an output's errors, which are measured in units of its standard deviation. */
static double weight_of(const gt_symbolic_data *data, int output) {
  double mean = 0, squares = 0, largest = 0;
  for (int64_t k = 0; k < data->samples; k++)
    mean += data->y[k * data->outputs + output] / (double)data->samples;
  for (int64_t k = 0; k < data->samples; k++) {
    const double y = data->y[k * data->outputs + output];
    squares += (y - mean) * (y - mean);
    largest = fmax(largest, fabs(y));
  }
  const double deviation = sqrt(squares / (double)data->samples);
  return deviation > 1e-12 * largest ? 1 / deviation : largest > 0 ? 1 / largest : 1;
}

/* Returns the data of a group; only every n-th sample if all would take too long. */
static gt_symbolic_data data_of(const gt_symbolic_group *group, const gt_symbolic_data *all,
                                gt_arena *arena) {
  const bool *has = group->node[group->part.layers];
  gt_symbolic_data data = *all;
  int *output = GT_NEW_N(arena, int, all->outputs);
  double *weight = GT_NEW_N(arena, double, all->outputs);
  data.outputs = 0;
  for (int o = 0; o < all->outputs; o++)
    if (has[o]) output[data.outputs++] = o;
  const int64_t work = all->samples * data.outputs * group->part.edges,
                stride =
                    gt_min_i64(gt_ceil_div(work, MAX_WORK) + !work, gt_ceil_div(all->samples, MIN_SAMPLES));
  data.samples = gt_ceil_div(all->samples, stride);
  double *x = gt_arena_alloc_n(arena, (size_t)(data.samples * data.inputs) + 1, sizeof *x),
         *y = gt_arena_alloc_n(arena, (size_t)(data.samples * data.outputs) + 1, sizeof *y);
  for (int i = 0; i < data.outputs; i++) weight[i] = weight_of(all, output[i]);
  for (int64_t k = 0; k < data.samples; k++) {
    memcpy(x + k * data.inputs, all->x + k * stride * data.inputs, (size_t)data.inputs * sizeof *x);
    for (int i = 0; i < data.outputs; i++)
      y[k * data.outputs + i] = all->y[k * stride * all->outputs + output[i]];
  }
  data.x = x;
  data.y = y;
  data.output = output;
  data.weight = data.outputs > 1 ? weight : NULL;
  gt_symbolic_measure(&data);
  return data;
}

/* Copies the part of a group. Constants of other groups' nodes become fixed. */
static void copy_part(gt_symbolic_group *group, const forest *f, const gt_symbolic_data *data, int root) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_symbolic *part = &group->part;
  *part = gt_symbolic_copy(&arena, f->s);
  group->node = GT_NEW_N(&arena, bool *, part->layers + 1);
  for (int l = 1; l <= part->layers; l++) {
    group->node[l] = GT_NEW_N(&arena, bool, part->width[l]);
    for (int n = 0; n < part->width[l]; n++) {
      group->node[l][n] = root_of(f, f->first_node[l] + n) == root;
      part->bias_fixed[l][n] |= !group->node[l][n];
    }
  }
  part->edges = 0;
  for (int e = 0; e < f->s->edges; e++)
    if (group->node[f->s->edge[e].layer + 1][f->s->edge[e].to]) part->edge[part->edges++] = f->s->edge[e];
  group->data = data_of(group, data, &arena);
  part->arena = arena;
}

int gt_symbolic_split(const gt_symbolic *s, const gt_symbolic_data *data, gt_symbolic_group **list) {
  gt_arena arena;
  int count = 0;
  gt_arena_init(&arena);
  const forest f = build_forest(s, &arena);
  *list = gt_alloc(((size_t)data->outputs + 1) * sizeof **list);
  bool *done = GT_NEW_N(&arena, bool, f.first_node[s->layers + 1]);
  for (int o = 0; o < data->outputs; o++) {
    const int root = root_of(&f, f.first_node[s->layers] + o);
    if (!done[root]) copy_part(&(*list)[count++], &f, data, root);
    done[root] = true;
  }
  gt_arena_finish(&arena);
  return count;
}

void gt_symbolic_join(gt_symbolic *s, gt_symbolic_group *list, int count) {
  s->edges = 0;
  for (int l = 0; l <= s->layers; l++)
    for (int i = 0; i < count; i++) {
      const gt_symbolic *part = &list[i].part;
      for (int e = 0; e < part->edges; e++)
        if (part->edge[e].layer == l) s->edge[s->edges++] = part->edge[e];
      for (int n = 0; l && n < s->width[l]; n++)
        if (list[i].node[l][n]) {
          s->bias[l][n] = part->bias[l][n];
          s->bias_fixed[l][n] = part->bias_fixed[l][n];
        }
    }
  for (int i = 0; i < count; i++) {
    s->rounded_bits += list[i].part.rounded_bits;
    gt_symbolic_finish(&list[i].part);
  }
  free(list);
}
