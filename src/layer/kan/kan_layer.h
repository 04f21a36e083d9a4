/* Shared by the KAN layers: their settings, and the layer over the last axis. */
#ifndef GT_LAYER_KAN_LAYER_H
#define GT_LAYER_KAN_LAYER_H
#include "layer/layer.h"
#include "op/kan/kan.h"

typedef struct gt_kan_grid_update {
  int64_t every, until;
  double blend;
} gt_kan_grid_update;

typedef struct gt_kan_config {
  int64_t units, grid, degree;
  const char *basis, *base, *input_norm, *edge_size;
  gt_floats range;
  double width, alpha, beta, noise, scale_base, scale_spline, l1, entropy, smoothness;
  bool spline_scale, bias, mask, learn_centres, learn_widths, learn_frequencies;
  gt_kan_grid_update grid_update;
  const gt_spec *symbolic, *init;
} gt_kan_config;

/* Schema rows for layers whose settings begin with a gt_kan_config, without `units`. */
enum { GT_KAN_MAX_GRID = 4096, GT_KAN_MAX_DEGREE = 64, GT_KAN_MAX_UNITS = 1 << 24 };
extern const char *const gt_kan_bases[], *const gt_kan_base_names[], *const gt_kan_norm_names[],
                                                                         *const gt_kan_edge_sizes[];
extern const gt_schema gt_kan_grid_update_schema;
#define GT_KAN_ROW(...) GT_ROW(gt_kan_config, __VA_ARGS__)
#define GT_KAN_ROWS                                                                                          \
  GT_KAN_ROW(basis, GT_FIELD_CHOICE, .fallback = "bspline", .choices = gt_kan_bases,                         \
             .help = "basis functions"),                                                                     \
      GT_KAN_ROW(grid, GT_FIELD_INT, .min = 1, .max = GT_KAN_MAX_GRID,                                       \
                 .help = "size of the grid: intervals (bspline, piecewise_linear; default: 5), centers "     \
                         "(rbf, rswaf, sinc, wavelet; default: 8) or frequencies (fourier; default: 5)"),    \
      GT_KAN_ROW(degree, GT_FIELD_INT, .min = 0, .max = GT_KAN_MAX_DEGREE,                                   \
                 .help = "degree of the splines (default: 3, at most 9), or highest degree of the "          \
                         "polynomials (default: 4)"),                                                        \
      GT_KAN_ROW(range, GT_FIELD_FLOATS,                                                                     \
                 .help = "range of the grid [min, max] (default: [-1, 1]; [-2, 2] for rbf, rswaf, sinc and " \
                         "wavelet)"),                                                                        \
      GT_KAN_ROW(                                                                                            \
          width, GT_FIELD_FLOAT, .min = 0, .max = 1e6, .flags = GT_FIELD_OPEN_MIN,                           \
          .help =                                                                                            \
              "width of the functions of rbf, rswaf and wavelet (default: the distance between centers)"),   \
      GT_KAN_ROW(alpha, GT_FIELD_FLOAT, .min = -1, .max = 100, .flags = GT_FIELD_OPEN_MIN,                   \
                 .help = "parameter alpha of the Jacobi polynomials (default: 1)"),                          \
      GT_KAN_ROW(beta, GT_FIELD_FLOAT, .min = -1, .max = 100, .flags = GT_FIELD_OPEN_MIN,                    \
                 .help = "parameter beta of the Jacobi polynomials (default: 1)"),                           \
      GT_KAN_ROW(input_norm, GT_FIELD_CHOICE, .choices = gt_kan_norm_names,                                  \
                 .help = "normalization of the inputs (default: tanh for chebyshev, legendre, hermite and "  \
                         "jacobi; layer_norm for rbf and rswaf; else none)"),                                \
      GT_KAN_ROW(base, GT_FIELD_CHOICE, .choices = gt_kan_base_names,                                        \
                 .help =                                                                                     \
                     "activation of the linear branch added to the functions (default: silu for bspline "    \
                     "and rbf, else none)"),                                                                 \
      GT_KAN_ROW(bias, GT_FIELD_BOOL, .help = "add a learned bias (default: true for rbf and fourier)"),     \
      GT_KAN_ROW(spline_scale, GT_FIELD_BOOL,                                                                \
                 .help = "also learn a scale for the function of each pair of input and output (default: "   \
                         "true for bspline)"),                                                               \
      GT_KAN_ROW(                                                                                            \
          noise, GT_FIELD_FLOAT, .min = 0, .max = 1e6,                                                       \
          .help =                                                                                            \
              "for bspline: amplitude of the random initial functions, divided by `grid` (default: 0.1)"),   \
      GT_KAN_ROW(scale_spline, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e6,                        \
                 .help = "factor on the initial coefficients or, with `spline_scale`, on its initial "       \
                         "standard deviation"),                                                              \
      GT_KAN_ROW(scale_base, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e6,                          \
                 .help = "initial weights of the linear branch are uniform in ±sqrt(6 / ((1 + 5 "           \
                         "scale_base^2) inputs))"),                                                          \
      GT_KAN_ROW(learn_centres, GT_FIELD_BOOL,                                                               \
                 .help = "for rbf, rswaf, wavelet and sinc: learn the centers, per input (default: false)"), \
      GT_KAN_ROW(learn_widths, GT_FIELD_BOOL,                                                                \
                 .help = "for rbf, rswaf, wavelet and sinc: learn the widths, per input (default: false)"),  \
      GT_KAN_ROW(learn_frequencies, GT_FIELD_BOOL,                                                           \
                 .help = "for fourier: learn the frequencies, per input (default: false)"),                  \
      GT_KAN_ROW(grid_update, GT_FIELD_MAP, .sub = &gt_kan_grid_update_schema,                               \
                 .help = "for bspline: move the knots to follow the distribution of each input (default: "   \
                         "fixed knots)"),                                                                    \
      GT_KAN_ROW(l1, GT_FIELD_FLOAT, .min = 0, .max = 1e6,                                                   \
                 .help = "L1 regularization: weight of the sum of all edge sizes in the loss (default: 0)"), \
      GT_KAN_ROW(entropy, GT_FIELD_FLOAT, .min = 0, .max = 1e6,                                              \
                 .help =                                                                                     \
                     "entropy regularization: weight of the entropy of the normalized edge sizes in the "    \
                     "loss (default: 0)"),                                                                   \
      GT_KAN_ROW(edge_size, GT_FIELD_CHOICE, .choices = gt_kan_edge_sizes,                                   \
                 .help = "edge size that l1 and entropy use: mean absolute activation over the batch, or "   \
                         "mean absolute coefficient, as in efficient-kan (default: activation)"),            \
      GT_KAN_ROW(smoothness, GT_FIELD_FLOAT, .min = 0, .max = 1e6,                                           \
                 .help = "smoothness regularization: weight of the mean difference of neighboring "          \
                         "coefficients, summed over all edges, in the loss (default: 0)"),                   \
      GT_KAN_ROW(mask, GT_FIELD_BOOL,                                                                        \
                 .help = "keep a mask of edges, 1 or 0, that pruning sets (default: false)"),                \
      GT_KAN_ROW(symbolic, GT_FIELD_NODE, .definition = "plain",                                             \
                 .help = "edges to replace by functions c f(a x + b) + d with learned constants: list of "   \
                         "[input, output, function], such as [[0, 0, sin]] (default: none)"),                \
      GT_KAN_ROW(init, GT_FIELD_NODE, .definition = "init",                                                  \
                 .help = "initial coefficients (default: as in the publication of the basis)")

