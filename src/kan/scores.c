#include "kan/scores.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int width_of(const gt_kan_network *network, int index) {
  return index < network->layers ? network->layer[index].inputs : gt_kan_network_outputs(network);
}

static size_t edge_of(const gt_kan_layer *l, int i, int o) {
  return (size_t)i * (size_t)l->outputs + (size_t)o;
}

void gt_kan_scores_find(gt_kan_scores *scores, const gt_kan_network *network, const gt_kan_trace *trace) {
  const int layers = network->layers;
  *scores = (gt_kan_scores){0};
  gt_arena *arena = &scores->arena;
  scores->node = GT_NEW_N(arena, double *, layers + 1);
  scores->edge = GT_NEW_N(arena, double *, layers);
  for (int n = 0; n <= layers; n++) scores->node[n] = GT_NEW_N(arena, double, width_of(network, n));
  for (int o = 0; o < width_of(network, layers); o++) scores->node[layers][o] = 1;
  for (int index = layers; index-- > 0;) {
    const gt_kan_layer *l = &network->layer[index];
    scores->edge[index] = GT_NEW_N(arena, double, l->inputs * l->outputs);
    for (int i = 0; i < l->inputs; i++)
      for (int o = 0; o < l->outputs; o++) {
        const size_t e = edge_of(l, i, o);
        const double spread = trace->spread[index + 1][o];
        const double share = l->edge[e] && spread > 0 ? trace->deviation[index][e] / spread : 0;
        scores->edge[index][e] = share * scores->node[index + 1][o];
        scores->node[index][i] += scores->edge[index][e];
      }
  }
}

void gt_kan_scores_finish(gt_kan_scores *scores) {
  gt_arena_finish(&scores->arena);
  *scores = (gt_kan_scores){0};
}

/* --- pruning --- */

/* Returns the lesser of the scores of the strongest edge into hidden node k (an output of layer index - 1)
 * and the strongest edge out of it. */
static double strength(const gt_kan_network *network, const gt_kan_scores *scores, int index, int k) {
  const gt_kan_layer *below = &network->layer[index - 1], *above = &network->layer[index];
  double in = 0, out = 0;
  for (int i = 0; i < below->inputs; i++) in = fmax(in, scores->edge[index - 1][edge_of(below, i, k)]);
  for (int o = 0; o < above->outputs; o++) out = fmax(out, scores->edge[index][edge_of(above, k, o)]);
  return fmin(in, out);
}

/* The number of nodes that are stronger than node k; of nodes with equal strength, the first is stronger. */
static int rank_of(const double *strengths, int width, int k) {
  int stronger = 0;
  for (int i = 0; i < width; i++)
    stronger += strengths[i] > strengths[k] || (i < k && strengths[i] == strengths[k]);
  return stronger;
}

static void choose_nodes(gt_kan_kept *kept, const gt_kan_network *network, const gt_kan_scores *scores,
                         gt_kan_limits limits) {
  for (int index = 0; index <= network->layers; index++) {
    const int width = width_of(network, index);
    const bool hidden = index > 0 && index < network->layers;
    double *strengths = gt_alloc((size_t)width * sizeof *strengths);
    for (int k = 0; hidden && k < width; k++) strengths[k] = strength(network, scores, index, k);
    for (int k = 0; k < width; k++) {
      const int rank = hidden ? rank_of(strengths, width, k) : 0;
      kept->node[index][k] = !rank || (strengths[k] > limits.node && (!limits.most || rank < limits.most));
    }
    free(strengths);
  }
}

typedef struct layer_edges { /* the edges of one layer, of which some are kept */
  gt_kan_kept *kept;
  const gt_kan_layer *layer;
  const double *score;
  int index;
} layer_edges;

/* True if the edge exists and both its nodes are kept. */
static bool can_keep(const layer_edges *c, size_t edge) {
  const size_t outputs = (size_t)c->layer->outputs;
  return c->layer->edge[edge] && c->kept->node[c->index][edge / outputs] &&
         c->kept->node[c->index + 1][edge % outputs];
}

