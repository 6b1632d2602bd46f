/* Waits and shanten of batches by looking up.  A row that is no hand for certain, or that a shape with
 * each-of parts may concern, goes the plain way. */
#include "near.h"

/* Which columns a batch has, and what the shapes ask for. */
enum { HAS_MELDS = 1, HAS_HONOURS = 2, HAS_EACH = 4 };

/* The shapes of a program: melds and a pair, twins, and an each-of part with few tiles beside it. */
typedef struct plan {
    bool melds_too, twins_too;
    unsigned melds;
    unsigned twins;
    uint64_t each;      /* kinds of the each-of part */
    uint64_t in_set;    /* kinds of the tile set */
    unsigned tiles;     /* of a waiting hand */
} plan;

typedef struct looker {
    const mj_near *near;
    const mj_states *states;
    plan plan;
    const mj_indices *hands;           /* of the block */
    const uint32_t *melds;             /* of the block */
} looker;

static bool plan_shape(plan *p, const mj_shape *shape)
{
    const unsigned others = shape->n_runs + shape->n_triplets;
    if (shape->n_each + shape->n_singles + shape->n_twins == 0 && others == 0) {
        p->melds_too = true;
        p->melds = shape->n_melds;
        return true;
    }
    if (others + shape->n_melds + shape->n_pairs > 0)
        return false;
    if (shape->n_twins > 0 && shape->n_each + shape->n_singles == 0) {
        p->twins_too = true;
        p->twins = shape->n_twins;
        return true;
    }
    if (shape->n_twins > 0 || shape->n_each != 1 || p->each != 0)
        return false;
    p->each = shape->each_of[0];
    return true;
}

/* False where the tables of nearness cannot tell what the program asks for. */
static bool make_plan(plan *p, const mj_program *program, bool minds_conditions)
{
    *p = (plan){.tiles = program->hand_size};
    const uint8_t *copies = program->copies;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const unsigned wanted = kind < MJ_NUMBER_KINDS ? MJ_MAX_COPIES : copies[MJ_NUMBER_KINDS];
        if (copies[kind] != wanted || (wanted != 0 && wanted != MJ_MAX_COPIES))
            return false;
        p->in_set |= wanted > 0 ? mj_bit(kind) : 0;
    }
    for (uint32_t i = 0; i < program->n_shapes; i++)
        if ((minds_conditions && program->shapes[i].when != MJ_NO_REGISTER) || !plan_shape(p, &program->shapes[i]))
            return false;
    return true;
}

/* ---- waits ------------------------------------------------------------------------------ */

/* The ranks that a part waits for, if the others are complete. */
MJ_ALWAYS_INLINE uint64_t waited(uint32_t own, uint32_t others)
{
    return own & MJ_WAITED & -(others >> MJ_WHOLE_SHIFT & 1);
}

MJ_ALWAYS_INLINE uint64_t odd_ranks(uint32_t part)
{
    return part >> MJ_ODD_SHIFT & MJ_WAITED;
}

MJ_ALWAYS_INLINE unsigned is_paired(uint32_t part)
{
    return part >> MJ_PAIRED_SHIFT & 1;
}