typedef struct gt_kan_basis_info { /* the settings that a basis has, and its defaults */
  unsigned uses;                   /* bits USES_… (kan_read.c) */
  uint32_t grid, degree;
  double high; /* the default range is [-high, high] */
  const char *norm, *base;
  bool has_bias, has_scale; /* has_scale: the parameter spline_scale */
} gt_kan_basis_info;

typedef struct gt_kan_choice { /* the settings of a layer, with defaults filled in */
  const gt_kan_config *config;
  uint32_t basis, grid, degree;
  double low, high, alpha, beta, noise;
  const gt_kan_basis_info *info;
  const char *norm, *base;
  bool has_bias, has_scale;           /* has_scale: the layer has the parameter spline_scale */
  bool adapts;                        /* the grid is updated in training */
  bool learns_centres, learns_widths; /* learns_widths: widths or frequencies */
} gt_kan_choice;

bool gt_kan_uses_range(const gt_kan_choice *choice); /* true if the basis is defined on [low, high] */
/* Fills in the choice; false after reporting. */
bool gt_kan_read(gt_build *build, const gt_kan_config *config, gt_kan_choice *choice);
/* The layer over the last axis of x; GT_NONE after reporting. */
gt_id gt_kan_apply(gt_build *build, const gt_kan_choice *choice, gt_id x);

/* --- parts of the layer --------------------------------------------------------------------------------- */

/* The edges of a layer: the values that they read, their coefficients and the factors on these. */
typedef struct gt_kan_edges {
  const gt_kan_attribute *attribute;
  int64_t inputs, units;
  gt_id x;            /* input of the functions: [rows, inputs], then the rows of gt_kan_positions, if any */
  gt_id coefficients; /* [blocks, functions, inputs of a block, outputs] */
  gt_id scales;       /* factors on the coefficients (op/kan/kan.h), or GT_NONE */
  /* For a separate base branch: the activated inputs, and their weights [inputs, outputs]; else GT_NONE. */
  gt_id active, base_weight;
} gt_kan_edges;
/* Adds the penalties in the settings (Liu et al., 2024, equations 2.17 to 2.20). */
void gt_kan_penalize(gt_build *build, const gt_kan_config *config, const gt_kan_edges *edges);

/* If each input has its own positions of functions (knots, centers, …): these, as rows to append to x; else
 * GT_NONE. */
gt_id gt_kan_positions(gt_build *build, const gt_kan_choice *choice, const gt_kan_attribute *attribute,
                       int64_t inputs);
/* Registers the grid update, which moves the knots to the distribution of x. */
void gt_kan_adapt_grid(gt_build *build, const gt_kan_choice *choice, const gt_kan_attribute *attribute,
                       gt_id x);
#endif
