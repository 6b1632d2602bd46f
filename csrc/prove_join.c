/* Parts sorted by all that any side can tell of them, and joined suit by suit with counts, smallest hands and
 * prints carried along.
 *
 * A class's smallest hand is joined from the smallest parts: the order compares numbers of melds and of kinds
 * first, which add up, and then suit by suit, so a hand is smallest among those of its parts' classes only
 * if each part is; and the winning tile, which is compared last, is in one of them. */
#include <stdlib.h>
#include <string.h>

#include "prove_build.h"

enum {
    MAX_SPACE_CLASSES = 400000,
    SHORTCUTS = 4096
};

#define MAX_SPACE_JOINS UINT64_C(60000000)

/* ---- stages --------------------------------------------------------------------------- */

static bool is_empty(const mj_proving *b, const mj_node *n)
{
    unsigned sum = 0;
    for (unsigned view = 0; view < b->n_views; view++)
        sum += n->sets[view].n;
    return sum == 0;
}

mj_status mj_put_node(mj_joined *s, const mj_node *n, const mj_tally *t, uint32_t *number)
{
    const uint32_t before = s->nodes.n, at = *number = mj_pool_put(&s->nodes, n);
    if (at == UINT32_MAX)
        return MJ_NO_MEMORY;
    if (s->nodes.n > s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        mj_tally *more = realloc(s->tallies, s->capacity * sizeof *more);
        if (more == NULL)
            return MJ_NO_MEMORY;
        s->tallies = more;
    }
    if (s->nodes.n > before) {
        s->tallies[at] = *t;
        return MJ_OK;
    }
    uint64_t count;
    if (__builtin_add_overflow(s->tallies[at].count, t->count, &count))
        return MJ_BAD_LIMITS;
    mj_add_tally(&s->tallies[at], t);
    return MJ_OK;
}

void mj_free_joined(mj_joined *s)
{
    mj_pool_free(&s->nodes);
    free(s->tallies);
    *s = (mj_joined){.tallies = NULL};
}

/* ---- parts ------------------------------------------------------------------------------ */

/* Almost every part has one or two readings: its node by size, key, state of waits and tuples. */
typedef struct asked {
    uint64_t of_part, of_tuples;
} asked;

typedef struct shortcut {
    asked asked[SHORTCUTS];
    uint32_t node[SHORTCUTS];
} shortcut;

/* The parts of a suit, or of it as the void suit, on their way to their nodes. */
typedef struct sorter {
    mj_proving *b;
    mj_joined *stage;
    unsigned part, n_kinds;
    bool is_void;
    shortcut known;
    const uint16_t *states[MJ_MAX_SIDES];   /* of the next part */
    uint32_t rows[MJ_MAX_SIDES];
} sorter;

/* What a node of at most two tuples, of several views one each, is looked up by; of_part is 0 for another. */
static asked asked_of(const mj_proving *b, const mj_node *n)
{
    asked a = {0, 0};
    uint32_t tuples[2] = {MJ_NO_TUPLE, MJ_NO_TUPLE};
    for (unsigned view = 0, each = b->n_views == 1 ? 2 : 1; view < b->n_views; view++) {
        const mj_set *set = &n->sets[view];
        if (view >= 2 || set->n > each)
            return a;
        memcpy(&tuples[view], set->tuples, set->n * sizeof *tuples);
    }
    a.of_tuples = (uint64_t)tuples[0] << 32 | tuples[1];
    a.of_part = 1 | (uint64_t)n->size << 1 | (uint64_t)n->key << 8 | (uint64_t)n->marked << 16
                | (uint64_t)(n->waits[0] & 0xffff) << 20 | (uint64_t)(n->waits[1] & 0xffff) << 40;
    return a;
}

static mj_status put_part(sorter *s, const mj_node *n, const mj_part *p, unsigned mark)
{
    const bool prints = s->b->spec->prints != 0;
    const asked a = asked_of(s->b, n);
    const uint64_t hash = (a.of_part * UINT64_C(0x9e3779b97f4a7c15) ^ a.of_tuples) * UINT64_C(0xff51afd7ed558ccd);
    const unsigned place = (unsigned)(hash >> 40) % SHORTCUTS;
    shortcut *known = &s->known;
    if (a.of_part != 0 && memcmp(&known->asked[place], &a, sizeof a) == 0) {
        if (known->node[place] != UINT32_MAX)
            mj_add_part(&s->stage->tallies[known->node[place]], p->order, s->part, mark, prints);
        return MJ_OK;
    }
    uint32_t at = UINT32_MAX;
    const mj_tally t = mj_tally_of(p->order, s->part, mark, prints);
    const mj_status status = is_empty(s->b, n) ? MJ_OK : mj_put_node(s->stage, n, &t, &at);
    known->asked[place] = a;
    known->node[place] = at;
    return status;
}

