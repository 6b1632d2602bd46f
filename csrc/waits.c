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

/* Kinds that leave no suit without a reading, as melds and a pair need it.  A fifth copy and honours are let
 * through where the other suits do: what becomes of them is tried. */
static uint64_t fill_suits(const mj_tables *tables, const mj_hand *hand)
{
    uint32_t index[MJ_HONOURS];
    bool complete[MJ_SUITS] = {[MJ_HONOURS] = true};
    unsigned n_incomplete = 0, pairs = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        index[suit] = mj_suit_index(hand->concealed + suit * MJ_RANKS);
        complete[suit] = tables->id[index[suit]] != 0;
        n_incomplete += !complete[suit];
    }
    for (unsigned kind = MJ_NUMBER_KINDS; kind < MJ_KINDS; kind++) {
        const unsigned copies = hand->concealed[kind];
        pairs += copies == 2;
        complete[MJ_HONOURS] = complete[MJ_HONOURS] && (copies == 0 || copies == 2 || copies == 3);
    }
    complete[MJ_HONOURS] = complete[MJ_HONOURS] && pairs <= 1;
    n_incomplete += !complete[MJ_HONOURS];

    uint64_t kinds = 0;
    if (n_incomplete - !complete[MJ_HONOURS] == 0)
        kinds |= MJ_ALL_KINDS & ~(mj_bit(MJ_NUMBER_KINDS) - 1);
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        if (n_incomplete - !complete[suit] != 0)
            continue;
        uint32_t one = 1;
        for (unsigned rank = MJ_RANKS; rank-- > 0; one *= 5) {
            const unsigned kind = suit * MJ_RANKS + rank;
            if (hand->concealed[kind] >= MJ_MAX_COPIES || tables->id[index[suit] + one] != 0)
                kinds |= mj_bit(kind);
        }
    }
    return kinds;
}

/* Kinds that the shapes of a program leave to be tried. */
static uint64_t fill_shapes(const mj_tables *tables, const mj_program *program, const mj_hand *hand)
{
    uint64_t kinds = 0;
    bool ordinary = false;
    for (uint32_t i = 0; i < program->n_shapes; i++) {
        const mj_shape *shape = &program->shapes[i];
        if (!mj_is_special(shape))
            ordinary = true;
        else if (hand->n_melds == 0 && !mj_is_of_pairs(shape))
            return MJ_ALL_KINDS;
        else if (hand->n_melds == 0 && mj_size(mj_odd_kinds(hand)) == 1)
            kinds |= mj_odd_kinds(hand);
    }
    return ordinary ? kinds | fill_suits(tables, hand) : kinds;
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
    for (uint64_t rest = candidates(program, hand) & fill_shapes(tables, program, hand); rest != 0; rest &= rest - 1) {
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
