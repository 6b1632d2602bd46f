/* A hand taken apart in every way its shapes allow, in the order that mj.h documents.
 *
 * An ordinary shape, melds and a pair, is read from the suit tables: a hand's readings are
 * the product of its suits' readings.  Suits are joined with m outermost, which is the same
 * order as going through the kinds one by one.  Shapes with other parts, and a hand that
 * holds five of a kind as a question, are read by going through the kinds.
 */
#include <string.h>

#include "kernel.h"

typedef struct search {
    const mj_shape *shape;
    const mj_hand *hand;
    bool all_places;
    mj_visit *visit;
    void *context;

    mj_reading reading;   /* so far */
    unsigned n_runs;      /* declared melds included, as in the next line */
    unsigned n_triplets;
    unsigned n_pairs;
    unsigned n_twins;

    /* for the tables: each suit's readings */
    const mj_suit_reading *suits[MJ_SUITS];
    unsigned n_suit_readings[MJ_SUITS];
    mj_suit_reading honours;

    /* for going through the kinds */
    uint8_t left[MJ_KINDS];
    uint8_t singles[MJ_KINDS];
} search;

/* ---- a reading is complete ------------------------------------------------- */

mj_wait mj_wait_of(mj_group group, unsigned win_tile)
{
    switch (group.type) {
    case MJ_PAIR:
        return MJ_WAIT_SINGLE;
    case MJ_TRIPLET:
        return MJ_WAIT_TWIN;
    case MJ_RUN: {
        const unsigned place = win_tile - group.tile;
        const unsigned rank = group.tile % MJ_RANKS;
        if (place == 1)
            return MJ_WAIT_CLOSED;
        if ((place == 2 && rank == 0) || (place == 0 && rank == MJ_RANKS - 3))
            return MJ_WAIT_EDGE;
        return MJ_WAIT_OPEN;
    }
    default:
        return MJ_WAIT_NONE;
    }
}

/* Visits the reading once for each place of the winning tile. */
static bool visit_places(search *s)
{
    mj_reading *reading = &s->reading;
    const unsigned win_tile = s->hand->win_tile;
    if (win_tile == MJ_NONE) {
        reading->win_group = MJ_NONE;
        reading->wait = MJ_WAIT_NONE;
        return s->visit(s->context, reading);
    }
    for (unsigned i = s->hand->n_melds; i < reading->n_groups; i++) {
        mj_group *group = &reading->groups[i];
        if (!(mj_kinds_of(*group) >> win_tile & 1))
            continue;
        const bool repeated = i > s->hand->n_melds && group[-1].type == group->type
                              && group[-1].tile == group->tile;
        if (repeated)
            continue;

        reading->win_group = (uint8_t)i;
        reading->wait = (uint8_t)mj_wait_of(*group, win_tile);
        const uint8_t type = group->type;
        if (type == MJ_TRIPLET && s->hand->claimed)
            group->type = MJ_TRIPLET_CLAIMED;
        const bool go_on = s->visit(s->context, reading);
        group->type = type;
        if (!go_on || !s->all_places)
            return go_on;
    }
    return true;
}

/* Visits the reading if its groups are what the shape asks for. */
static bool finish(search *s)
{
    const mj_shape *shape = s->shape;
    const unsigned melds = shape->n_melds + shape->n_runs + shape->n_triplets;
    const bool fits = s->n_runs + s->n_triplets == melds && s->n_runs >= shape->n_runs
                      && s->n_triplets >= shape->n_triplets && s->n_pairs == shape->n_pairs
                      && s->n_twins == shape->n_twins;
    return !fits || visit_places(s);
}

static void push(search *s, mj_group_type type, unsigned kind, unsigned times)
{
    while (times-- > 0)
        s->reading.groups[s->reading.n_groups++] = (mj_group){(uint8_t)type, (uint8_t)kind};
}

/* ---- by the tables ----------------------------------------------------------- */

