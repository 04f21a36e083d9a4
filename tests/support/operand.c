#include "support/operand.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "support/fixture.h"
#include <math.h>

void operand_assign(gt_graph *graph, gt_id x, gt_id w, gt_id g, bool transposed) {
  fixture_assign(graph, "y", gt_relu(graph, gt_matmul(graph, x, w, false, transposed)));
  fixture_assign(graph, "d",
                 transposed ? gt_matmul(graph, g, x, true, false) : gt_matmul(graph, x, g, true, false));
}

static void check_forward(const operand_case *c) {
  for (uint32_t i = 0; i < c->rows; i++)
    for (uint32_t j = 0; j < c->units; j++) {
      double sum = 0, magnitudes = 0;
      for (uint32_t k = 0; k < c->in; k++) {
        const double w = (double)c->w[c->transposed ? j * c->in + k : k * c->units + j];
        const double term = c->x(c->context, (uint64_t)i * c->in + k) * w;
        sum += term, magnitudes += fabs(term);
      }
      const uint32_t index = i * c->units + j;
      c->check((double)c->y[index], isnan(sum) ? sum : fmax(sum, 0), magnitudes, c->in, "y", index);
    }
}

static void check_gradient(const operand_case *c) {
  for (uint32_t i = 0; i < c->in; i++)
    for (uint32_t j = 0; j < c->units; j++) {
      double sum = 0, magnitudes = 0;
      for (uint32_t k = 0; k < c->rows; k++) {
        const double term = c->x(c->context, (uint64_t)k * c->in + i) * (double)c->g[k * c->units + j];
        sum += term, magnitudes += fabs(term);
      }
      const uint32_t index = c->transposed ? j * c->in + i : i * c->units + j;
      c->check((double)c->d[index], sum, magnitudes, c->rows, "d", index);
    }
}

void operand_check(const operand_case *c) {
  check_forward(c);
  check_gradient(c);
}
