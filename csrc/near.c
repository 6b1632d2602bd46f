/* The tables of nearness: what each state of a suit waits for, and how many tiles it lacks. */
#include <stdlib.h>
#include <string.h>

#include "near.h"

/* ---- waits ------------------------------------------------------------------------- */

static uint32_t power_of_five(unsigned n)
{
    uint32_t power = 1;
    while (n-- > 0)
        power *= 5;
    return power;
}

/* A complete suit is waited for by those with a tile less. */
static void add_waits(mj_near *near, const mj_states *states, const mj_suit_reading *reading, uint32_t id)
{
    const uint32_t index = states->index[id];
    const unsigned melds = reading->n_runs + reading->n_triplets;
    near->waits[index] |= 1u << MJ_WHOLE_SHIFT | (uint32_t)reading->n_pairs << MJ_PAIRED_SHIFT;
    for (unsigned rank = 0; rank < MJ_RANKS; rank++) {
        const unsigned copies = states->copies[id] >> 3 * rank & 7;
        const uint32_t tile = power_of_five(MJ_RANKS - 1 - rank);
        if (copies > 0)
            near->waits[index - tile] |= 1u << rank;
        /* As a question, a fifth tile completes what a triplet or the pair completes to five. */
        if (copies == 2 && melds < MJ_MAX_MELDS)
            near->waits[index + 2 * tile] |= 1u << rank;
        if (copies == 3 && reading->n_pairs == 0)
            near->waits[index + tile] |= 1u << rank;
    }
}

/* Odd ranks, and the number of tiles. */
static void add_counts(mj_near *near, const mj_states *states)
{
    uint16_t odd[MJ_REST];
    for (uint32_t i = 0; i < MJ_REST; i++)
        odd[i] = (uint16_t)((i / 25 & 1) | (i / 5 % 5 & 1) << 1 | (i % 5 & 1) << 2);
    for (uint32_t head = 0; head < MJ_SUIT_INDICES / MJ_REST; head++) {
        const uint32_t first = (uint32_t)odd[head / MJ_REST] | (uint32_t)odd[head % MJ_REST] << 3;
        for (uint32_t rest = 0; rest < MJ_REST; rest++) {
            const uint32_t index = head * MJ_REST + rest;
            const uint32_t tiles = states->held[index] >> MJ_RANKS;
            near->waits[index] |= (first | (uint32_t)odd[rest] << 6) << MJ_ODD_SHIFT | tiles << MJ_COUNT_SHIFT;
        }
    }
    for (uint32_t index = MJ_SUIT_INDICES; index < MJ_SUIT_SLOTS; index++)
        near->waits[index] = (uint32_t)MJ_NO_TILES << MJ_COUNT_SHIFT;
}

/* Honours make no runs: two or three alike are complete, and of two at most once. */
static uint32_t honour_waits(uint32_t index)
{
    unsigned copies[MJ_HONOUR_KINDS], tiles = 0, odd = 0, pairs = 0, open = 0;
    for (unsigned i = MJ_HONOUR_KINDS; i-- > 0; index /= 5) {
        copies[i] = index % 5;
        tiles += copies[i];
        odd |= (copies[i] & 1) << i;
        pairs += copies[i] == 2;
        open |= (copies[i] == 1 || copies[i] == 4 ? 1u : 0u) << i;
    }
    unsigned waited = 0;
    for (unsigned i = 0; i < MJ_HONOUR_KINDS; i++) {
        const unsigned before = copies[i];
        const bool completes = before == 1 || before == 2 || before == 4;
        const unsigned pairs_then = pairs - (before == 2) + (before == 1) + (before == 4);
        if (completes && (open & ~(1u << i)) == 0 && pairs_then <= 1)
            waited |= 1u << i;
    }
    const bool whole = open == 0 && pairs <= 1;
    const unsigned n = tiles < MJ_NO_TILES ? tiles : MJ_NO_TILES;
    return waited | odd << MJ_ODD_SHIFT | (uint32_t)whole << MJ_WHOLE_SHIFT
           | (uint32_t)(whole && pairs > 0) << MJ_PAIRED_SHIFT | n << MJ_COUNT_SHIFT;
}

static void make_waits(mj_near *near, const mj_tables *tables, const mj_states *states)
{
    memset(near->waits, 0, sizeof near->waits);
    add_counts(near, states);
    for (uint32_t id = 1; id <= MJ_COMPLETE_SUITS; id++)
        add_waits(near, states, &tables->readings[tables->first[id]], id);
    for (uint32_t index = 0; index < MJ_HONOUR_INDICES; index++)
        near->honour_waits[index] = honour_waits(index);
}