/* Honours form no runs, so what is complete has one reading and needs no table. */
static bool read_honours(search *s)
{
    mj_suit_reading *reading = &s->honours;
    reading->n_groups = reading->n_runs = reading->n_triplets = reading->n_pairs = 0;
    for (unsigned kind = MJ_NUMBER_KINDS; kind < MJ_KINDS; kind++) {
        const unsigned copies = s->hand->concealed[kind];
        if (copies == 0)
            continue;
        if (copies == 2)
            reading->n_pairs += 1;
        else if (copies == 3)
            reading->n_triplets += 1;
        else
            return false;
        if (reading->n_pairs > 1)
            return false;
        reading->groups[reading->n_groups++] = (mj_group){
            copies == 2 ? MJ_PAIR : MJ_TRIPLET, (uint8_t)(kind - MJ_NUMBER_KINDS)};
    }
    return true;
}

/* Whether every suit has a reading. */
static bool read_suits(search *s, const mj_tables *tables, const uint16_t *ids)
{
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        const unsigned id = ids[suit];
        if (id == 0)
            return false;
        s->suits[suit] = tables->readings + tables->first[id];
        s->n_suit_readings[suit] = tables->first[id + 1] - tables->first[id];
    }
    s->suits[MJ_HONOURS] = &s->honours;
    s->n_suit_readings[MJ_HONOURS] = 1;
    return read_honours(s);
}

/* Adds the groups of a suit's reading; all that there might be are written, which goes without a loop. */
static void lay(search *s, const mj_suit_reading *part, unsigned suit)
{
    mj_group *groups = s->reading.groups + s->reading.n_groups;
    for (unsigned g = 0; g < MJ_SUIT_GROUPS; g++)
        groups[g] = (mj_group){part->groups[g].type, (uint8_t)(part->groups[g].tile + suit * MJ_RANKS)};
    s->reading.n_groups = (uint8_t)(s->reading.n_groups + part->n_groups);
    s->n_runs += part->n_runs;
    s->n_triplets += part->n_triplets;
    s->n_pairs += part->n_pairs;
}

static bool join_suits(search *s, unsigned suit)
{
    if (suit == MJ_SUITS)
        return finish(s);
    const unsigned n_groups = s->reading.n_groups;
    for (unsigned i = 0; i < s->n_suit_readings[suit]; i++) {
        const mj_suit_reading *part = &s->suits[suit][i];
        if (s->n_pairs + part->n_pairs > s->shape->n_pairs)
            continue;
        lay(s, part, suit);
        const bool go_on = join_suits(s, suit + 1);
        s->n_runs -= part->n_runs;
        s->n_triplets -= part->n_triplets;
        s->n_pairs -= part->n_pairs;
        s->reading.n_groups = (uint8_t)n_groups;
        if (!go_on)
            return false;
    }
    return true;
}

/* ---- kind by kind --------------------------------------------------------------- */

static bool take_from(search *s, unsigned kind);

/* Takes so many groups that start at this kind, then goes on with the next. */
static bool take(search *s, unsigned kind, unsigned runs, unsigned triplets, unsigned pairs,
                 unsigned twins)
{
    const unsigned n_groups = s->reading.n_groups;
    push(s, MJ_RUN, kind, runs);
    push(s, MJ_TRIPLET, kind, triplets);
    push(s, MJ_PAIR, kind, pairs);
    push(s, MJ_TWIN, kind, twins);
    push(s, MJ_SINGLE, kind, s->singles[kind]);
    s->n_runs += runs;
    s->n_triplets += triplets;
    s->n_pairs += pairs;
    s->n_twins += twins;
    if (runs > 0) {
        s->left[kind + 1] = (uint8_t)(s->left[kind + 1] - runs);
        s->left[kind + 2] = (uint8_t)(s->left[kind + 2] - runs);
    }

    const bool go_on = take_from(s, kind + 1);

    if (runs > 0) {
        s->left[kind + 1] = (uint8_t)(s->left[kind + 1] + runs);
        s->left[kind + 2] = (uint8_t)(s->left[kind + 2] + runs);
    }
    s->n_runs -= runs;
    s->n_triplets -= triplets;
    s->n_pairs -= pairs;
    s->n_twins -= twins;
    s->reading.n_groups = (uint8_t)n_groups;
    return go_on;
}

