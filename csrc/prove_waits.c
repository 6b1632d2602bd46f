/* What the hand without its winning tile waits for.
 *
 * That is not of one part.  A part tells by which of its own kinds it would be complete and whether it is complete
 * as it is; parts are joined by a rule that is written down below.  What comes of that are *states*, and those
 * which no further part can tell apart are one. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum {
    MAX_STATES = 1536,
    LATELY = 256
};

/* ---- parts ------------------------------------------------------------------------------- */

/* What parts without the winning tile tell of waits; numbers are held at the most that is told apart. */
typedef struct state {
    uint8_t marked;
    uint8_t third;        /* number of tiles, modulo 3 */
    uint8_t complete;     /* as they are */
    uint8_t waits;        /* kinds by which they would be; */
    uint8_t low, high;    /* of these, tiles that may be left on the table: at least, at most */
    uint8_t odd;          /* kinds held in an odd number, 2 for more, or where twins cannot be; */
    uint8_t odd_low;      /* of the only one the tiles that are left at least, */
    uint8_t odd_waits;    /* and whether it is among the waits */
} state;

static unsigned held_at(unsigned sum, unsigned most)
{
    return sum < most ? sum : most;
}

/* Of a part with these concealed copies; `mark` is the rank of the winning tile, MJ_RANKS for none. */
static state state_of(const mj_win *win, const mj_part *p, const uint8_t *held, unsigned n_kinds, unsigned mark,
                      uint16_t open)
{
    const unsigned n_melds = mj_melds_of_order(p->order);
    const bool marked = mark < MJ_RANKS;
    state s = {.marked = marked, .third = (uint8_t)((p->size - marked) % 3)};
    if (win->plain) {
        s.complete = (open & MJ_IS_COMPLETE) != 0;
        unsigned waits = 0, low = 0, high = 0;
        for (uint32_t rest = open & (MJ_IS_COMPLETE - 1u); rest != 0; rest &= rest - 1) {
            const unsigned rank = mj_lowest(rest);
            waits += 1;
            low += held[rank];
            high += MJ_MAX_COPIES - mj_declared_copies(p, rank);
        }
        s.waits = (uint8_t)held_at(waits, win->most_waits);
        s.low = (uint8_t)held_at(low, win->most_left);
        s.high = (uint8_t)held_at(high, win->most_left);
    }
    s.odd = win->twins && n_melds > 0 ? 2 : 0;
    for (unsigned rank = 0; rank < n_kinds && win->twins && n_melds == 0; rank++) {
        if ((held[rank] - (rank == mark)) % 2 == 0)
            continue;
        s.odd = s.odd == 0 ? 1 : 2;
        s.odd_low = (uint8_t)held_at(held[rank], win->most_left);
        s.odd_waits = win->plain && (open >> rank & 1);
    }
    if (s.odd != 1)
        s.odd_low = s.odd_waits = 0;
    return s;
}

/* Two suits wait for what one of them waits for while the other is complete.  More than one pair cannot be: then
 * so many tiles are not melds and one pair, nor would be with one more. */
static state join_states(const mj_win *win, const state *x, const state *y)
{
    state s = {.marked = x->marked | y->marked, .third = (uint8_t)((x->third + y->third) % 3)};
    s.complete = x->complete && y->complete && s.third != 1;
    const bool x_waits = y->complete && s.third != 0, y_waits = x->complete && s.third != 0;
    s.waits = (uint8_t)held_at((x_waits ? x->waits : 0u) + (y_waits ? y->waits : 0u), win->most_waits);
    s.low = (uint8_t)held_at((x_waits ? x->low : 0u) + (y_waits ? y->low : 0u), win->most_left);
    s.high = (uint8_t)held_at((x_waits ? x->high : 0u) + (y_waits ? y->high : 0u), win->most_left);
    s.odd = (uint8_t)held_at(x->odd + y->odd, 2);
    if (s.odd == 1) {
        s.odd_low = x->odd == 1 ? x->odd_low : y->odd_low;
        s.odd_waits = x->odd == 1 ? x->odd_waits && x_waits : y->odd_waits && y_waits;
    }
    return s;
}

