/* Differentiable logic gates (src/op/logic/logic.c): Petersen et al., "Deep Differentiable Logic Gate
 * Networks", NeurIPS 2022. A gate mixes the 16 functions of two bits by softmax(logits); gate k gives 1 on
 * inputs (1,1), (1,0), (0,1), (0,0) where its bit 0, 1, 2, 3 is set: 0 FALSE, 1 a∧b, 2 a∧¬b, 3 a, 4 ¬a∧b, 5
 * b, 6 a⊕b, 7 a∨b, 8 ¬(a∨b), 9 ¬(a⊕b), 10 ¬b, 11 a∨¬b, 12 ¬a, 13 ¬a∨b, 14 ¬(a∧b), 15 TRUE. Each is extended
 * to [0,1] bilinearly, so the mixture is c0 + c1 a + c2 b + c3 ab: four coefficients a gate, computed once a
 * step. */
#ifndef GT_OP_LOGIC_H
#define GT_OP_LOGIC_H
#include "graph/graph.h"
#include "shaders/op/logic/logic_run.h"

/* logits [..., 16] to coefficients [..., 4]; hard: of the gate with the first largest logit, exact, no
 * gradient. */
gt_id gt_logic_coefficients(gt_graph *graph, gt_id logits, bool hard);

/* y F32 [G, B] from x F32 or F16 [n, B], coefficients [G, 4] and wiring I32 [2, G] (inputs a, then inputs b),
 * all in [0, n). readers: gt_logic_walk's words as I32 [runs, GT_LOGIC_WALK_WORDS] where there is a walk,
 * else gt_logic_inverse's as I32 [gt_logic_inverse_count]; GT_NONE where no gradient of x is wanted. */
gt_id gt_logic(gt_graph *graph, gt_id x, gt_id coefficients, gt_id wiring, gt_id readers);
/* x in 16 bits, if it is the value of gates and the batch a multiple of four; else x itself. Its gradient
 * then has 16 bits, too (BF16), so nothing but one logic layer may read the result. */
gt_id gt_logic_half(gt_graph *graph, gt_id x);
/* gt_group_sum of x (op/group_sum.h), in the same kernel as the gates if x is their value and there is a
 * walk. */
gt_id gt_logic_group_sum(gt_graph *graph, gt_id x, int64_t groups, double scale);
static inline int64_t gt_logic_inverse_count(int64_t inputs, int64_t gates) { return inputs + 1 + 4 * gates; }
/* For each input the gates that read it, ascending: shaders/op/logic/logic.h. */
void gt_logic_inverse(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out);

/* Where each input is read exactly twice, the gates in an order in which neighbours share an input
 * (op/logic/logic_walk.h). Runs of that walk; 0 if there is none, or if too many of its runs would be short.
 */
int64_t gt_logic_walk_runs(const int32_t *wiring, int64_t inputs, int64_t gates);
/* out [runs, GT_LOGIC_WALK_WORDS]: shaders/op/logic/logic_walk.h. */
void gt_logic_walk(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out);
/* Runs that all but very few random wirings of so many gates have room in, so that another draw fits; and
 * runs without gates, from `runs` to there. */
int64_t gt_logic_walk_room(int64_t gates);
void gt_logic_walk_fill(int64_t runs, int64_t room, int32_t *out);
#endif
