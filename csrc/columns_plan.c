/* A program's code as steps over columns.
 *
 * The code is gone through once, before any hand is seen.  What depends on constants alone, as all facts do where all
 * hands are won in the same way, is worked out at once.  For every other register it is found between which bounds its
 * value must lie: a number that fits into sixteen bits gets a small column.  What nothing reads gets none.
 */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "fold.h"

typedef struct known {
    int64_t low, high;
    bool fixed;                  /* the same for all readings */
    uint8_t lane;
    bool has[MJ_LANES];          /* columns of it that there are */
    uint32_t at[MJ_LANES];
} known;

typedef struct planner {
    const mj_program *program;
    const int32_t *facts;
    bool vary;
    mj_plan *plan;
    bool live[MJ_MAX_REGISTERS];
    known registers[MJ_MAX_REGISTERS];
    int64_t values[MJ_MAX_REGISTERS];   /* of those that are fixed */
    uint32_t n_steps;
} planner;

/* ---- columns ----------------------------------------------------------------------- */

static const uint8_t lane_bytes[MJ_LANES] = {sizeof(uint8_t), sizeof(int16_t), sizeof(int64_t)};

static mj_strip new_column(mj_plan *plan, mj_lane lane)
{
    const mj_strip column = {plan->bytes, (uint8_t)lane};
    plan->bytes += MJ_READINGS * lane_bytes[lane];
    return column;
}

static bool is_small(int64_t low, int64_t high)
{
    return low >= INT16_MIN && high <= INT16_MAX;
}

static void set_column(planner *p, unsigned reg, mj_strip column, int64_t low, int64_t high)
{
    known *r = &p->registers[reg];
    *r = (known){.low = low, .high = high, .lane = column.lane};
    r->has[column.lane] = true;
    r->at[column.lane] = column.at;
}

static void set_fixed(planner *p, unsigned reg, bool is_truth, int64_t value)
{
    p->values[reg] = value;
    p->registers[reg] = (known){.low = value, .high = value, .fixed = true,
                                .lane = is_truth ? MJ_TRUTHS : is_small(value, value) ? MJ_SMALL : MJ_WIDE};
}

static mj_strip put_fill(mj_plan *plan, mj_lane lane, int64_t value)
{
    const mj_strip column = new_column(plan, lane);
    plan->fills[plan->n_fills++] = (mj_fill){column, value};
    return column;
}

/* Where the column of a register is that has this lane; made where there is none yet. */
static uint32_t column_of(planner *p, unsigned reg, mj_lane lane)
{
    known *r = &p->registers[reg];
    if (!r->has[lane]) {
        if (r->fixed) {
            r->at[lane] = put_fill(p->plan, lane, r->low).at;
        } else {
            r->at[lane] = new_column(p->plan, lane).at;
            p->plan->steps[p->n_steps++] =
                (mj_step){.op = MJ_STEP_WIDEN, .lane = MJ_WIDE, .to = r->at[lane], .a = r->at[r->lane]};
        }
        r->has[lane] = true;
    }
    return r->at[lane];
}

static mj_strip own_column(planner *p, unsigned reg)
{
    const mj_lane lane = p->registers[reg].lane;
    return (mj_strip){column_of(p, reg, lane), (uint8_t)lane};
}

/* ---- sources ------------------------------------------------------------------------ */

/* The source of this number, which is made with the first instruction that reads it. */
static mj_strip source_of(planner *p, mj_sources *sources, unsigned number, mj_lane lane)
{
    for (uint32_t i = 0; i < sources->n; i++)
        if (sources->items[i].number == number)
            return sources->items[i].column;
    const mj_strip column = new_column(p->plan, lane);
    sources->items[sources->n++] = (mj_source){(uint16_t)number, column};
    return column;
}

static void plan_feature(planner *p, const mj_op *op)
{
    const mj_feature_kind kind = p->program->features[op->a].kind;
    mj_sources *sources =
        mj_feature_is_of_reading(kind) ? &p->plan->reading_features : &p->plan->hand_features;
    const bool is_truth = mj_feature_is_truth(kind);
    const mj_strip column = source_of(p, sources, op->a, is_truth ? MJ_TRUTHS : MJ_SMALL);
    set_column(p, op->dst, column, 0, is_truth ? 1 : UINT8_MAX);
}