MJ_ALWAYS_INLINE unsigned find_waits(const looker *l, unsigned n, uint64_t *kinds, uint16_t *others, unsigned has)
{
    const mj_near *near = l->near;
    const plan p = l->plan;
    const bool has_honours = p.in_set >> MJ_NUMBER_KINDS != 0;
    unsigned n_others = 0;
    for (unsigned i = 0; i < n; i++) {
        const mj_indices index = l->hands[i];
        bool bad = index.of[MJ_HONOURS] != 0 && !has_honours;
        const uint32_t a = near->waits[index.of[0]], b = near->waits[index.of[1]], c = near->waits[index.of[2]];
        unsigned tiles = (a >> MJ_COUNT_SHIFT) + (b >> MJ_COUNT_SHIFT) + (c >> MJ_COUNT_SHIFT);
        uint64_t odd = odd_ranks(a) | odd_ranks(b) << MJ_RANKS | odd_ranks(c) << 2 * MJ_RANKS;
        uint64_t found;
        if (has & HAS_HONOURS) {
            const uint32_t z = near->honour_waits[index.of[MJ_HONOURS]];
            tiles += z >> MJ_COUNT_SHIFT;
            odd |= odd_ranks(z) << MJ_NUMBER_KINDS;
            found = waited(a, b & c & z) | waited(b, a & c & z) << MJ_RANKS | waited(c, a & b & z) << 2 * MJ_RANKS
                    | waited(z, a & b & c) << MJ_NUMBER_KINDS;
            found = is_paired(a) + is_paired(b) + is_paired(c) + is_paired(z) > 2 ? 0 : found;
        } else {
            found = waited(a, b & c) | waited(b, a & c) << MJ_RANKS | waited(c, a & b) << 2 * MJ_RANKS;
        }
        found = p.melds_too ? found : 0;
        unsigned wanted = p.tiles;
        const uint64_t held = has & (HAS_MELDS | HAS_EACH) ? mj_held_kinds(l->states, &index, has & HAS_HONOURS) : 0;
        if (has & HAS_MELDS) {
            mj_told_melds melds;
            bad |= !mj_tell_melds(l->states, l->melds[i], &index, held, p.in_set, &melds);
            wanted -= 3 * melds.n;
        }
        /* A hand with but one odd kind is twins and that one. */
        const bool closed = !(has & HAS_MELDS) || wanted == p.tiles;
        found |= p.twins_too && closed && (odd & (odd - 1)) == 0 ? odd : 0;
        if (has & HAS_EACH)
            bad |= closed && mj_size(p.each & ~held) <= 1;
        kinds[i] = found;
        bad |= tiles != wanted;
        others[n_others] = (uint16_t)i;
        n_others += bad;
    }
    return n_others;
}

static unsigned find_any_waits(const looker *l, unsigned n, uint64_t *kinds, uint16_t *others, unsigned has)
{
    switch (has) {
    case 0: return find_waits(l, n, kinds, others, 0);
    case HAS_MELDS: return find_waits(l, n, kinds, others, HAS_MELDS);
    default: return find_waits(l, n, kinds, others, has);
    }
}

/* ---- shanten ---------------------------------------------------------------------------- */

MJ_ALWAYS_INLINE unsigned find_lacks(const looker *l, unsigned n, int8_t *shanten, uint16_t *others, unsigned has)
{
    enum { NEVER = 128 };
    const mj_near *near = l->near;
    const plan p = l->plan;
    const bool has_honours = p.in_set >> MJ_NUMBER_KINDS != 0;
    unsigned n_others = 0;
    for (unsigned i = 0; i < n; i++) {
        const mj_indices index = l->hands[i];
        bool bad = index.of[MJ_HONOURS] != 0 && !has_honours;
        const uint32_t a = near->lacks[index.of[0]], b = near->lacks[index.of[1]], c = near->lacks[index.of[2]];
        uint32_t z = 0;
        if (has & HAS_HONOURS) {
            z = near->honour_lacks[index.of[MJ_HONOURS]];
        }
        const uint64_t held = has & (HAS_MELDS | HAS_EACH) ? mj_held_kinds(l->states, &index, has & HAS_HONOURS) : 0;
        unsigned n_melds = 0;
        if (has & HAS_MELDS) {
            mj_told_melds melds;
            bad |= !mj_tell_melds(l->states, l->melds[i], &index, held, p.in_set, &melds);
            n_melds = melds.n;
        }
        const unsigned open = p.melds > n_melds ? p.melds - n_melds : 0;
        const unsigned two = near->two_lack[(a & MJ_LACK_CLASS) * MJ_LACK_CLASSES + (b & MJ_LACK_CLASS)];
        unsigned lacking = NEVER;
        if (p.melds_too && !(has & HAS_HONOURS))
            lacking = near->three_lack[open][two * MJ_SUIT_LACKS + (c & MJ_LACK_CLASS)];
        if (p.melds_too && has & HAS_HONOURS) {
            const unsigned other = near->two_lack[(c & MJ_LACK_CLASS) * MJ_LACK_CLASSES + (z & MJ_LACK_CLASS)];
            lacking = mj_lacking(&near->pairs[two], &near->pairs[other], open);
        }
        const unsigned pairs = ((a & MJ_PAIRS_MASK) + (b & MJ_PAIRS_MASK) + (c & MJ_PAIRS_MASK) + (z & MJ_PAIRS_MASK))
                               >> MJ_PAIRS_SHIFT;
        const unsigned by_twins = p.twins_too && n_melds == 0 ? p.twins - pairs : NEVER;
        lacking = by_twins < lacking ? by_twins : lacking;
        if (has & HAS_EACH)
            bad |= n_melds == 0 && mj_size(p.each & ~held) < lacking;
        shanten[i] = (int8_t)((int)lacking - 1);
        const unsigned tiles = (a >> MJ_LACK_COUNT_SHIFT) + (b >> MJ_LACK_COUNT_SHIFT) + (c >> MJ_LACK_COUNT_SHIFT)
                               + (z >> MJ_LACK_COUNT_SHIFT) + 3 * n_melds;
        bad |= tiles - p.tiles > 1;
        others[n_others] = (uint16_t)i;
        n_others += bad;
    }
    return n_others;
}