/* What a whole hand waits for. */
static uint32_t outcome_of(const mj_win *win, const state *s)
{
    if (!s->marked || s->third != 1)
        return MJ_NO_OUTCOME;
    const bool one_more = s->odd == 1 && !s->odd_waits;
    const unsigned waits = held_at(s->waits + one_more, win->most_waits);
    const unsigned low = held_at(s->low + (one_more ? s->odd_low : 0u), win->most_left);
    const unsigned high = held_at(s->high + (one_more ? MJ_MAX_COPIES : 0u), win->most_left);
    return mj_outcome(waits, low, high);
}

static bool honours_are_complete(const uint8_t *copies)
{
    unsigned pairs = 0;
    for (unsigned rank = 0; rank < MJ_HONOUR_KINDS; rank++) {
        if (copies[rank] == 1 || copies[rank] > 3)
            return false;
        pairs += copies[rank] == 2;
    }
    return pairs < 2;
}

static uint16_t open_honours(uint8_t *copies)
{
    uint16_t open = honours_are_complete(copies) ? MJ_IS_COMPLETE : 0;
    for (unsigned rank = 0; rank < MJ_HONOUR_KINDS; rank++) {
        if (copies[rank] == MJ_MAX_COPIES)
            continue;
        copies[rank] += 1;
        if (honours_are_complete(copies))
            open |= (uint16_t)(1u << rank);
        copies[rank] -= 1;
    }
    return open;
}

/* Numbers a state; false when there are too many. */
static bool number_state(mj_pool *raw, const state *s, uint16_t *number)
{
    const uint32_t n = mj_pool_put(raw, s);
    *number = (uint16_t)n;
    return n < MAX_STATES;
}

/* Neighbours in a list of parts are much alike: their states by what they were lately. */
typedef struct lately {
    state states[LATELY];
    uint16_t numbers[LATELY];
} lately;

static bool number_again(mj_pool *raw, lately *l, const state *s, uint16_t *number)
{
    const unsigned place = (s->low * 61u + s->high * 7u + s->waits * 29u + s->odd * 5u + s->odd_low * 3u + s->odd_waits
                            + s->third * 11u + s->complete * 17u + s->marked * 37u) % LATELY;
    if (memcmp(&l->states[place], s, sizeof *s) != 0) {
        if (!number_state(raw, s, &l->numbers[place]))
            return false;
        l->states[place] = *s;
    }
    *number = l->numbers[place];
    return true;
}

static mj_status list_states(mj_win *win, mj_pool *raw, const mj_parts *parts, const mj_spots *places, bool *full)
{
    lately l;
    memset(&l, 0xff, sizeof l);   /* no state is so */
    for (unsigned honours = 0; honours < 2; honours++) {
        const mj_part *list = honours ? parts->honour : parts->suit;
        const uint32_t n = honours ? parts->n_honour : parts->n_suit;
        const unsigned n_kinds = honours ? MJ_HONOUR_KINDS : MJ_RANKS;
        size_t all = 1;
        for (uint32_t i = 0; i < n; i++)
            all += 1 + mj_size(mj_part_ranks(&list[i], n_kinds));
        uint16_t *put = win->state_of[honours] = malloc(all * sizeof *put);
        if (put == NULL)
            return MJ_NO_MEMORY;
        for (uint32_t i = 0; i < n && !*full; i++) {
            const uint32_t ranks = mj_part_ranks(&list[i], n_kinds) | 1u << MJ_RANKS;
            uint8_t held[MJ_RANKS], copies[MJ_RANKS];
            mj_part_copies(&list[i], n_kinds, held);
            for (uint32_t rest = ranks; rest != 0 && !*full; rest &= rest - 1) {
                const unsigned mark = mj_lowest(rest);
                uint16_t open;
                if (honours) {
                    memcpy(copies, held, sizeof copies);
                    copies[mark % MJ_RANKS] = (uint8_t)(copies[mark % MJ_RANKS] - (mark < MJ_RANKS));
                    open = open_honours(copies);
                } else {
                    open = places->open[(size_t)list[i].state * (MJ_RANKS + 1) + mark];
                }
                const state s = state_of(win, &list[i], held, n_kinds, mark, open);
                *full |= !number_again(raw, &l, &s, put++);
            }
        }
    }
    return MJ_OK;
}

