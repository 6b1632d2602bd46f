/* A verified program run.
 *
 * Code has no jumps, so its time is bounded by its length, and every index in it was
 * checked when the program was made: the machine itself checks nothing.  Results are held
 * within the limit, so that a rule file with a power tower has a worth like any other.
 */
#include <string.h>

#include "kernel.h"

/* ---- arithmetic within the limit ------------------------------------------- */

int64_t mj_limit(void)
{
    return MJ_LIMIT;
}

/* Squares the magnitude, which never falls once it is held, and sets the sign at the end. */
int64_t mj_held_power(int64_t base, int64_t exponent)
{
    if (exponent < 0)
        return 0;
    int64_t square = base < 0 ? -base : base;
    int64_t magnitude = 1;
    for (int64_t rest = exponent; rest > 0; rest >>= 1) {
        if (rest & 1)
            magnitude = mj_held_product(magnitude, square);
        square = mj_held_product(square, square);
    }
    return base < 0 && (exponent & 1) ? -magnitude : magnitude;
}

/* ---- code ---------------------------------------------------------------------- */

void mj_run(const mj_code *code, const int64_t *features, const int32_t *facts, int64_t *r)
{
    const mj_op *end = code->ops + code->n;
    for (const mj_op *op = code->ops; op < end; op++) {
        int64_t *dst = &r[op->dst];
        switch (op->op) {
        case MJ_OP_FEATURE: *dst = features[op->a]; break;
        case MJ_OP_FACT: *dst = facts[op->a]; break;
        case MJ_OP_ADD: *dst = mj_held_sum(r[op->a], r[op->b]); break;
        case MJ_OP_SUB: *dst = mj_held_sum(r[op->a], -r[op->b]); break;
        case MJ_OP_MUL: *dst = mj_held_product(r[op->a], r[op->b]); break;
        case MJ_OP_POW: *dst = mj_held_power(r[op->a], r[op->b]); break;
        case MJ_OP_MIN: *dst = r[op->a] < r[op->b] ? r[op->a] : r[op->b]; break;
        case MJ_OP_MAX: *dst = r[op->a] > r[op->b] ? r[op->a] : r[op->b]; break;
        case MJ_OP_EQ: *dst = r[op->a] == r[op->b]; break;
        case MJ_OP_NE: *dst = r[op->a] != r[op->b]; break;
        case MJ_OP_LT: *dst = r[op->a] < r[op->b]; break;
        case MJ_OP_LE: *dst = r[op->a] <= r[op->b]; break;
        case MJ_OP_AND: *dst = r[op->a] & r[op->b]; break;
        case MJ_OP_OR: *dst = r[op->a] | r[op->b]; break;
        case MJ_OP_NOT: *dst = !r[op->a]; break;
        case MJ_OP_SELECT: *dst = r[op->a] ? r[op->b] : r[op->c]; break;
        }
    }
}

static void run_stage(mj_machine *machine, mj_stage stage)
{
    const mj_view *view = &machine->view;
    mj_run(&view->program->code[stage], machine->features, view->hand->facts, machine->registers);
}

/* ---- the stages of a judgement ----------------------------------------------------- */

static void read_hand(mj_machine *machine, unsigned list)
{
    const mj_program *program = machine->view.program;
    const mj_feature_list *features = &program->lists[list];
    for (uint32_t i = 0; i < features->n; i++) {
        const unsigned f = features->items[i];
        machine->features[f] = mj_hand_feature(&machine->view, &program->features[f]);
    }
}

static void read_reading(mj_machine *machine, unsigned list, const mj_reading *reading)
{
    const mj_program *program = machine->view.program;
    const mj_feature_list *features = &program->lists[list];
    for (uint32_t i = 0; i < features->n; i++) {
        const unsigned f = features->items[i];
        machine->features[f] = mj_reading_feature(&machine->view, &program->features[f], reading);
    }
}

void mj_machine_start(mj_machine *machine, const mj_tables *tables, const mj_program *program,
                      const mj_hand *hand)
{
    mj_view_hand(&machine->view, tables, program, hand);
    machine->registers[MJ_R_FALSE] = 0;
    machine->registers[MJ_R_TRUE] = 1;
    memcpy(machine->registers + MJ_R_CONSTANTS, program->constants,
           program->n_constants * sizeof *program->constants);
    read_hand(machine, MJ_SHAPE_HAND);
}

void mj_machine_look(mj_machine *machine)
{
    read_hand(machine, MJ_FAN_HAND);
}

bool mj_machine_allows(mj_machine *machine, const mj_reading *reading)
{
    read_reading(machine, MJ_SHAPE_READING, reading);
    run_stage(machine, MJ_SHAPE_STAGE);
    const uint16_t when = machine->view.program->shapes[reading->shape].when;
    return when == MJ_NO_REGISTER || machine->registers[when];
}

void mj_machine_find_fans(mj_machine *machine, const mj_reading *reading)
{
    read_reading(machine, MJ_FAN_READING, reading);
    run_stage(machine, MJ_FAN_STAGE);
}

void mj_machine_find_late_fans(mj_machine *machine, bool no_other)
{
    machine->registers[MJ_R_NO_OTHER] = no_other;
    run_stage(machine, MJ_LATE_STAGE);
}

void mj_machine_finish(mj_machine *machine, const int64_t totals[MJ_UNITS])
{
    machine->registers[MJ_R_FAN] = totals[MJ_FAN];
    machine->registers[MJ_R_TIMES] = totals[MJ_TIMES];
    machine->registers[MJ_R_POINT] = totals[MJ_POINT];
    machine->registers[MJ_R_BASE] = totals[MJ_BASE];
    run_stage(machine, MJ_FINAL_STAGE);
}