/* Takes groups from this kind on, in every way that uses up what is left. */
static bool take_from(search *s, unsigned kind)
{
    while (kind < MJ_KINDS && s->left[kind] == 0 && s->singles[kind] == 0)
        kind++;
    if (kind == MJ_KINDS)
        return finish(s);

    const mj_shape *shape = s->shape;
    const unsigned copies = s->left[kind];
    const unsigned melds = shape->n_melds + shape->n_runs + shape->n_triplets;
    const unsigned open = melds - s->n_runs - s->n_triplets;
    unsigned most_runs = 0;
    if (mj_starts_run(kind)) {
        const unsigned next = s->left[kind + 1], last = s->left[kind + 2];
        most_runs = next < last ? next : last;
    }
    for (unsigned triplet = copies >= 3 ? 2 : 1; triplet-- > 0;) {
        for (unsigned twos = 0; 3 * triplet + 2 * twos <= copies; twos++) {
            const unsigned runs = copies - 3 * triplet - 2 * twos;
            if (runs > most_runs || runs + triplet > open)
                continue;
            for (unsigned pair = twos > 0 && s->n_pairs < shape->n_pairs ? 2 : 1; pair-- > 0;) {
                if (s->n_twins + twos - pair > shape->n_twins)
                    continue;
                if (!take(s, kind, runs, triplet, pair, twos - pair))
                    return false;
            }
        }
    }
    return true;
}

/* Whether the single-tile parts can share these tiles out among themselves: by Hall's
 * theorem, if for no set of parts too many tiles suit only the parts of that set. */
static bool can_share(const mj_shape *shape, const uint8_t *singles)
{
    for (unsigned parts = 0; parts < 1u << shape->n_singles; parts++) {
        unsigned room = 0, tiles = 0;
        uint64_t others = 0;
        for (unsigned i = 0; i < shape->n_singles; i++) {
            if (parts >> i & 1)
                room += shape->singles[i];
            else
                others |= shape->single_of[i];
        }
        for (unsigned kind = 0; kind < MJ_KINDS; kind++)
            tiles += others >> kind & 1 ? 0u : singles[kind];
        if (tiles > room)
            return false;
    }
    return true;
}

/* Chooses `wanted` tiles for the single-tile parts, from this kind on.  All parts choose
 * together, so that two ways to share out the same tiles are one reading. */
static bool choose_singles(search *s, const uint8_t *held, uint8_t *chosen, unsigned kind,
                           unsigned wanted)
{
    if (wanted == 0) {
        if (!can_share(s->shape, chosen))
            return true;
        for (unsigned k = 0; k < MJ_KINDS; k++) {
            s->left[k] = (uint8_t)(held[k] - chosen[k]);
            s->singles[k] = chosen[k];
        }
        for (unsigned i = 0; i < s->shape->n_each; i++)
            for (uint64_t set = s->shape->each_of[i]; set != 0; set &= set - 1)
                s->singles[mj_lowest(set)] += 1;
        return take_from(s, 0);
    }
    if (kind == MJ_KINDS)
        return true;
    for (unsigned n = held[kind] < wanted ? held[kind] : wanted;; n--) {
        chosen[kind] = (uint8_t)n;
        if (!choose_singles(s, held, chosen, kind + 1, wanted - n))
            return false;
        if (n == 0)
            return true;
    }
}

static bool read_by_kinds(search *s)
{
    const mj_shape *shape = s->shape;
    uint8_t held[MJ_KINDS], chosen[MJ_KINDS] = {0};
    memcpy(held, s->hand->concealed, sizeof held);
    for (unsigned i = 0; i < shape->n_each; i++) {
        for (uint64_t set = shape->each_of[i]; set != 0; set &= set - 1)
            if (held[mj_lowest(set)]-- == 0)
                return true;
    }
    unsigned wanted = 0;
    for (unsigned i = 0; i < shape->n_singles; i++)
        wanted += shape->singles[i];
    return choose_singles(s, held, chosen, 0, wanted);
}

