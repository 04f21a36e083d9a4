/* Row programs: the kernel of rows.h on the CPU, and how a group becomes a step. */
#include "op/rows.h"
#include "base/count.h"
#include "op/reduce_cpu.h"
#include "shaders/op/reduce.h"
#include "shaders/op/rows.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

enum { BUFFER = 1024, TILE_ELEMENTS = 4096, LANES = GT_REDUCE_LANES, MOST_LANES = 256, LEAST_LANES = 64 };
enum { MOST = GT_PROGRAM_REDUCTIONS, MOST_ROWS = BUFFER / 2 };

static bool is_reduction(uint32_t opcode) { return opcode >= GT_I_ROW_SUM && opcode <= GT_I_ROW_MIN; }

/* --- the CPU kernel ------------------------------------------------------------------------------------- */

/* A part of the program, in which reductions are inputs. */
typedef struct part {
  gt_program program;
  gt_program_context context;
  uint32_t number[GT_PROGRAM_OUTPUTS]; /* of each output: which reduction or output of the whole */
} part;

typedef struct job {
  const struct gt_rows_args *args;
  const uint32_t *spec;
  gt_program whole;
  uint32_t first, rows; /* that are worked on now */
  float known[MOST][MOST_ROWS];
} job;

/* Leaves out the instructions that no output needs, and the inputs that nobody reads. */
static void keep_needed(gt_program *p) {
  bool needed[GT_OPERAND_RESULT + GT_PROGRAM_CODE] = {false};
  uint32_t renamed[GT_OPERAND_RESULT + GT_PROGRAM_CODE], kept = 0;
  for (uint32_t k = 0; k < GT_OPERAND_RESULT; k++) renamed[k] = k;
  for (uint32_t k = 0; k < p->outputs; k++) needed[p->output[k]] = true;
  for (uint32_t i = p->instructions; i-- > 0;)
    for (int shift = 8; shift < 32 && needed[GT_OPERAND_RESULT + i]; shift += 8)
      needed[p->code[i] >> shift & 63] = true;
  for (uint32_t i = 0; i < p->instructions; i++) {
    if (!needed[GT_OPERAND_RESULT + i]) continue;
    const uint32_t c = p->code[i];
    p->code[kept] = GT_CODE(c & 255, renamed[c >> 8 & 63], renamed[c >> 16 & 63], renamed[c >> 24 & 63]);
    renamed[GT_OPERAND_RESULT + i] = GT_OPERAND_RESULT + kept++;
  }
  p->instructions = kept;
  for (uint32_t k = 0; k < p->outputs; k++) p->output[k] = renamed[p->output[k]];
  for (uint32_t k = 0; k < p->inputs; k++)
    if (!needed[k]) p->load[k] = GT_LOAD_SCALAR; /* which takes no time */
}

/* The whole with its reductions as further inputs, and without outputs. */
static part begin_part(job *j) {
  part p = {.program = j->whole};
  gt_program *program = &p.program;
  program->outputs = 0;
  for (uint32_t i = 0; i < program->instructions; i++) {
    const uint32_t code = program->code[i];
    if (!is_reduction(code & 255)) continue;
    program->code[i] = GT_CODE(GT_I_MOVE, j->whole.inputs + (code >> 16 & 63), 0, 0);
  }
  for (int r = 0; r < MOST && j->spec[GT_ROWS_SPEC_REDUCTION + r]; r++)
    program->load[program->inputs++] = GT_LOAD_COLUMN;
  p.context = (gt_program_context){.clock = GT_PTR(const uint32_t, j->args->clock), .row = j->args->row};
  for (uint32_t k = 0; k < j->whole.inputs; k++) p.context.x[k] = GT_PTR(const float, j->args->x[k]);
  return p;
}

static void add_output(part *p, uint32_t operand, uint32_t number) {
  p->number[p->program.outputs] = number;
  p->program.output[p->program.outputs++] = operand;
}

