/* Waits and shanten of batches by looking up.  A row that is no hand for certain, or that a shape with
 * each-of parts may concern, goes the plain way. */
#include "near.h"

/* Which columns a batch has, and what the shapes ask for. */
enum { HAS_MELDS = 1, HAS_HONOURS = 2, HAS_EACH = 4 };

typedef struct looker {
    const mj_near *near;
    const mj_states *states;
    mj_near_plan plan;
    const mj_block *block;
    const uint32_t *melds;             /* of the block */
} looker;

/* The hands of a block on their way through the tables.  Each step is a loop of its own: so the look-ups of many
 * hands are under way at once, and what is between them is done in wide registers. */
typedef struct steps {
    uint32_t parts[MJ_PARTS][MJ_BLOCK];
    uint16_t tiles[MJ_BLOCK];    /* of the hand, or ODD_TILES and more: it is not looked up */
    uint8_t melds[MJ_BLOCK];     /* how many */
    uint8_t missing[MJ_BLOCK];   /* kinds that the each-of part lacks */
} steps;

enum { ODD_TILES = 256 };

static bool plan_shape(mj_near_plan *p, const mj_shape *shape)
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
static bool make_plan(mj_near_plan *p, const mj_program *program, bool minds_conditions)
{
    *p = (mj_near_plan){.tiles = program->hand_size};
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

/* Counts the melds and what the each-of part lacks; a row whose melds are none, or that has honours where there
 * are none, has an odd number of tiles. */
MJ_ALWAYS_INLINE void look_beside(const looker *l, steps *s, unsigned n, unsigned has, mj_width width)
{
    const uint64_t each = l->plan.each, in_set = l->plan.in_set;
    for (unsigned i = 0; i < n && has & HAS_HONOURS; i++)
        s->tiles[i] |= in_set >> MJ_NUMBER_KINDS == 0 && l->block->honours[i] != 0 ? ODD_TILES : 0;
    for (unsigned i = 0; i < n && has & HAS_EACH; i++) {
        const mj_indices index = mj_indices_of(l->block->words[i], has & HAS_HONOURS ? l->block->honours[i] : 0);
        s->missing[i] = (uint8_t)mj_size(each & ~mj_held_kinds(l->states, &index, has & HAS_HONOURS));
    }
    if (!(has & HAS_MELDS))
        return;
    mj_melded melded;
    mj_tell_block(l->states, l->block, NULL, l->melds, in_set, has & HAS_HONOURS, width, &melded);
    memset(s->melds, 0, n * sizeof *s->melds);
    for (unsigned k = 0; k < melded.n; k++) {
        const unsigned i = melded.rows[k], n_melds = melded.told[k].n;
        s->tiles[i] = (uint16_t)(melded.good[k] ? s->tiles[i] + 3 * n_melds : ODD_TILES);
        s->melds[i] = (uint8_t)n_melds;
    }
}

/* ---- waits ------------------------------------------------------------------------------ */

/* The ranks that a part waits for, if the others are complete. */
MJ_ALWAYS_INLINE uint32_t waited(uint32_t own, uint32_t others)
{
    return own & MJ_WAITED & -(others >> MJ_WHOLE_SHIFT & 1);
}

MJ_ALWAYS_INLINE uint32_t odd_ranks(uint32_t part)
{
    return part >> MJ_ODD_SHIFT & MJ_WAITED;
}

MJ_ALWAYS_INLINE unsigned is_paired(uint32_t part)
{
    return part >> MJ_PAIRED_SHIFT & 1;
}

MJ_ALWAYS_INLINE unsigned find_waits(const looker *l, unsigned n, uint64_t *kinds, uint16_t *others, unsigned has,
                                     mj_width width)
{
    const mj_near *near = l->near;
    const mj_near_plan p = l->plan;
    const uint32_t takes_melds = p.melds_too ? UINT32_MAX : 0;
    steps s;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t word = l->block->words[i];
        s.parts[0][i] = near->waits[mj_index_of(word, 0)];
        s.parts[1][i] = near->waits[mj_index_of(word, 1)];
        s.parts[2][i] = near->waits[mj_index_of(word, 2)];
        if (has & HAS_HONOURS)
            s.parts[MJ_HONOURS][i] = near->honour_waits[l->block->honours[i]];
    }
    /* Of the suits, then of the honours: in the place of the parts that they come from. */
    uint32_t *found = s.parts[0], *found_z = s.parts[1], *odd = s.parts[2], *odd_z = s.parts[MJ_HONOURS];
    for (unsigned i = 0; i < n; i++) {
        const uint32_t a = s.parts[0][i], b = s.parts[1][i], c = s.parts[2][i];
        const uint32_t z = has & HAS_HONOURS ? s.parts[MJ_HONOURS][i] : 1u << MJ_WHOLE_SHIFT;
        const unsigned tiles = (a >> MJ_COUNT_SHIFT) + (b >> MJ_COUNT_SHIFT) + (c >> MJ_COUNT_SHIFT)
                               + (z >> MJ_COUNT_SHIFT);
        s.tiles[i] = (uint16_t)(tiles | (l->block->words[i] >> 3 * MJ_SUIT_BITS ? ODD_TILES : 0));
        const uint32_t most = is_paired(a) + is_paired(b) + is_paired(c) + is_paired(z) > 2 ? 0 : takes_melds;
        found[i] = most & (waited(a, b & c & z) | waited(b, a & c & z) << MJ_RANKS
                           | waited(c, a & b & z) << 2 * MJ_RANKS);
        found_z[i] = waited(z, a & b & c) & most;
        odd[i] = odd_ranks(a) | odd_ranks(b) << MJ_RANKS | odd_ranks(c) << 2 * MJ_RANKS;
        odd_z[i] = odd_ranks(z);
    }
    look_beside(l, &s, n, has, width);
    for (unsigned i = 0; i < n; i++) {
        uint64_t kind = odd[i], waits = found[i];
        if (has & HAS_HONOURS) {
            kind |= (uint64_t)odd_z[i] << MJ_NUMBER_KINDS;
            waits |= (uint64_t)found_z[i] << MJ_NUMBER_KINDS;
        }
        /* A hand with but one odd kind is twins and that one. */
        const bool closed = !(has & HAS_MELDS) || s.melds[i] == 0;
        kinds[i] = waits | (p.twins_too && closed && (kind & (kind - 1)) == 0 ? kind : 0);
        if (has & HAS_EACH)
            s.tiles[i] |= closed && s.missing[i] <= 1 ? ODD_TILES : 0;
    }
    return mj_list_others(s.tiles, n, p.tiles, 0, others);
}