static unsigned find_any_lacks(const looker *l, unsigned n, int8_t *shanten, uint16_t *others, unsigned has)
{
    switch (has) {
    case 0: return find_lacks(l, n, shanten, others, 0);
    case HAS_MELDS: return find_lacks(l, n, shanten, others, HAS_MELDS);
    default: return find_lacks(l, n, shanten, others, has);
    }
}

/* ---- batches ---------------------------------------------------------------------------- */

/* Goes through a batch for either of the two: the other one's column is NULL. */
static mj_status look_up(const mj_tables *tables, const mj_program *program, const mj_states *states,
                         const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                         uint64_t *kinds, int8_t *shanten, uint64_t *row)
{
    looker l = {.near = near, .states = states};
    const bool look = near != NULL && states != NULL && make_plan(&l.plan, program, kinds != NULL);
    const unsigned has = (batch->melds != NULL ? HAS_MELDS : 0) | (batch->kinds > MJ_NUMBER_KINDS ? HAS_HONOURS : 0)
                         | (l.plan.each != 0 ? HAS_EACH : 0);
    const mj_width width = mj_width_here();
    mj_indices hands[MJ_BLOCK];
    l.hands = hands;
    uint16_t others[MJ_BLOCK];
    for (; start < stop; start += MJ_BLOCK) {
        const unsigned n = stop - start < MJ_BLOCK ? (unsigned)(stop - start) : MJ_BLOCK;
        mj_take_block(batch, start, stop, n, width, hands);
        l.melds = batch->melds == NULL ? NULL : batch->melds + start;
        unsigned n_others = n;
        if (look && kinds != NULL)
            n_others = find_any_waits(&l, n, kinds + start, others, has);
        else if (look)
            n_others = find_any_lacks(&l, n, shanten + start, others, has);
        for (unsigned i = 0; i < n_others; i++) {
            *row = start + (look ? others[i] : i);
            const mj_status status = kinds != NULL ? mj_wait_row(tables, program, batch, *row, kinds)
                                                   : mj_shanten_row(tables, program, batch, *row, shanten);
            if (status != MJ_OK)
                return status;
        }
    }
    *row = stop;
    return MJ_OK;
}

mj_status mj_waits_batch(const mj_tables *tables, const mj_program *program, const mj_states *states,
                         const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                         uint64_t *kinds, uint64_t *row)
{
    if (tables == NULL || program == NULL || row == NULL || !mj_is_batch(batch, start, stop)
        || (kinds == NULL && batch->n > 0))
        return MJ_BAD_ARGUMENT;
    return look_up(tables, program, states, near, batch, start, stop, kinds, NULL, row);
}

mj_status mj_shanten_batch(const mj_tables *tables, const mj_program *program, const mj_states *states,
                           const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                           int8_t *shanten, uint64_t *row)
{
    if (tables == NULL || program == NULL || row == NULL || !mj_is_batch(batch, start, stop)
        || (shanten == NULL && batch->n > 0))
        return MJ_BAD_ARGUMENT;
    return look_up(tables, program, states, near, batch, start, stop, NULL, shanten, row);
}