static uint32_t state_of(const mj_win *win, const uint16_t *state)
{
    return win->n_states == 0 ? 0 : win->class_of[*state];
}

/* Goes on to the state of another mark. */
static void skip_states(sorter *s, unsigned n)
{
    for (unsigned side = 0; side < s->b->spec->n_sides; side++)
        s->states[side] += s->states[side] == NULL ? 0 : n;
}

/* A part as it is. */
static mj_status sort_bare(sorter *s, const mj_part *p, const uint32_t *const *rows)
{
    mj_proving *b = s->b;
    mj_node n;
    memset(&n, 0, mj_node_bytes(b));
    n.size = p->size;
    /* Where a winning tile is always told, nothing else needs to be alone. */
    n.key = (uint8_t)((p->key & ~MJ_KEY_ALONE) | mj_alone(b, b->bare && (p->key & MJ_KEY_ALONE)));
    for (unsigned view = 0; view < b->n_views; view++) {
        const unsigned side = b->side_of[view];
        if (!mj_aspect_set(&b->aspects[side], p, rows[side], &n.sets[view]))
            return mj_leave_unproved(b, MJ_SEES_TOO_MUCH);
    }
    for (unsigned side = 0; side < b->spec->n_sides; side++)
        n.waits[side] = state_of(&b->aspects[side].win, s->states[side]);
    return put_part(s, &n, p, MJ_NONE);
}

/* A part with its winning tile. */
static mj_status sort_marked(sorter *s, const mj_marked_part *mark, const uint32_t *const *rows)
{
    mj_proving *b = s->b;
    mj_node n;
    memset(&n, 0, mj_node_bytes(b));
    n.size = mark->p->size;
    n.key = (uint8_t)((mark->p->key & ~MJ_KEY_ALONE) | mj_alone(b, mark->all == 0));
    n.marked = 1;
    bool full = false;
    for (unsigned view = 0; view < b->n_views; view++) {
        const unsigned side = b->side_of[view];
        const bool claimed = view != b->view_of[side][0];
        const mj_status status = mj_aspect_marked_set(&b->aspects[side], mark, rows[side], claimed, &n.sets[view], &full);
        if (status != MJ_OK)
            return status;
    }
    if (full)
        return mj_leave_unproved(b, MJ_SEES_TOO_MUCH);
    for (unsigned side = 0; side < b->spec->n_sides; side++) {
        const mj_aspect *a = &b->aspects[side];
        const bool cares = mj_aspect_cares(a, &n.sets[b->view_of[side][0]]) || mj_aspect_cares(a, &n.sets[b->view_of[side][1]]);
        n.waits[side] = cares ? state_of(&a->win, s->states[side]) : (uint32_t)MJ_NO_WAIT_STATE;
    }
    return put_part(s, &n, mark->p, mark->rank);
}

static mj_status sort_marks(sorter *s, const mj_part *p, const uint32_t *const *rows)
{
    uint8_t held[MJ_RANKS];
    mj_spot room[2 * MJ_HONOUR_KINDS];
    unsigned n;
    const mj_spot *place = mj_spots_of(&s->b->places, p, s->part == MJ_HONOURS, room, &n), *end = place + n;
    mj_part_copies(p, s->n_kinds, held);
    mj_status status = MJ_OK;
    while (place < end && status == MJ_OK && mj_proves(s->b)) {
        mj_marked_part mark = {.part = s->part, .is_void = s->is_void, .p = p, .rank = place->rank, .places = place};
        mark.own = held[place->rank] - 1u;
        mark.all = mark.own + mj_declared_copies(p, place->rank);
        while (place < end && place->rank == mark.rank)
            place++;
        mark.n_places = (unsigned)(place - mark.places);
        status = sort_marked(s, &mark, rows);
        skip_states(s, 1);
    }
    return status;
}