/* ---- shanten ---------------------------------------------------------------------------- */

MJ_ALWAYS_INLINE unsigned find_lacks(const looker *l, unsigned n, int8_t *shanten, uint16_t *others, unsigned has,
                                     mj_width width)
{
    enum { NEVER = 128 };
    const mj_near *near = l->near;
    const mj_near_plan p = l->plan;
    steps s;
    uint16_t lacking[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++) {
        const uint64_t word = l->block->words[i];
        s.parts[0][i] = near->lacks[mj_index_of(word, 0)];
        s.parts[1][i] = near->lacks[mj_index_of(word, 1)];
        s.parts[2][i] = near->lacks[mj_index_of(word, 2)];
        s.parts[MJ_HONOURS][i] = has & HAS_HONOURS ? near->honour_lacks[l->block->honours[i]] : 0;
    }
    uint32_t *two = s.parts[0], *third = s.parts[1], *pairs = s.parts[2], *z = s.parts[MJ_HONOURS];
    for (unsigned i = 0; i < n; i++) {
        const uint32_t a = s.parts[0][i], b = s.parts[1][i], c = s.parts[2][i], d = s.parts[MJ_HONOURS][i];
        const unsigned tiles = (a >> MJ_LACK_COUNT_SHIFT) + (b >> MJ_LACK_COUNT_SHIFT) + (c >> MJ_LACK_COUNT_SHIFT)
                               + (d >> MJ_LACK_COUNT_SHIFT);
        s.tiles[i] = (uint16_t)(tiles | (l->block->words[i] >> 3 * MJ_SUIT_BITS ? ODD_TILES : 0));
        two[i] = (a & MJ_LACK_CLASS) * MJ_LACK_CLASSES + (b & MJ_LACK_CLASS);
        third[i] = c & MJ_LACK_CLASS;
        pairs[i] = ((a & MJ_PAIRS_MASK) + (b & MJ_PAIRS_MASK) + (c & MJ_PAIRS_MASK) + (d & MJ_PAIRS_MASK))
                   >> MJ_PAIRS_SHIFT;
        z[i] = d & MJ_LACK_CLASS;
    }
    look_beside(l, &s, n, has, width);
    const uint8_t *three = near->three_lack[p.melds];
    for (unsigned i = 0; i < n; i++) {
        const unsigned n_melds = has & HAS_MELDS ? s.melds[i] : 0;
        const unsigned open = p.melds > n_melds ? p.melds - n_melds : 0;
        const unsigned first = near->two_lack[two[i]];
        if (has & HAS_HONOURS) {
            const unsigned other = near->two_lack[third[i] * MJ_LACK_CLASSES + z[i]];
            lacking[i] = mj_lacking(&near->pairs[first], &near->pairs[other], open);
        } else {
            lacking[i] = (has & HAS_MELDS ? near->three_lack[open] : three)[first * MJ_SUIT_LACKS + third[i]];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        const bool closed = !(has & HAS_MELDS) || s.melds[i] == 0;
        const unsigned by_melds = p.melds_too ? lacking[i] : NEVER;
        const unsigned by_twins = p.twins_too && closed ? p.twins - pairs[i] : NEVER;
        const unsigned fewest = by_twins < by_melds ? by_twins : by_melds;
        shanten[i] = (int8_t)((int)fewest - 1);
        if (has & HAS_EACH)
            s.tiles[i] |= closed && s.missing[i] < fewest ? ODD_TILES : 0;
    }
    return mj_list_others(s.tiles, n, p.tiles, 1, others);
}

/* A loop is compiled for each set of columns that is common, and for each width of registers. */
MJ_ALWAYS_INLINE unsigned look_any(const looker *l, unsigned n, uint64_t *kinds, int8_t *shanten, uint16_t *others,
                                   unsigned has, mj_width width)
{
    if (kinds != NULL)
        switch (has) {
        case 0: return find_waits(l, n, kinds, others, 0, width);
        case HAS_MELDS: return find_waits(l, n, kinds, others, HAS_MELDS, width);
        default: return find_waits(l, n, kinds, others, has, width);
        }
    switch (has) {
    case 0: return find_lacks(l, n, shanten, others, 0, width);
    case HAS_MELDS: return find_lacks(l, n, shanten, others, HAS_MELDS, width);
    default: return find_lacks(l, n, shanten, others, has, width);
    }
}

typedef unsigned look(const looker *l, unsigned n, uint64_t *kinds, int8_t *shanten, uint16_t *others, unsigned has);

static unsigned look_portable(const looker *l, unsigned n, uint64_t *kinds, int8_t *shanten, uint16_t *others,
                              unsigned has)
{
    return look_any(l, n, kinds, shanten, others, has, MJ_PORTABLE);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static unsigned look_avx2(const looker *l, unsigned n, uint64_t *kinds, int8_t *shanten,
                                      uint16_t *others, unsigned has)
{
    return look_any(l, n, kinds, shanten, others, has, MJ_AVX2);
}

MJ_FOR_AVX512 static unsigned look_avx512(const looker *l, unsigned n, uint64_t *kinds, int8_t *shanten,
                                          uint16_t *others, unsigned has)
{
    return look_any(l, n, kinds, shanten, others, has, MJ_AVX512);
}
#else
#define look_avx2 look_portable
#define look_avx512 look_portable
#endif

static look *look_at(mj_width width)
{
    return width == MJ_AVX512 ? look_avx512 : width == MJ_AVX2 ? look_avx2 : look_portable;
}

static unsigned columns_of(const mj_batch *batch, const mj_near_plan *p)
{
    return (batch->melds != NULL ? HAS_MELDS : 0) | (batch->kinds > MJ_NUMBER_KINDS ? HAS_HONOURS : 0)
           | (p->each != 0 ? HAS_EACH : 0);
}

/* ---- batches ---------------------------------------------------------------------------- */

bool mj_plan_near(mj_near_plan *plan, const mj_program *program)
{
    return make_plan(plan, program, true);
}

unsigned mj_near_waits(const mj_near *near, const mj_states *states, const mj_near_plan *plan, const mj_batch *batch,
                       const mj_block *block, mj_width width, uint64_t *kinds, uint16_t *others)
{
    looker l = {.near = near, .states = states, .plan = *plan, .block = block};
    l.melds = batch->melds == NULL ? NULL : batch->melds + block->first;
    return look_at(width)(&l, block->n, kinds, NULL, others, columns_of(batch, plan));
}

/* Goes through a batch for either of the two: the other one's column is NULL. */
static mj_status look_up(const mj_tables *tables, const mj_program *program, const mj_states *states,
                         const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                         uint64_t *kinds, int8_t *shanten, uint64_t *row)
{
    mj_block block;
    looker l = {.near = near, .states = states, .block = &block};
    const bool known = near != NULL && states != NULL && make_plan(&l.plan, program, kinds != NULL);
    const unsigned has = columns_of(batch, &l.plan);
    const mj_width width = mj_width_here();
    look *look_here = look_at(width);
    uint16_t others[MJ_BLOCK];
    for (; start < stop; start += MJ_BLOCK) {
        mj_take_block(batch, start, stop, width, &block);
        const unsigned n = block.n;
        l.melds = batch->melds == NULL ? NULL : batch->melds + start;
        const unsigned n_others = known ? look_here(&l, n, kinds == NULL ? NULL : kinds + start,
                                                  shanten == NULL ? NULL : shanten + start, others, has) : n;
        for (unsigned i = 0; i < n_others; i++) {
            *row = start + (known ? others[i] : i);
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

mj_status mj_shanten_known(const mj_tables *tables, const mj_program *program, const mj_states *states,
                           const mj_near *near, const mj_hand *hand, int *shanten)
{
    if (near == NULL || tables == NULL || program == NULL || hand == NULL || shanten == NULL)
        return mj_shanten(tables, program, hand, shanten);
    mj_status status = mj_check_hand(program, hand, program->hand_size, program->hand_size + 1u, false);
    if (status != MJ_OK)
        return status;
    const uint32_t melds = mj_word_of_melds(hand->melds, hand->n_melds);
    const mj_batch one = {
        .n = 1, .rows = hand->concealed, .kinds = MJ_KINDS, .melds = &melds, .all_win = MJ_NONE, .all_voids = MJ_NONE,
    };
    int8_t found = 0;
    uint64_t row;
    status = mj_shanten_batch(tables, program, states, near, &one, 0, 1, &found, &row);
    *shanten = found == INT8_MAX ? MJ_NONE : found;
    return status;
}