/* What is joined in one pass. */
static part pass_part(job *j, uint32_t pass) {
  part p = begin_part(j);
  for (uint32_t i = 0; i < j->whole.instructions; i++) {
    const uint32_t code = j->whole.code[i], r = code >> 16 & 63;
    if (is_reduction(code & 255) && j->spec[GT_ROWS_SPEC_REDUCTION + r] == pass + 1)
      add_output(&p, code >> 8 & 63, r);
  }
  keep_needed(&p.program);
  return p;
}

/* Outputs with a value for each element, or one that has one for each row. */
static part wide_part(job *j) {
  part p = begin_part(j);
  for (uint32_t k = 0; k < j->whole.outputs; k++)
    if (!(j->spec[GT_ROWS_SPEC_NARROW] >> k & 1)) add_output(&p, j->whole.output[k], k);
  keep_needed(&p.program);
  return p;
}

static part narrow_part(job *j, uint32_t k) {
  part p = begin_part(j);
  add_output(&p, j->whole.output[k], k);
  keep_needed(&p.program);
  return p;
}

/* The reductions of the rows that are worked on lie as if they were those of all rows. One that is not needed
 * is a scalar. */
static void bind(part *p, const job *j) {
  p->context.program = &p->program;
  for (uint32_t k = j->whole.inputs; k < p->program.inputs; k++) {
    const uint64_t before = p->program.load[k] == GT_LOAD_COLUMN ? sizeof(float) * (uint64_t)j->first : 0;
    p->context.x[k] = GT_PTR(const float, (uintptr_t)j->known[k - j->whole.inputs] - before);
  }
}

/* Where the values of output k of elements first … lie: in memory already, or else in `buffer`. */
static const float *values_of(const part *p, uint32_t k, uint32_t first, const float *buffer) {
  const uint32_t operand = p->program.output[k];
  const bool there = operand < p->program.inputs && p->program.load[operand] == GT_LOAD_SAME;
  return there ? p->context.x[operand] + first : buffer;
}

static void join_pass(job *j, part *p) {
  const uint32_t width = j->args->row, outputs = p->program.outputs;
  const uint32_t together = width <= BUFFER ? width * j->rows : width;
  float buffer[MOST][BUFFER], lane[MOST][LANES], *out[GT_PROGRAM_OUTPUTS];
  bool direct = true;
  bind(p, j);
  for (uint32_t k = 0; k < outputs; k++) {
    out[k] = buffer[k];
    direct &= values_of(p, k, 0, NULL) != NULL;
  }
  for (uint32_t done = 0; done < together;) {
    const uint32_t at = j->first * width + done, n = gt_least_u32(together - done, BUFFER);
    if (!direct) gt_program_evaluate(&p->context, at, n, NULL, out);
    for (uint32_t from = 0; from < n; from += gt_least_u32(width, BUFFER))
      for (uint32_t k = 0; k < outputs; k++) {
        const uint32_t r = p->number[k], kind = j->spec[GT_ROWS_SPEC_OPCODE + r] - GT_I_ROW_SUM;
        const uint32_t count = gt_least_u32(width, n - from), row = (done + from) / width;
        for (int l = 0; l < LANES && (done + from) % width == 0; l++) lane[k][l] = gt_reduce_start(kind);
        gt_reduce_join(kind, lane[k], values_of(p, k, at, buffer[k]) + from, count);
        if ((done + from + count) % width == 0) j->known[r][row] = gt_reduce_fold(kind, lane[k]);
      }
    done += n;
  }
}

static void write_rows(job *j, part *wide, part *narrow, uint32_t narrows) {
  const uint32_t first = j->first * j->args->row;
  float one[GT_PROGRAM_OUTPUTS][MOST_ROWS], *out[GT_PROGRAM_OUTPUTS];
  for (uint32_t k = 0; k < narrows; k++) { /* before anything that they read is overwritten */
    bind(&narrow[k], j);
    gt_program_gather(&narrow[k].context, first, j->args->row, j->rows, one[k]);
  }
  bind(wide, j);
  for (uint32_t k = 0; k < wide->program.outputs; k++)
    out[k] = GT_PTR(float, j->args->y[wide->number[k]]) + first;
  if (wide->program.outputs) gt_program_evaluate(&wide->context, first, j->args->row * j->rows, NULL, out);
  for (uint32_t k = 0; k < narrows; k++)
    memcpy(GT_PTR(float, j->args->y[narrow[k].number[0]]) + j->first, one[k], sizeof(float) * j->rows);
}

