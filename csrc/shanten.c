/* How many tiles a hand still needs.
 *
 * A hand is complete when its concealed tiles are exactly some target that a shape allows,
 * and it needs as many tiles as the target has beyond those that are held.  The cheapest
 * target is found by going through the kinds once.  On the way only three things matter:
 * the parts that have been laid down so far, and the runs that were started one and two kinds
 * ago, which still want a tile of this kind.
 */
#include <string.h>

#include "kernel.h"

enum {
    UNREACHED = 255,
    MAX_STATES = 576,   /* the most that the parts of fourteen tiles can be laid down by */
    MAX_CELLS = 4608,   /* the same, with the runs that are open */
    MAX_MOVES = 192,    /* ways to use at most four tiles of a kind */
    MAX_OPEN_RUNS = 4
};

/* What is counted, each in a byte of one word.  Where a shape does not ask for runs or for
 * triplets, all melds are counted as RUN_PART; that three like runs are three triplets then
 * means that no more than two need start at a kind. */
enum { RUN_PART = 0, TRIPLET_PART, PAIR_PART, TWIN_PART, SINGLE_PART, PARTS = 8 };

typedef struct move {
    uint64_t parts;
    uint16_t step;       /* from one state to the next */
    uint8_t runs;
    uint8_t tiles;       /* of this kind */
} move;

/* What a shape still asks of the concealed tiles. */
typedef struct plan {
    const mj_shape *shape;
    unsigned melds;
    unsigned limits[PARTS];
    unsigned strides[PARTS];
    uint64_t limit_word;
    bool any_meld;               /* runs and triplets need not be told apart */
    unsigned open;               /* most runs that start at a kind, plus one */
    unsigned n_states;
    uint64_t parts[MAX_STATES];  /* laid down, by state */
    uint8_t each[MJ_KINDS];
} plan;

static uint64_t part_word(unsigned part, unsigned n)
{
    return (uint64_t)n << 8 * part;
}

/* Whether no count is above its limit.  Counts are small, so a byte's high bit, set in the
 * limits, is borrowed away exactly where a count is. */
static bool within(uint64_t parts, uint64_t limit_word)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    return (((limit_word | high) - parts) & high) == high;
}

/* ---- the plan of a shape --------------------------------------------------------- */

/* Whether the shape can be reached at all with the melds that lie on the table. */
static bool plan_melds(plan *p, const mj_hand *hand)
{
    const mj_shape *shape = p->shape;
    if (mj_is_special(shape) && hand->n_melds > 0)
        return false;
    const unsigned melds = shape->n_melds + shape->n_runs + shape->n_triplets;
    unsigned runs = shape->n_runs, triplets = shape->n_triplets;
    for (unsigned i = 0; i < hand->n_melds; i++) {
        unsigned *wanted = mj_is_a(hand->melds[i], MJ_RUNS) ? &runs : &triplets;
        *wanted -= *wanted > 0;
    }
    if (hand->n_melds + runs + triplets > melds)
        return false;
    p->melds = melds - hand->n_melds;
    p->any_meld = runs == 0 && triplets == 0;
    p->limits[RUN_PART] = p->melds - triplets;
    p->limits[TRIPLET_PART] = p->any_meld ? 0 : p->melds - runs;
    const unsigned most = p->any_meld ? 2 : MAX_OPEN_RUNS;
    p->open = (p->limits[RUN_PART] < most ? p->limits[RUN_PART] : most) + 1;
    return true;
}

static bool make_plan(plan *p, const mj_shape *shape, const mj_hand *hand)
{
    memset(p, 0, sizeof *p);
    p->shape = shape;
    if (!plan_melds(p, hand))
        return false;
    p->limits[PAIR_PART] = shape->n_pairs;
    p->limits[TWIN_PART] = shape->n_twins;
    for (unsigned i = 0; i < shape->n_singles; i++)
        p->limits[SINGLE_PART + i] = shape->singles[i];
    for (unsigned i = 0; i < shape->n_each; i++)
        for (uint64_t set = shape->each_of[i]; set != 0; set &= set - 1)
            p->each[mj_lowest(set)] += 1;

    p->n_states = 1;
    for (unsigned part = 0; part < PARTS; part++) {
        p->strides[part] = p->n_states;
        p->limit_word |= part_word(part, p->limits[part]);
        for (unsigned n = 1; n <= p->limits[part]; n++)
            for (unsigned s = 0; s < p->strides[part]; s++)
                p->parts[p->n_states++] = p->parts[s] + part_word(part, n);
    }
    return true;
}

/* ---- the moves at a kind ------------------------------------------------------------ */

typedef struct move_list {
    move moves[MAX_MOVES];
    unsigned n;
} move_list;