/* Keeps the best of `count` edges: first, first + step, first + 2 step, … */
static void keep_best(const layer_edges *c, size_t first, size_t step, int count) {
  size_t best = SIZE_MAX;
  for (int k = 0; k < count; k++) {
    const size_t e = first + (size_t)k * step;
    if (can_keep(c, e) && (best == SIZE_MAX || c->score[e] > c->score[best])) best = e;
  }
  if (best != SIZE_MAX) c->kept->edge[c->index][best] = true;
}

static void choose_edges(gt_kan_kept *kept, const gt_kan_network *network, const gt_kan_scores *scores,
                         double limit) {
  for (int index = 0; index < network->layers; index++) {
    const gt_kan_layer *l = &network->layer[index];
    const layer_edges c = {kept, l, scores->edge[index], index};
    const size_t outputs = (size_t)l->outputs;
    for (size_t e = 0; e < (size_t)l->inputs * outputs; e++)
      kept->edge[index][e] = can_keep(&c, e) && c.score[e] > limit;
    for (int o = 0; o < l->outputs; o++) keep_best(&c, (size_t)o, outputs, l->inputs);
    for (int i = 0; i < l->inputs; i++)
      if (scores->node[index][i] > limit) keep_best(&c, (size_t)i * outputs, 1, l->outputs);
  }
}

static bool has_outgoing_edge(const gt_kan_kept *kept, const gt_kan_layer *above, int index, int k) {
  for (int o = 0; o < above->outputs; o++)
    if (kept->edge[index][edge_of(above, k, o)]) return true;
  return false;
}

/* Goes from the outputs to the inputs and removes each node without outgoing edges, and its incoming edges.
 * The best edge of each output is kept, so that each layer keeps a node. */
static void drop_loose_ends(gt_kan_kept *kept, const gt_kan_network *network) {
  for (int index = network->layers - 1; index > 0; index--) {
    const gt_kan_layer *above = &network->layer[index], *below = &network->layer[index - 1];
    for (int k = 0; k < above->inputs; k++) {
      if (kept->node[index][k]) kept->node[index][k] = has_outgoing_edge(kept, above, index, k);
      for (int i = 0; !kept->node[index][k] && i < below->inputs; i++)
        kept->edge[index - 1][edge_of(below, i, k)] = false;
    }
  }
}

void gt_kan_choose_kept(gt_kan_kept *kept, const gt_kan_network *network, const gt_kan_scores *scores,
                        gt_kan_limits limits) {
  const int layers = network->layers;
  *kept = (gt_kan_kept){0};
  gt_arena *arena = &kept->arena;
  kept->node = GT_NEW_N(arena, bool *, layers + 1);
  kept->edge = GT_NEW_N(arena, bool *, layers);
  for (int n = 0; n <= layers; n++) kept->node[n] = GT_NEW_N(arena, bool, width_of(network, n));
  for (int n = 0; n < layers; n++)
    kept->edge[n] = GT_NEW_N(arena, bool, network->layer[n].inputs * network->layer[n].outputs);
  choose_nodes(kept, network, scores, limits);
  choose_edges(kept, network, scores, limits.edge);
  drop_loose_ends(kept, network);
}

void gt_kan_kept_finish(gt_kan_kept *kept) {
  gt_arena_finish(&kept->arena);
  *kept = (gt_kan_kept){0};
}

static int count(const bool *items, size_t n) {
  int found = 0;
  for (size_t i = 0; i < n; i++) found += items[i];
  return found;
}

int gt_kan_kept_nodes(const gt_kan_kept *kept, const gt_kan_network *network, int layer) {
  return count(kept->node[layer + 1], (size_t)network->layer[layer].outputs);
}
int gt_kan_kept_edges(const gt_kan_kept *kept, const gt_kan_network *network, int layer) {
  const gt_kan_layer *l = &network->layer[layer];
  return count(kept->edge[layer], (size_t)l->inputs * (size_t)l->outputs);
}