/* Twins alone are taken in one way, if at all. */
static bool read_twins(search *s)
{
    const mj_hand *hand = s->hand;
    s->n_twins = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        const unsigned twins = hand->concealed[kind] / 2;
        if (twins == 0)
            continue;
        push(s, MJ_TWIN, kind, twins);
        s->n_twins += twins;
    }
    const bool go_on = finish(s);
    s->reading.n_groups = 0;
    s->n_twins = 0;
    return go_on;
}

/* A shape with parts that the tables know nothing of; such go with no melds.  One of pairs alone can be made only where
 * of each kind there are two, four or none. */
static bool read_special(search *s, bool any_odd)
{
    const mj_shape *shape = s->shape;
    if (s->hand->n_melds > 0 || (mj_is_of_pairs(shape) && any_odd))
        return true;
    return mj_is_of_pairs(shape) && shape->n_pairs == 0 ? read_twins(s) : read_by_kinds(s);
}

/* ---- all shapes ------------------------------------------------------------------- */

static bool holds_five(const mj_hand *hand)
{
    /* Only the winning tile may stand above the tile set. */
    return hand->win_tile != MJ_NONE && hand->concealed[hand->win_tile] > MJ_MAX_COPIES;
}

void mj_each_reading(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                     bool all_places, mj_visit *visit, void *context)
{
    uint16_t ids[MJ_HONOURS] = {0};
    for (unsigned suit = 0; suit < MJ_HONOURS && !holds_five(hand); suit++)
        ids[suit] = tables->id[mj_suit_index(hand->concealed + suit * MJ_RANKS)];
    mj_each_reading_of(tables, program, hand, ids, all_places, visit, context);
}

void mj_each_reading_of(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                        const uint16_t ids[MJ_HONOURS], bool all_places, mj_visit *visit, void *context)
{
    search s;   /* not cleared, which would take longer than many a search */
    s.hand = hand;
    s.all_places = all_places;
    s.visit = visit;
    s.context = context;
    s.n_runs = s.n_triplets = s.n_pairs = s.n_twins = 0;
    for (unsigned i = 0; i < hand->n_melds; i++) {
        s.reading.groups[i] = hand->melds[i];
        if (mj_is_a(hand->melds[i], MJ_RUNS))
            s.n_runs += 1;
        else
            s.n_triplets += 1;
    }
    s.reading.n_groups = hand->n_melds;

    const bool by_kinds = holds_five(hand), any_odd = mj_holds_odd(hand);
    const bool complete = !by_kinds && read_suits(&s, tables, ids);
    for (unsigned i = 0; i < program->n_shapes; i++) {
        const mj_shape *shape = &program->shapes[i];
        s.shape = shape;
        s.reading.shape = (uint8_t)i;
        bool go_on = true;
        if (mj_is_special(shape))
            go_on = read_special(&s, any_odd);
        else if (by_kinds)
            go_on = read_by_kinds(&s);
        else if (complete)
            go_on = join_suits(&s, 0);
        if (!go_on)
            return;
    }
}

/* ---- readings for callers ------------------------------------------------------------ */

typedef struct list {
    mj_reading *readings;
    uint32_t capacity;
    uint32_t n;
} list;

static bool append(void *context, const mj_reading *reading)
{
    list *l = context;
    if (l->n < l->capacity)
        l->readings[l->n] = *reading;
    l->n += 1;
    return true;
}

mj_status mj_readings(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                      mj_reading *readings, uint32_t capacity, uint32_t *n)
{
    if (tables == NULL || program == NULL || hand == NULL || n == NULL
        || (readings == NULL && capacity > 0))
        return MJ_BAD_ARGUMENT;
    *n = 0;
    const unsigned tiles = program->hand_size + 1u;
    const mj_status status = mj_check_hand(program, hand, tiles, tiles, true);
    if (status != MJ_OK)
        return status;
    list l = {readings, capacity, 0};
    mj_each_reading(tables, program, hand, true, append, &l);
    *n = l.n;
    return l.n > capacity ? MJ_TOO_SMALL : MJ_OK;
}
