/* The tiles that complete a hand, found by trying. */
#include "kernel.h"

typedef struct probe {
    const mj_tables *tables;
    const mj_program *program;
    const mj_hand *hand;
    bool started;
    bool complete;
    mj_machine machine;
} probe;

/* Stops at the first reading whose shape is allowed. */
static bool is_allowed(void *context, const mj_reading *reading)
{
    probe *p = context;
    if (p->program->shapes[reading->shape].when == MJ_NO_REGISTER) {
        p->complete = true;
        return false;
    }
    if (!p->started)
        mj_machine_start(&p->machine, p->tables, p->program, p->hand);
    p->started = true;
    p->complete = mj_machine_allows(&p->machine, reading);
    return !p->complete;
}

/* The kinds worth trying: those with a tile alike or with two neighbours to make a run, and
 * those that a shape takes singly. */
static uint64_t candidates(const mj_program *program, const mj_hand *hand)
{
    uint64_t held = 0, in_set = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        held |= hand->concealed[kind] > 0 ? mj_bit(kind) : 0;
        in_set |= program->copies[kind] > 0 ? mj_bit(kind) : 0;
    }
    /* Runs by their lowest tile: two of the three tiles must be there. */
    const uint64_t ones = mj_bit(0) | mj_bit(MJ_RANKS) | mj_bit(2 * MJ_RANKS);
    const uint64_t starts = ones * 0x7f;
    const uint64_t second = held >> 1, third = held >> 2;
    return in_set & (held | program->loose_kinds | (second & third & starts)
                     | (held & third & starts) << 1 | (held & second & starts) << 2);
}

uint64_t mj_completing_kinds(const mj_tables *tables, const mj_program *program, const mj_hand *hand)
{
    mj_hand tried = *hand;
    probe p;
    p.tables = tables;
    p.program = program;
    p.hand = &tried;
    const bool all_places = mj_sees_places(program, hand);

    uint64_t kinds = 0;
    for (uint64_t rest = candidates(program, hand); rest != 0; rest &= rest - 1) {
        const unsigned kind = mj_lowest(rest);
        p.started = false;
        p.complete = false;
        tried.concealed[kind] += 1;
        tried.win_tile = (uint8_t)kind;
        mj_each_reading(tables, program, &tried, all_places, is_allowed, &p);
        tried.concealed[kind] -= 1;
        kinds |= p.complete ? mj_bit(kind) : 0;
    }
    return kinds;
}

mj_status mj_waits(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                   uint64_t *kinds)
{
    if (tables == NULL || program == NULL || hand == NULL || kinds == NULL)
        return MJ_BAD_ARGUMENT;
    *kinds = 0;
    const mj_status status = mj_check_hand(program, hand, program->hand_size, program->hand_size, false);
    if (status == MJ_OK)
        *kinds = mj_completing_kinds(tables, program, hand);
    return status;
}
