/* Prints plans (GTRAIN_DEBUG=plan) and the choices of candidates. */
#include "base/text.h"
#include "graph/op.h"
#include "plan/plan.h"

static void print_access(const gt_plan *plan, const gt_access *access, FILE *stream) {
  if (access->buffer == GT_PLAN_ARENA || access->buffer == GT_PLAN_PERSISTENT)
    fprintf(stream, " %s%s@%llu+%llu%s", access->write ? "=>" : "",
            access->buffer == GT_PLAN_PERSISTENT ? "lasting" : "", (unsigned long long)access->offset,
            (unsigned long long)access->bytes, access->stride ? "x2" : "");
  else if (access->buffer >= GT_PLAN_VARIABLE)
    fprintf(stream, " %s%s+%llu", access->write ? "=>" : "",
            plan->graph->variable[access->buffer - GT_PLAN_VARIABLE].name,
            (unsigned long long)access->offset);
}

void gt_plan_print(const gt_plan *plan, FILE *stream) {
  char arena[32], unaliased[32], flops[32], count[32];
  fprintf(stream, "%5s %5s  %-16s %-18s %10s %10s  operands\n", "step", "level", "kernel", "layer", "FLOPs",
          "bytes");
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    fprintf(stream, "%5u %5u%s%s%-16s %-18.18s %10s", s, step->level, step->barrier ? "|" : " ",
            step->level < plan->ahead ? "<" : " ", step->kernel->name, step->scope,
            gt_human_count(step->flops, flops));
    fprintf(stream, " %10s ", gt_human_bytes((double)step->bytes, count));
    for (int i = 0; i < step->accesses; i++) print_access(plan, &step->access[i], stream);
    fputc('\n', stream);
  }
  fprintf(stream, "%u steps in %u levels, ", plan->steps, plan->levels);
  if (plan->ahead)
    fprintf(stream, "the first %u (<) run with the last ones of the previous replay, ", plan->ahead);
  fprintf(stream, "%s FLOPs; arena %s", gt_human_count(plan->flops, flops),
          gt_human_bytes((double)plan->arena_bytes, arena));
  if (plan->persistent_bytes)
    fprintf(stream, " and %s", gt_human_bytes((double)plan->persistent_bytes, arena));
  fprintf(stream, " (%s without reuse)\n", gt_human_bytes((double)plan->unaliased_bytes, unaliased));
}

/* The candidate with the lowest cost except the chosen one; GT_NONE if there is none. */
static uint32_t next_best(const gt_choice *choice) {
  uint32_t best = GT_NONE;
  for (uint32_t i = 0; i < choice->candidates; i++)
    if (i != choice->taken && (best == GT_NONE || choice->candidate[i].cost < choice->candidate[best].cost))
      best = i;
  return best;
}

static void print_candidate(const char *what, const gt_choice *choice, uint32_t which, FILE *stream) {
  const gt_candidate *candidate = &choice->candidate[which];
  char text[GT_CANDIDATE_TEXT], cost[32];
  choice->text(candidate, text, sizeof text);
  fprintf(stream, "  %s %s (cost %s)", what, text, gt_human_count(candidate->cost, cost));
}

void gt_plan_print_choices(const gt_plan *plan, FILE *stream) {
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (!step->choice) continue;
    const gt_choice *choice = &plan->choice[step->choice - 1];
    const uint32_t next = next_best(choice);
    fprintf(stream, "%5u  %-16s %-18.18s %-28s", s, step->kernel->name, step->scope ? step->scope : "",
            choice->key);
    print_candidate(choice->tuned ? "tuned" : "took", choice, choice->taken, stream);
    if (next != GT_NONE) print_candidate("next", choice, next, stream);
    fprintf(stream, "  of %u\n", choice->candidates);
  }
}