static uint32_t rows_per_tile(uint32_t width) { return width >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / width; }

static void rows_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_rows_args *args = arguments;
  const uint32_t each = rows_per_tile(args->row), passes = spec[GT_ROWS_SPEC_PASSES];
  const uint32_t end = gt_least_u32(args->rows, (tile + 1) * each);
  const uint32_t together = args->row <= BUFFER / 2 ? BUFFER / args->row : 1;
  job j; /* not cleared: only what has been joined is read */
  part pass[MOST], narrow[GT_PROGRAM_OUTPUTS], wide;
  uint32_t narrows = 0;
  j.args = args, j.spec = spec, j.first = tile * each;
  for (int r = 0; r < MOST; r++) j.known[r][0] = 0;
  gt_program_from_spec(spec, &j.whole);
  for (uint32_t p = 0; p < passes; p++) pass[p] = pass_part(&j, p);
  for (uint32_t k = 0; k < j.whole.outputs; k++)
    if (spec[GT_ROWS_SPEC_NARROW] >> k & 1) narrow[narrows++] = narrow_part(&j, k);
  wide = wide_part(&j);
  for (; j.first < end; j.first += j.rows) {
    j.rows = gt_least_u32(together, end - j.first);
    for (uint32_t p = 0; p < passes; p++) join_pass(&j, &pass[p]);
    write_rows(&j, &wide, narrow, narrows);
  }
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static const gt_kernel kernel = {"rows", rows_cpu};

/* When each reduction can be joined, and how many passes that makes. */
static void set_passes(gt_step *step, const gt_program *p) {
  uint32_t known[GT_OPERAND_RESULT + GT_PROGRAM_CODE] = {0}; /* after so many passes */
  for (uint32_t i = 0; i < p->instructions; i++) {
    const uint32_t opcode = p->code[i] & 255, a = known[p->code[i] >> 8 & 63], which = p->code[i] >> 16 & 63;
    uint32_t *own = &known[GT_OPERAND_RESULT + i];
    if (is_reduction(opcode)) {
      *own = a + 1;
      step->spec[GT_ROWS_SPEC_REDUCTION + which] = *own;
      step->spec[GT_ROWS_SPEC_OPCODE + which] = opcode;
      step->spec[GT_ROWS_SPEC_PASSES] = gt_most_u32(step->spec[GT_ROWS_SPEC_PASSES], *own);
    } else {
      *own = gt_most_u32(a, gt_most_u32(known[which], known[p->code[i] >> 24 & 63]));
    }
  }
}

/* An invocation has two quads of a long row, so that one's values come while the other's are worked on. */
static uint32_t lanes_of(uint32_t width) {
  uint32_t lanes = 1;
  while (lanes < gt_ceil_div(width, 8) && lanes < MOST_LANES) lanes *= 2;
  return lanes;
}

void gt_rows_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const struct gt_rows_args args = {.rows = (uint32_t)group->shape.dim[0], .row = group->width};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  gt_lower_program(lowering, group, offsetof(struct gt_rows_args, x), offsetof(struct gt_rows_args, y),
                   offsetof(struct gt_rows_args, clock), -1);
  set_passes(step, &group->program);
  for (uint32_t k = 0; k < group->program.outputs; k++)
    if (gt_shape_count(gt_node_at(graph, group->output[k])->shape) == args.rows)
      step->spec[GT_ROWS_SPEC_NARROW] |= 1u << k;
  const uint32_t local = gt_lower_workgroup(lowering, gt_most_u32(lanes_of(args.row), LEAST_LANES), 1);
  const uint32_t lanes = gt_least_u32(lanes_of(args.row), local);
  step->spec[GT_ROWS_SPEC_LANES] = lanes;
  gt_lower_grid(lowering, (uint64_t)args.rows * lanes, local);
  step->tiles = (uint32_t)gt_ceil_div(args.rows, rows_per_tile(args.row));
}