/* Whether a part can be in no win, whichever of its tiles it is won on. */
static bool is_dead(const sorter *s, const mj_part *p, const uint32_t *const *rows, unsigned n_readings)
{
    bool dead = true;
    for (unsigned side = 0; side < s->b->spec->n_sides && dead; side++) {
        const mj_aspect *a = &s->b->aspects[side];
        dead = !a->win.claims;
        for (unsigned r = 0; r < n_readings && dead; r++)
            dead = a->tuple_of[p->even && r == n_readings - 1 ? MJ_TWINS : MJ_PLAIN][rows[side][r]] == MJ_NO_TUPLE;
    }
    return dead;
}

static mj_status sort_part(sorter *s)
{
    mj_proving *b = s->b;
    const bool honours = s->part == MJ_HONOURS;
    const mj_part *list = honours ? b->parts->honour : b->parts->suit;
    const uint32_t n = honours ? b->parts->n_honour : b->parts->n_suit;
    const uint32_t *rows[MJ_MAX_SIDES];
    if (!mj_pool_start(&s->stage->nodes, mj_node_bytes(b)))
        return MJ_NO_MEMORY;
    for (unsigned side = 0; side < b->spec->n_sides; side++) {
        const mj_aspect *a = &b->aspects[side];
        rows[side] = a->rows[s->part][s->is_void && a->rows[s->part][1] != NULL];
        s->states[side] = a->win.state_of[honours];
    }
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < n && status == MJ_OK && mj_proves(b); i++) {
        const unsigned readings = mj_part_readings(b->tables, &list[i]);
        const bool dead = is_dead(s, &list[i], rows, readings);
        if (b->told && dead)
            skip_states(s, mj_size(mj_part_ranks(&list[i], s->n_kinds)));
        if (b->told && !dead)
            status = sort_marks(s, &list[i], rows);
        if (status == MJ_OK && !dead)
            status = sort_bare(s, &list[i], rows);
        skip_states(s, 1);
        for (unsigned side = 0; side < b->spec->n_sides; side++)
            rows[side] += readings;
    }
    return status;
}

mj_status mj_sort_parts(mj_proving *b, bool voids)
{
    sorter *s = malloc(sizeof *s);
    mj_status status = s == NULL ? MJ_NO_MEMORY : MJ_OK;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        for (unsigned is_void = 0; is_void <= (voids && part < MJ_HONOURS); is_void++)
            if (b->parts->in_set[part] && status == MJ_OK && mj_proves(b)) {
                bool turned;
                status = mj_turn_parts(b, part, is_void, &turned);
                if (turned || status != MJ_OK)
                    continue;
                memset(s, 0, sizeof *s);
                s->b = b;
                s->stage = &b->suits[part][is_void];
                s->part = part;
                s->n_kinds = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
                s->is_void = is_void;
                status = sort_part(s);
            }
    free(s);
    return status;
}

/* ---- joins ---------------------------------------------------------------------------------- */

/* Kongs in both make two; where one has the winning tile, only that may be alone. */
static unsigned join_keys(const mj_node *a, const mj_node *b)
{
    const unsigned kongs = MJ_KEY_DIRECT | MJ_KEY_ADDED | MJ_KEY_CONCEALED;
    const unsigned of_a = b->marked ? a->key & ~(unsigned)MJ_KEY_ALONE : a->key;
    const unsigned of_b = a->marked ? b->key & ~(unsigned)MJ_KEY_ALONE : b->key;
    return of_a | of_b | ((a->key & kongs) != 0 && (b->key & kongs) != 0 ? (unsigned)MJ_KEY_TWO_KONGS : 0u);
}

static uint32_t join_waits(const mj_win *win, uint32_t x, uint32_t y)
{
    if (win->n_states == 0)
        return x | y;   /* 0, or that it does not matter */
    return x == MJ_NO_WAIT_STATE || y == MJ_NO_WAIT_STATE ? (uint32_t)MJ_NO_WAIT_STATE : win->sums[x * win->n_states + y];
}

static uint32_t outcome_of(const mj_win *win, const mj_node *n, uint32_t state)
{
    return n->marked && win->n_states > 0 && state != MJ_NO_WAIT_STATE ? win->outcomes[state] : MJ_NO_OUTCOME;
}