/* Lists the ways to lay down parts, from this one on, with at most so many tiles. */
static void list_moves(const plan *p, unsigned kind, unsigned part, unsigned tiles, move so_far,
                       move_list *list)
{
    if (part == PARTS) {
        list->moves[list->n++] = so_far;
        return;
    }
    static const uint8_t part_tiles[PARTS] = {1, 3, 2, 2, 1, 1, 1, 1};
    unsigned most = tiles / part_tiles[part];
    if (part == RUN_PART) {
        const unsigned runs = mj_starts_run(kind) ? p->open - 1 : 0;
        most = most < runs ? most : runs;
    } else if (part == TRIPLET_PART) {
        most = most < p->melds ? most : p->melds;
    } else {
        most = most < p->limits[part] ? most : p->limits[part];
        if (part >= SINGLE_PART && most > 0 && !(p->shape->single_of[part - SINGLE_PART] >> kind & 1))
            most = 0;
    }
    const unsigned counted = part == TRIPLET_PART && p->any_meld ? RUN_PART : part;
    for (unsigned n = 0; n <= most; n++) {
        move m = so_far;
        m.parts += part_word(counted, n);
        m.step = (uint16_t)(m.step + n * p->strides[counted]);
        m.tiles = (uint8_t)(m.tiles + n * part_tiles[part]);
        if (part == RUN_PART)
            m.runs = (uint8_t)n;
        list_moves(p, kind, part + 1, tiles - n * part_tiles[part], m, list);
    }
}

/* ---- the cheapest target --------------------------------------------------------------- */

static unsigned cell_of(const plan *p, unsigned state, unsigned last, unsigned before_last)
{
    return (state * p->open + last) * p->open + before_last;
}

/* Costs before a kind become costs after it; those of `bound` and more are dropped. */
static void pass_kind(const plan *p, const move_list *list, unsigned kind, unsigned held,
                      unsigned copies, unsigned bound, const uint8_t *costs, uint8_t *after)
{
    for (unsigned state = 0; state < p->n_states; state++) {
        for (unsigned last = 0; last < p->open; last++) {
            for (unsigned before_last = 0; before_last < p->open; before_last++) {
                const unsigned cost = costs[cell_of(p, state, last, before_last)];
                if (cost >= bound)
                    continue;
                const unsigned wanted = last + before_last + p->each[kind];
                for (unsigned i = 0; i < list->n; i++) {
                    const move *m = &list->moves[i];
                    const unsigned tiles = wanted + m->tiles;
                    if (tiles > copies || !within(p->parts[state] + m->parts, p->limit_word))
                        continue;
                    const unsigned total = cost + (tiles > held ? tiles - held : 0);
                    uint8_t *best = &after[cell_of(p, state + m->step, m->runs, last)];
                    if (total < *best)
                        *best = (uint8_t)total;
                }
            }
        }
    }
}

/* Whether these parts, all within the limits, are the whole shape. */
static bool is_whole(const plan *p, uint64_t parts)
{
    const unsigned melds = (parts & 0xff) + (parts >> 8 & 0xff);
    return melds == p->melds && parts >> 16 == p->limit_word >> 16;
}

/* Tiles that the concealed part needs to become the planned shape, or `bound` if not fewer. */
static unsigned tiles_needed(const plan *p, const mj_program *program, const mj_hand *hand,
                             unsigned bound)
{
    uint8_t costs[2][MAX_CELLS];
    const unsigned n_cells = p->n_states * p->open * p->open;
    uint8_t *now = costs[0], *after = costs[1];
    memset(now, UNREACHED, n_cells);
    now[0] = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const unsigned copies = program->copies[kind];
        const unsigned each = p->each[kind];
        if (each > copies)
            return bound;
        move_list list;
        list.n = 0;
        list_moves(p, kind, 0, copies - each, (move){0, 0, 0, 0}, &list);
        memset(after, UNREACHED, n_cells);
        pass_kind(p, &list, kind, hand->concealed[kind], copies, bound, now, after);
        uint8_t *swap = now;
        now = after;
        after = swap;
    }
    for (unsigned state = 0; state < p->n_states; state++) {
        const unsigned cost = now[cell_of(p, state, 0, 0)];
        if (cost < bound && is_whole(p, p->parts[state]))
            bound = cost;
    }
    return bound;
}

mj_status mj_shanten(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                     int *shanten)
{
    if (tables == NULL || program == NULL || hand == NULL || shanten == NULL)
        return MJ_BAD_ARGUMENT;
    *shanten = MJ_NONE;
    const mj_status status =
        mj_check_hand(program, hand, program->hand_size, program->hand_size + 1u, false);
    if (status != MJ_OK)
        return status;

    unsigned needed = UNREACHED;
    plan p;
    for (unsigned i = 0; i < program->n_shapes; i++)
        if (make_plan(&p, &program->shapes[i], hand))
            needed = tiles_needed(&p, program, hand, needed);
    if (needed != UNREACHED)
        *shanten = (int)needed - 1;
    return MJ_OK;
}