/* ---- what a suit lacks ---------------------------------------------------------------- */

/* Ranks are gone through one by one.  The fewest tiles lacking so far are kept by the runs that were begun
 * one and two ranks before (three alike are three triplets as well, so two are enough), and by what was
 * made.  Beginnings that agree in all of this are one, and the whole is a small automaton. */
enum { RUNS = 3, BEGINNINGS = 4096 };

typedef struct beginning {
    mj_lack lack[RUNS][RUNS];
} beginning;

static void take_rank(const beginning *from, bool run_fits, unsigned held, beginning *to)
{
    memset(to, MJ_LACKS_ALL, sizeof *to);
    for (unsigned way = 0; way < RUNS * RUNS * RUNS * 4; way++) {
        const unsigned last = way % RUNS, before = way / RUNS % RUNS, runs = way / (RUNS * RUNS) % RUNS;
        const unsigned triplet = way / (RUNS * RUNS * RUNS) & 1, pair = way / (RUNS * RUNS * RUNS) >> 1;
        const unsigned wanted = last + before + runs + 3 * triplet + 2 * pair;
        if (wanted > MJ_MAX_COPIES || (runs > 0 && !run_fits))
            continue;
        const mj_lack *lack = &from->lack[last][before];
        mj_lack *best = &to->lack[runs][last];
        const unsigned more = wanted > held ? wanted - held : 0;
        const unsigned made = 2 * (runs + triplet) + pair;
        for (unsigned have = 0; have + made < MJ_LACK_WANTS; have++) {
            const unsigned sum = lack->of[have] + more;
            if (!(pair && (have & 1)) && sum < best->of[have + made])
                best->of[have + made] = (uint8_t)sum;
        }
    }
}

/* Begins with the whole indices of so many ranks; ends with the states of the last. */
static bool grow_lacks(unsigned ranks, bool runs, uint16_t *state_of, uint16_t *spare, mj_pool *ends)
{
    beginning nothing;
    memset(&nothing, MJ_LACKS_ALL, sizeof nothing);
    nothing.lack[0][0].of[0] = 0;
    mj_pool now, next;
    if (!mj_pool_start(&now, sizeof nothing) || mj_pool_put(&now, &nothing) == UINT32_MAX)
        return false;
    uint32_t n = 1;
    state_of[0] = 0;
    bool made = true;
    for (unsigned rank = 0; rank < ranks && made; rank++) {
        uint16_t step[BEGINNINGS * 5];
        made = mj_pool_start(&next, sizeof nothing) && now.n <= BEGINNINGS;
        for (uint32_t i = 0; made && i < now.n * 5; i++) {
            beginning taken;
            take_rank(mj_pool_get(&now, i / 5), runs && rank + 3 <= ranks, i % 5, &taken);
            const uint32_t number = mj_pool_put(&next, &taken);
            made = number <= UINT16_MAX;
            step[i] = (uint16_t)number;
        }
        for (uint32_t i = 0; made && i < n * 5; i++)
            spare[i] = step[state_of[i / 5] * 5 + i % 5];
        n *= 5;
        if (made)
            memcpy(state_of, spare, n * sizeof *state_of);
        mj_pool_free(&now);
        now = next;
    }
    *ends = now;
    return made;
}

/* Writes the classes of all indices of suits or honours. */
static bool make_lacks(unsigned ranks, bool runs, uint32_t n, unsigned most, mj_pool *classes, uint16_t *words)
{
    uint16_t *state_of = malloc(2 * (size_t)n * sizeof *state_of);
    mj_pool ends = {0};
    uint16_t class_of[BEGINNINGS];
    bool made = state_of != NULL && grow_lacks(ranks, runs, state_of, state_of + n, &ends) && ends.n <= BEGINNINGS;
    for (uint32_t i = 0; made && i < ends.n; i++) {
        const beginning *whole = mj_pool_get(&ends, i);
        const uint32_t number = mj_pool_put(classes, &whole->lack[0][0]);
        made = number < most;
        class_of[i] = (uint16_t)number;
    }
    for (uint32_t index = 0; made && index < n; index++)
        words[index] = class_of[state_of[index]];
    mj_pool_free(&ends);
    free(state_of);
    return made;
}