static void plan_fact(planner *p, const mj_op *op)
{
    int64_t low = p->facts[op->a], high = low;
    for (unsigned situation = 1; p->vary && situation < MJ_SITUATIONS; situation++) {
        const int64_t fact = p->facts[situation * MJ_FACTS_SIZE + op->a];
        low = fact < low ? fact : low;
        high = fact > high ? fact : high;
    }
    if (low == high)
        set_fixed(p, op->dst, false, low);
    else
        set_column(p, op->dst, source_of(p, &p->plan->facts, op->a, is_small(low, high) ? MJ_SMALL : MJ_WIDE), low,
                   high);
}

/* ---- bounds --------------------------------------------------------------------------- */

static void widen_to(int64_t value, known *bounds)
{
    bounds->low = value < bounds->low ? value : bounds->low;
    bounds->high = value > bounds->high ? value : bounds->high;
}

static known product_bounds(const known *a, const known *b)
{
    const int64_t first = mj_held_product(a->low, b->low);
    known bounds = {.low = first, .high = first};
    widen_to(mj_held_product(a->low, b->high), &bounds);
    widen_to(mj_held_product(a->high, b->low), &bounds);
    widen_to(mj_held_product(a->high, b->high), &bounds);
    return bounds;
}

static known power_bounds(const known *a, const known *b)
{
    if (a->low < 0)
        return (known){.low = -MJ_LIMIT, .high = MJ_LIMIT};
    known bounds = {.low = 0, .high = 1};
    widen_to(mj_held_power(a->high, b->high), &bounds);
    return bounds;
}

/* Between which numbers the result of an instruction on numbers lies. */
static known bounds_of(const planner *p, const mj_op *op)
{
    const known *a = &p->registers[op->a], *b = &p->registers[op->b];
    switch (op->op) {
    case MJ_OP_ADD:
        return (known){.low = mj_held_sum(a->low, b->low), .high = mj_held_sum(a->high, b->high)};
    case MJ_OP_SUB:
        return (known){.low = mj_held_sum(a->low, -b->high), .high = mj_held_sum(a->high, -b->low)};
    case MJ_OP_MUL:
        return product_bounds(a, b);
    case MJ_OP_POW:
        return power_bounds(a, b);
    case MJ_OP_MIN:
        return (known){.low = a->low < b->low ? a->low : b->low, .high = a->high < b->high ? a->high : b->high};
    case MJ_OP_MAX:
        return (known){.low = a->low > b->low ? a->low : b->low, .high = a->high > b->high ? a->high : b->high};
    default: {   /* a choice between b and c */
        const known *c = &p->registers[op->c];
        known bounds = *b;
        widen_to(c->low, &bounds);
        widen_to(c->high, &bounds);
        return bounds;
    }
    }
}

/* ---- instructions ------------------------------------------------------------------------ */

/* What an instruction reads and writes, also where it chooses between truths. */
static mj_signature signature_of(const planner *p, const mj_op *op)
{
    mj_signature s = mj_signature_of(op->op);
    if (op->op == MJ_OP_SELECT && p->registers[op->b].lane == MJ_TRUTHS)
        s.reads[1] = s.reads[2] = s.writes = MJ_TRUTH;
    return s;
}