/* The table of all sums, as far as they go: rows and columns by the numbers in `raw`, which grows. */
static mj_status add_up(const mj_win *win, mj_pool *raw, uint16_t *sums, bool *full)
{
    for (uint32_t x = 0; x < raw->n && !*full; x++)
        for (uint32_t y = 0; y <= x && !*full; y++) {
            const state a = *(const state *)mj_pool_get(raw, x), b = *(const state *)mj_pool_get(raw, y);
            uint16_t number = MJ_NO_WAIT_STATE;
            if (!(a.marked && b.marked)) {
                const state s = join_states(win, &a, &b);
                *full |= !number_state(raw, &s, &number);
            }
            sums[x * MAX_STATES + y] = sums[y * MAX_STATES + x] = number;
        }
    return MJ_OK;
}

/* States that no further one can tell apart are one. */
static mj_status merge_states(mj_win *win, const mj_pool *raw, const uint16_t *sums)
{
    const uint32_t n = raw->n;
    uint32_t *row = malloc((n + 2) * sizeof *row), *stands_for = malloc(n * sizeof *stands_for);
    uint16_t *class_of = malloc(n * sizeof *class_of);
    mj_pool rows = {0};
    mj_status status = row == NULL || stands_for == NULL || class_of == NULL
                       || !mj_pool_start(&rows, (n + 2) * (uint32_t)sizeof *row) ? MJ_NO_MEMORY : MJ_OK;
    for (uint32_t x = 0; x < n && status == MJ_OK; x++) {
        const state *own = mj_pool_get(raw, x);
        row[0] = outcome_of(win, own);
        row[1] = own->marked * 3u + own->third;
        for (uint32_t z = 0; z < n; z++) {
            const uint16_t sum = sums[x * MAX_STATES + z];
            row[2 + z] = sum == MJ_NO_WAIT_STATE ? MJ_NO_OUTCOME : outcome_of(win, mj_pool_get(raw, sum));
        }
        const uint32_t class = mj_pool_put(&rows, row);
        if (class == UINT32_MAX)
            status = MJ_NO_MEMORY;
        else if (class + 1 == rows.n)
            stands_for[class] = x;
        class_of[x] = (uint16_t)class;
    }
    win->n_states = rows.n;
    win->sums = malloc((size_t)rows.n * rows.n * sizeof *win->sums + 1);
    win->outcomes = malloc((rows.n + 1) * sizeof *win->outcomes);
    if (win->sums == NULL || win->outcomes == NULL)
        status = MJ_NO_MEMORY;
    for (uint32_t a = 0; a < rows.n && status == MJ_OK; a++) {
        win->outcomes[a] = outcome_of(win, mj_pool_get(raw, stands_for[a]));
        for (uint32_t b = 0; b < rows.n; b++) {
            const uint16_t sum = sums[stands_for[a] * MAX_STATES + stands_for[b]];
            win->sums[a * rows.n + b] = sum == MJ_NO_WAIT_STATE ? MJ_NO_WAIT_STATE : class_of[sum];
        }
    }
    win->class_of = class_of;
    if (status != MJ_OK) {
        free(class_of);
        win->class_of = NULL;
    }
    mj_pool_free(&rows);
    free(row);
    free(stands_for);
    return status;
}

mj_status mj_win_states(mj_win *win, const mj_parts *parts, const mj_spots *places, mj_fold_reason *reason)
{
    if (win->n_waits + win->n_left == 0)
        return MJ_OK;
    mj_pool raw = {0};
    bool full = false;
    uint16_t *sums = malloc((size_t)MAX_STATES * MAX_STATES * sizeof *sums);
    mj_status status = sums == NULL || !mj_pool_start(&raw, sizeof(state)) ? MJ_NO_MEMORY : MJ_OK;
    if (status == MJ_OK)
        status = list_states(win, &raw, parts, places, &full);
    if (status == MJ_OK && !full)
        status = add_up(win, &raw, sums, &full);
    if (status == MJ_OK && !full)
        status = merge_states(win, &raw, sums);
    if (full)
        *reason = MJ_SEES_TOO_MUCH;
    free(sums);
    mj_pool_free(&raw);
    return status;
}