static mj_status join_two(mj_proving *b, const mj_joined *x, uint32_t i, const mj_joined *y, uint32_t k, unsigned part,
                          bool last, mj_joined *out)
{
    const mj_node *first = mj_pool_get(&x->nodes, i), *second = mj_pool_get(&y->nodes, k);
    mj_node sum;
    memset(&sum, 0, mj_node_bytes(b));
    sum.size = first->size + second->size;
    sum.key = (uint8_t)join_keys(first, second);
    sum.marked = first->marked | second->marked;
    bool full = false;
    for (unsigned view = 0; view < b->n_views; view++) {
        const mj_status status = mj_aspect_join(&b->aspects[b->side_of[view]], &first->sets[view], &second->sets[view],
                                                &sum.sets[view], &full);
        if (status != MJ_OK)
            return status;
    }
    if (full)
        return mj_leave_unproved(b, MJ_SEES_TOO_MUCH);
    if (is_empty(b, &sum))
        return MJ_OK;
    for (unsigned side = 0; side < b->spec->n_sides; side++) {
        const mj_win *win = &b->aspects[side].win;
        sum.waits[side] = join_waits(win, first->waits[side], second->waits[side]);
        if (last)
            sum.waits[side] = outcome_of(win, &sum, sum.waits[side]);
    }
    mj_tally t = x->tallies[i];
    const mj_tally *other = &y->tallies[k];
    const mj_status status = mj_times_part(&t, other, part);
    if (status != MJ_OK)
        return status;
    uint32_t at;
    return mj_put_node(out, &sum, &t, &at);
}

/* Joins a further part; at the `last`, only what makes whole hands. */
static mj_status join(mj_proving *b, const mj_joined *x, const mj_joined *y, unsigned part, bool last, mj_joined *out)
{
    const unsigned whole = b->parts->whole;
    if (!mj_pool_start(&out->nodes, mj_node_bytes(b)))
        return MJ_NO_MEMORY;
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < x->nodes.n && status == MJ_OK && mj_proves(b); i++) {
        const mj_node *first = mj_pool_get(&x->nodes, i);
        const unsigned size = first->size, marks = first->marked;
        for (uint32_t k = 0; k < y->nodes.n && status == MJ_OK; k++) {
            const mj_node *second = mj_pool_get(&y->nodes, k);
            const unsigned sum = size + second->size, marked = marks + second->marked;
            if (marked > 1 || (last ? sum != whole || (marked == 0 && !b->bare) : sum > whole))
                continue;
            if (++b->n_joins > MAX_SPACE_JOINS || out->nodes.n > MAX_SPACE_CLASSES)
                return mj_leave_unproved(b, MJ_SEES_TOO_MUCH);
            status = join_two(b, x, i, y, k, part, last, out);
        }
    }
    return status;
}

mj_status mj_join_parts(mj_proving *b, unsigned void_suit, mj_joined *last)
{
    mj_joined so_far = {.tallies = NULL};
    const mj_joined *before = NULL;
    unsigned rest = 0;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        rest += b->parts->in_set[part];
    mj_status status = MJ_OK;
    for (unsigned part = 0; part < MJ_PARTS && status == MJ_OK && mj_proves(b); part++) {
        if (!b->parts->in_set[part])
            continue;
        const mj_joined *own = &b->suits[part][part == void_suit];
        mj_joined joined = {.tallies = NULL};
        if (before == NULL) {
            /* The first part is joined to nothing, so that all that follows is alike. */
            uint32_t at;
            status = mj_pool_start(&joined.nodes, mj_node_bytes(b)) ? MJ_OK : MJ_NO_MEMORY;
            rest -= 1;
            for (uint32_t i = 0; i < own->nodes.n && status == MJ_OK; i++) {
                mj_node n;
                memcpy(&n, mj_pool_get(&own->nodes, i), mj_node_bytes(b));
                if (rest == 0 && (n.size != b->parts->whole || (n.marked == 0 && !b->bare)))
                    continue;
                for (unsigned side = 0; side < b->spec->n_sides && rest == 0; side++)
                    n.waits[side] = outcome_of(&b->aspects[side].win, &n, n.waits[side]);
                status = mj_put_node(&joined, &n, &own->tallies[i], &at);
            }
        } else {
            status = join(b, before, own, part, --rest == 0, &joined);
        }
        mj_free_joined(&so_far);
        so_far = joined;
        before = &so_far;
    }
    *last = so_far;
    return status;
}