static void plan_op(planner *p, const mj_op *op)
{
    if (op->op == MJ_OP_FEATURE) {
        plan_feature(p, op);
        return;
    }
    if (op->op == MJ_OP_FACT) {
        plan_fact(p, op);
        return;
    }
    const mj_signature s = signature_of(p, op);
    const unsigned read[3] = {op->a, op->b, op->c};
    bool fixed = true, small = op->op != MJ_OP_POW;
    for (unsigned i = 0; i < 3 && s.reads[i] != MJ_UNWRITTEN; i++) {
        fixed = fixed && p->registers[read[i]].fixed;
        small = small && p->registers[read[i]].lane != MJ_WIDE;
    }
    if (fixed) {
        const mj_code one = {(mj_op *)op, 1};
        mj_run(&one, NULL, NULL, p->values);
        set_fixed(p, op->dst, s.writes == MJ_TRUTH, p->values[op->dst]);
        return;
    }
    known bounds = {.low = 0, .high = 1};
    if (s.writes == MJ_NUMBER) {
        bounds = bounds_of(p, op);
        small = small && is_small(bounds.low, bounds.high);
    }
    mj_step step = {.op = op->op, .lane = small ? MJ_SMALL : MJ_WIDE};
    uint32_t *from[3] = {&step.a, &step.b, &step.c};
    for (unsigned i = 0; i < 3 && s.reads[i] != MJ_UNWRITTEN; i++)
        *from[i] = column_of(p, read[i], s.reads[i] == MJ_TRUTH ? MJ_TRUTHS : (mj_lane)step.lane);
    if (s.reads[0] == MJ_TRUTH && s.writes == MJ_TRUTH)
        step.lane = MJ_TRUTHS;
    const mj_strip to = new_column(p->plan, s.writes == MJ_TRUTH ? MJ_TRUTHS : (mj_lane)step.lane);
    step.to = to.at;
    p->plan->steps[p->n_steps++] = step;
    set_column(p, op->dst, to, bounds.low, bounds.high);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* What the kernel writes, and the constants. */
static void plan_given(planner *p)
{
    mj_plan *plan = p->plan;
    const mj_program *program = p->program;
    plan->no_other = new_column(plan, MJ_TRUTHS);
    set_column(p, MJ_R_NO_OTHER, plan->no_other, 0, 1);
    for (unsigned unit = 0; unit < MJ_UNITS; unit++) {
        plan->totals[unit] = new_column(plan, MJ_WIDE);
        set_column(p, MJ_R_FAN + unit, plan->totals[unit], -MJ_LIMIT, MJ_LIMIT);
    }
    set_fixed(p, MJ_R_FALSE, true, 0);
    set_fixed(p, MJ_R_TRUE, true, 1);
    for (uint32_t i = 0; i < program->n_constants; i++)
        set_fixed(p, MJ_R_CONSTANTS + i, false, program->constants[i]);
}

/* The columns that are looked at between the stages.  They are made here, with no step left to be run for them: a
 * register has a column of its own lane as soon as it is written. */
static void plan_results(planner *p)
{
    mj_plan *plan = p->plan;
    const mj_program *program = p->program;
    for (uint32_t i = 0; i < program->n_shapes; i++)
        plan->allowed[i] =
            own_column(p, program->shapes[i].when == MJ_NO_REGISTER ? MJ_R_TRUE : program->shapes[i].when);
    for (uint32_t i = 0; i < program->n_fans; i++) {
        plan->counts[i] = own_column(p, program->fans[i].count);
        plan->values[i] = own_column(p, program->fans[i].value);
    }
    plan->money = own_column(p, program->money);
    plan->may_win = own_column(p, program->may_win);
    plan->may_wait = own_column(p, program->may_wait);
}

static bool new_lists(mj_plan *plan, const mj_program *program)
{
    size_t n_ops = 0;
    for (unsigned stage = 0; stage < MJ_STAGES; stage++)
        n_ops += program->code[stage].n;
    /* A register is made wide once at most, and filled once for each lane. */
    plan->steps = malloc((2 * n_ops + MJ_R_CONSTANTS + 1) * sizeof *plan->steps);
    plan->fills = malloc((MJ_R_CONSTANTS + program->n_constants + n_ops) * MJ_LANES * sizeof *plan->fills);
    plan->hand_features.items = malloc((n_ops + 1) * sizeof(mj_source));
    plan->reading_features.items = malloc((n_ops + 1) * sizeof(mj_source));
    plan->facts.items = malloc((n_ops + 1) * sizeof(mj_source));
    return plan->steps != NULL && plan->fills != NULL && plan->hand_features.items != NULL
           && plan->reading_features.items != NULL && plan->facts.items != NULL;
}

mj_status mj_plan_new(mj_plan *plan, const mj_program *program, const int32_t *facts, bool vary)
{
    *plan = (mj_plan){0};
    planner *p = calloc(1, sizeof *p);
    const bool made = new_lists(plan, program) && p != NULL;
    if (made) {
        p->program = program;
        p->facts = facts;
        p->vary = vary;
        p->plan = plan;
        mj_mark_live(program, true, p->live);
        plan_given(p);
        for (unsigned stage = 0; stage < MJ_STAGES; stage++) {
            plan->first[stage] = p->n_steps;
            for (uint32_t i = 0; i < program->code[stage].n; i++)
                if (p->live[program->code[stage].ops[i].dst])
                    plan_op(p, &program->code[stage].ops[i]);
        }
        plan->first[MJ_STAGES] = p->n_steps;
        plan_results(p);
    }
    free(p);
    return made ? MJ_OK : MJ_NO_MEMORY;
}

void mj_plan_free(mj_plan *plan)
{
    free(plan->steps);
    free(plan->fills);
    free(plan->hand_features.items);
    free(plan->reading_features.items);
    free(plan->facts.items);
}
