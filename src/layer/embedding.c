/* embedding: maps each integer to a row of a learned table, stored and initialized as in torch.nn.Embedding.
 * The row `padding_idx` starts as zeros and gets no gradient. */
#include "layer/review.h"
#include "op/gather.h"
#include <string.h>

typedef struct embedding_config {
  int64_t num_embeddings, embedding_dim, padding_idx;
  const gt_spec *init;
} embedding_config;

static const gt_field fields[] = {
    GT_ROW(
        embedding_config, num_embeddings, GT_FIELD_INT, .min = 1, .max = INT32_MAX,
        .help =
            "size of the table: largest index + 1 (default: for tokens of a text, the size of the vocabulary)"),
    GT_ROW(embedding_config, embedding_dim, GT_FIELD_INT, .min = 1, .max = 1 << 24,
           .help = "size of each embedding vector", .flags = GT_FIELD_REQUIRED),
    GT_ROW(embedding_config, padding_idx, GT_FIELD_INT, .min = -(double)INT32_MAX, .max = INT32_MAX,
           .help = "index whose vector is zero at the start and gets no gradient; negative counts "
                   "from the end (default: none)"),
    GT_ROW(embedding_config, init, GT_FIELD_NODE, .definition = "init",
           .help = "initial weight (default: standard normal, as in PyTorch)"),
    {.name = NULL},
};

typedef struct padded { /* values of another initializer, with zeros in one row */
  const gt_init *init;
  int64_t row;
} padded;

static void fill_padded(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const padded *c = config;
  const size_t width = (size_t)shape.dim[1];
  c->init->type->fill(c->init->config, shape, stream, out);
  memset(out + (size_t)c->row * width, 0, width * sizeof *out);
}

static const gt_init *initial_weight(gt_build *build, const embedding_config *c, int64_t padding) {
  static const gt_init_type type = {.name = "padded", .fill = fill_padded};
  const gt_init *init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                : gt_init_normal_of(build->arena, 0, 1);
  if (!init || padding < 0) return init;
  const padded config = {init, padding};
  return gt_init_create(build->arena, &type, &config, sizeof config);
}

/* Reports an error at `key` with the expected value. */
static bool refuse(gt_build *build, gt_status status, const char *key, const char *text,
                   const char *expected) {
  gt_diagnostic *d =
      gt_error_at(build->diagnostics, gt_build_position(build, key), "layer '%s' %s", build->name, text);
  d->expected = expected;
  d->status = status;
  build->errors++;
  return false;
}

/* True if all values of the input can be rows of the table. */
static bool check_input(gt_build *build, const embedding_config *c, const gt_id *input) {
  const gt_node *x = gt_node_at(build->graph, input[0]);
  const int64_t limit = build->input_limit ? build->input_limit[0] : 0;
  if (x->dtype != GT_I32)
    return refuse(build, GT_ERR_CONFIG, NULL,
                  gt_arena_printf(build->arena, "needs integers, but %s holds floats",
                                  gt_build_input_text(build, input, 0)),
                  "an input that the data declares as integers (data: {integers: [NAME]})");
  if (!c->num_embeddings)
    return refuse(build, GT_ERR_CONFIG, NULL, "needs 'num_embeddings', the number of indices",
                  limit ? gt_arena_printf(build->arena,
                                          "num_embeddings: %lld or more; '%s' holds values up to %lld",
                                          (long long)limit, build->input_name[0], (long long)(limit - 1))
                        : "num_embeddings: N");
  if (limit > c->num_embeddings)
    return refuse(build, GT_ERR_DATA, "num_embeddings",
                  gt_arena_printf(build->arena, "has %lld rows, but '%s' holds values up to %lld",
                                  (long long)c->num_embeddings, build->input_name[0], (long long)(limit - 1)),
                  gt_arena_printf(build->arena, "num_embeddings: %lld or more", (long long)limit));
  return true;
}

/* The padding row, -1 if there is none; false (reported) if the table has no such row. */
static bool find_padding(gt_build *build, const embedding_config *c, int64_t *row) {
  const bool is_set = build->spec && gt_spec_find(build->spec, "padding_idx");
  *row = !is_set ? -1 : c->padding_idx < 0 ? c->padding_idx + c->num_embeddings : c->padding_idx;
  if (!is_set || (*row >= 0 && *row < c->num_embeddings)) return true;
  return gt_build_fail(build, "padding_idx", "has no row %lld: its rows are 0 to %lld",
                       (long long)c->padding_idx, (long long)c->num_embeddings - 1);
}

/* Warns if the padding row is that of a token that occurs in texts. */
static void review_padding(gt_build *build, int64_t padding) {
  const gt_review *review = build->review;
  const char *token =
      review && build->vocabulary && padding >= 0 ? review->token(review, padding, build->arena) : NULL;
  if (token)
    gt_review_add_finding(build, GT_FINDING_padding_is_token, "padding_idx", "keeps the vector of %s at zero",
                          token)
        ->help = "no padding_idx: only the vocabulary 'word' has a padding token, 0";
}

static gt_id build_embedding(gt_build *build, const void *config, const gt_id *input) {
  embedding_config c = *(const embedding_config *)config;
  int64_t padding;
  if (!c.num_embeddings) c.num_embeddings = build->vocabulary;
  if (!check_input(build, &c, input) || !find_padding(build, &c, &padding)) return GT_NONE;
  review_padding(build, padding);
  const gt_shape shape = gt_shape_2(c.num_embeddings, c.embedding_dim);
  const gt_id weight = gt_build_parameter(build, "weight", shape, initial_weight(build, &c, padding));
  return gt_gather(build->graph, weight, input[0], padding);
}

static const gt_slot_axes axes[] = {{"weight", .output = 2, .input = 1}, {NULL}};

GT_DEFINE(layer, embedding) = {
    .name = "embedding",
    .help = "learned table that maps each index to a vector",
    .schema = GT_SCHEMA("embedding", "learned vectors for indices", fields, "embedding_dim"),
    .config_size = sizeof(embedding_config),
    .family = GT_LAYER_DENSE,
    .integers = true,
    .axes = axes,
    .refit = gt_refit_overlap,
    .build = build_embedding};