/* Pairs and tiles, for indices that are written as a head and three more digits. */
static void add_pairs(uint16_t *words, uint32_t n)
{
    uint8_t pairs[MJ_REST], tiles[MJ_REST];
    for (uint32_t i = 0; i < MJ_REST; i++) {
        pairs[i] = (uint8_t)(i / 25 / 2 + i / 5 % 5 / 2 + i % 5 / 2);
        tiles[i] = (uint8_t)(i / 25 + i / 5 % 5 + i % 5);
    }
    for (uint32_t index = 0; index < n; index++) {
        const uint32_t head = index / MJ_REST, rest = index % MJ_REST;
        const unsigned p = pairs[head / MJ_REST] + pairs[head % MJ_REST] + pairs[rest];
        const unsigned t = tiles[head / MJ_REST] + tiles[head % MJ_REST] + tiles[rest];
        words[index] = (uint16_t)(words[index] | (p < 7 ? p : 7) << MJ_PAIRS_SHIFT
                                  | (t < MJ_NO_TILES ? t : MJ_NO_TILES) << MJ_LACK_COUNT_SHIFT);
    }
}

static mj_lack add_lacks(const mj_lack *a, const mj_lack *b)
{
    mj_lack sum;
    memset(&sum, MJ_LACKS_ALL, sizeof sum);
    for (unsigned i = 0; i < MJ_LACK_WANTS; i++)
        for (unsigned k = 0; i + k < MJ_LACK_WANTS; k++)
            if (!(i & k & 1) && a->of[i] + b->of[k] < sum.of[i + k])
                sum.of[i + k] = (uint8_t)(a->of[i] + b->of[k]);
    return sum;
}

static bool join_two(mj_near *near, const mj_pool *classes)
{
    mj_pool pairs;
    bool made = mj_pool_start(&pairs, sizeof(mj_lack));
    for (uint32_t a = 0; made && a < classes->n; a++) {
        for (uint32_t b = 0; made && b < classes->n; b++) {
            const mj_lack sum = add_lacks(mj_pool_get(classes, a), mj_pool_get(classes, b));
            const uint32_t number = mj_pool_put(&pairs, &sum);
            made = number < MJ_LACK_PAIRS;
            near->two_lack[a * MJ_LACK_CLASSES + b] = (uint16_t)number;
        }
    }
    near->pairs = (mj_lack *)(void *)pairs.items;
    pairs.items = NULL;
    for (unsigned melds = 0; made && melds <= MJ_MAX_MELDS; melds++) {
        uint8_t *cell = near->three_lack[melds] = malloc((size_t)pairs.n * MJ_SUIT_LACKS);
        made = cell != NULL;
        for (uint32_t a = 0; made && a < pairs.n; a++)
            for (uint32_t b = 0; b < MJ_SUIT_LACKS; b++)
                *cell++ = b < classes->n ? mj_lacking(&near->pairs[a], mj_pool_get(classes, b), melds) : 0;
    }
    mj_pool_free(&pairs);
    return made;
}

mj_status mj_near_new(const mj_tables *tables, const mj_states *states, mj_near **out)
{
    if (tables == NULL || states == NULL || out == NULL)
        return MJ_BAD_ARGUMENT;
    mj_near *near = *out = mj_new_space(sizeof *near);
    if (near == NULL)
        return MJ_NO_MEMORY;
    near->pairs = NULL;
    memset(near->three_lack, 0, sizeof near->three_lack);
    make_waits(near, tables, states);
    mj_pool classes;
    bool made = mj_pool_start(&classes, sizeof(mj_lack))
                && make_lacks(MJ_RANKS, true, MJ_SUIT_INDICES, MJ_SUIT_LACKS, &classes, near->lacks)
                && make_lacks(MJ_HONOUR_KINDS, false, MJ_HONOUR_INDICES, MJ_LACK_CLASSES, &classes, near->honour_lacks)
                && join_two(near, &classes);
    mj_pool_free(&classes);
    if (!made) {
        mj_near_free(near);
        *out = NULL;
        return MJ_NO_MEMORY;
    }
    add_pairs(near->lacks, MJ_SUIT_INDICES);
    add_pairs(near->honour_lacks, MJ_HONOUR_INDICES);
    for (uint32_t index = MJ_SUIT_INDICES; index < MJ_SUIT_SLOTS; index++)
        near->lacks[index] = MJ_NO_TILES << MJ_LACK_COUNT_SHIFT;
    return MJ_OK;
}

void mj_near_free(mj_near *near)
{
    if (near == NULL)
        return;
    free(near->pairs);
    for (unsigned melds = 0; melds <= MJ_MAX_MELDS; melds++)
        free(near->three_lack[melds]);
    free(near);
}
