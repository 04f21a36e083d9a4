/* Differentiable logic gates (src/op/logic/logic.c): Petersen et al., "Deep Differentiable Logic Gate
 * Networks", NeurIPS 2022. A gate mixes the 16 functions of two bits by softmax(logits); function k is 1 on
 * inputs (1,1), (1,0), (0,1), (0,0) if bit 0, 1, 2, 3 of k is set: 0 FALSE, 1 a∧b, 2 a∧¬b, 3 a, 4 ¬a∧b, 5
 * b, 6 a⊕b, 7 a∨b, 8 ¬(a∨b), 9 ¬(a⊕b), 10 ¬b, 11 a∨¬b, 12 ¬a, 13 ¬a∨b, 14 ¬(a∧b), 15 TRUE. Each is extended
 * to [0,1] bilinearly, so the mixture is c0 + c1 a + c2 b + c3 ab: four coefficients per gate, computed once
 * per step. */
#ifndef GT_OP_LOGIC_H
#define GT_OP_LOGIC_H
#include "graph/graph.h"
#include "shaders/op/logic/logic_run.h"

/* logits [..., 16] to coefficients [..., 4]; hard: the exact coefficients of the function with the largest
 * logit (the first of equal ones), without gradient. */
gt_id gt_logic_coefficients(gt_graph *graph, gt_id logits, bool hard);

/* y F32 [G, B] from x F32 or F16 [n, B], coefficients [G, 4] and wiring I32 [2, G] (inputs a, then inputs b),
 * all in [0, n). readers: the result of gt_logic_walk as I32 [runs, GT_LOGIC_WALK_WORDS] if there is a walk,
 * else that of gt_logic_inverse as I32 [gt_logic_inverse_count]; GT_NONE if no gradient of x is needed. */
gt_id gt_logic(gt_graph *graph, gt_id x, gt_id coefficients, gt_id wiring, gt_id readers);
/* x as F16, if it is the value of a layer of gates and the batch is a multiple of four; else x itself. The
 * gradient of the result is BF16 and such gradients are not added, so only one logic layer may read it. */
gt_id gt_logic_half(gt_graph *graph, gt_id x);
/* gt_group_sum of x (op/group_sum.h), fused with the gates if x is their value and there is a walk. */
gt_id gt_logic_group_sum(gt_graph *graph, gt_id x, int64_t groups, double scale);
static inline int64_t gt_logic_inverse_count(int64_t inputs, int64_t gates) { return inputs + 1 + 4 * gates; }
/* Writes, for each input, the gates that read it, in ascending order: shaders/op/logic/logic.h. */
void gt_logic_inverse(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out);

/* If each input is read exactly twice, there is a walk: an order of the gates in which consecutive gates
 * share an input (op/logic/logic_walk.h), divided into runs of up to GT_LOGIC_RUN gates. Returns the number
 * of runs; 0 if there is no walk, or if too many runs would be short. */
int64_t gt_logic_walk_runs(const int32_t *wiring, int64_t inputs, int64_t gates);
/* Writes the walk, out [runs, GT_LOGIC_WALK_WORDS]: shaders/op/logic/logic_walk.h. */
void gt_logic_walk(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out);
/* A number of runs that is enough for nearly all random wirings of `gates` gates, so that the tensor also
 * fits another random wiring. gt_logic_walk_fill writes empty runs `runs` … capacity - 1. */
int64_t gt_logic_walk_capacity(int64_t gates);
void gt_logic_walk_fill(int64_t runs, int64_t capacity, int32_t *out);
#endif
