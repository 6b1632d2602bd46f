/* The states of a suit and what is seen of them. */
#include <stdlib.h>
#include <string.h>

#include "look.h"

/* ---- states ----------------------------------------------------------------------- */

static void add_state(mj_states *states, uint32_t index, bool even)
{
    const uint32_t id = ++states->n;
    states->id[index] = (uint16_t)id;
    states->index[id] = index;
    states->even[id] = even;
    states->may_hold[id] = states->held[index] & MJ_SUIT_HELD;
    for (unsigned rank = MJ_RANKS; rank-- > 0; index /= 5) {
        states->copies[id] |= index % 5 << 3 * rank;
        states->tiles[id] = (uint8_t)(states->tiles[id] + index % 5);
    }
}

static bool is_even(uint32_t index)
{
    for (; index != 0; index /= 5)
        if (index % 5 & 1)
            return false;
    return true;
}

static void add_twins(mj_states *states, unsigned rank, unsigned tiles, uint32_t index)
{
    if (tiles > MJ_MAX_TILES)
        return;
    if (rank < MJ_RANKS) {
        for (unsigned copies = 0; copies <= MJ_MAX_COPIES; copies += 2)
            add_twins(states, rank + 1, tiles + copies, index * 5 + copies);
    } else if (states->id[index] >= MJ_OPEN_STATES) {
        add_state(states, index, true);
    }
}

/* Goes through all indices, the first six ranks outside and the last three inside. */
static void fill_by_index(mj_states *states)
{
    for (uint32_t index = 0; index < MJ_SUIT_SLOTS; index++) {
        states->id[index] = MJ_NO_STATE;
        states->held[index] = MJ_NO_TILES << MJ_RANKS;
    }
    uint8_t tiles[MJ_REST], held[MJ_REST];
    for (uint32_t rest = 0; rest < MJ_REST; rest++) {
        const unsigned digits[3] = {rest / 25, rest / 5 % 5, rest % 5};
        tiles[rest] = (uint8_t)(digits[0] + digits[1] + digits[2]);
        held[rest] = (uint8_t)((digits[0] > 0) | (digits[1] > 0) << 1 | (digits[2] > 0) << 2);
    }
    for (uint32_t head = 0; head < MJ_SUIT_INDICES / MJ_REST; head++) {
        const uint32_t first = head / MJ_REST, second = head % MJ_REST;
        const unsigned head_tiles = tiles[first] + tiles[second];
        const unsigned head_held = held[first] | held[second] << 3;
        for (uint32_t rest = 0; rest < MJ_REST; rest++) {
            const unsigned n = head_tiles + tiles[rest] < MJ_NO_TILES ? head_tiles + tiles[rest] : MJ_NO_TILES;
            states->id[head * MJ_REST + rest] = (uint16_t)(MJ_OPEN_STATES + n);
            states->held[head * MJ_REST + rest] = (uint16_t)(n << MJ_RANKS | held[rest] << 6 | head_held);
        }
    }
}

static void fill_melds(mj_states *states)
{
    for (unsigned code = 1; code < 256; code++) {
        mj_group meld;
        states->meld_kinds[code] = mj_meld_of_code(code, &meld) ? mj_kinds_of(meld) : UINT64_MAX;
    }
}

static void fill_honours(mj_states *states)
{
    for (uint32_t index = 0; index < MJ_HONOUR_INDICES; index++) {
        uint32_t rest = index;
        for (unsigned i = MJ_HONOUR_KINDS; i-- > 0; rest /= 5)
            states->honours_held[index] |= (uint8_t)((rest % 5 > 0) << i);
    }
}

mj_status mj_states_new(const mj_tables *tables, mj_states **out)
{
    if (tables == NULL || out == NULL)
        return MJ_BAD_ARGUMENT;
    mj_states *states = mj_new_space(sizeof *states);
    *out = states;
    if (states == NULL)
        return MJ_NO_MEMORY;
    memset(states, 0, sizeof *states);
    fill_by_index(states);
    fill_honours(states);
    fill_melds(states);
    for (uint32_t id = 1; id <= MJ_COMPLETE_SUITS; id++)
        add_state(states, tables->index[id], is_even(tables->index[id]));
    add_twins(states, 0, 0, 0);
    for (uint32_t id = states->n + 1; id < MJ_STATES; id++)
        states->may_hold[id] = MJ_SUIT_HELD;
    return MJ_OK;
}

bool mj_cross_melds(const mj_states *states, const mj_indices *index, uint64_t besides, mj_told_melds *melds)
{
    bool held_besides[MJ_MAX_MELDS] = {false};
    uint64_t kinds[MJ_MAX_MELDS];
    unsigned each[MJ_MAX_MELDS];
    for (unsigned i = 0; i < melds->n; i++) {
        const unsigned code = mj_meld_code(melds->codes, i);
        kinds[i] = states->meld_kinds[code];
        each[i] = code >= MJ_KONG_CODES ? 4 : code >= MJ_PUNG_CODES ? 3 : 1;
    }
    for (unsigned i = 0; i < melds->n; i++) {
        for (uint64_t rest = kinds[i] & besides; rest != 0; rest &= rest - 1) {
            const unsigned kind = mj_lowest(rest);
            const unsigned held = mj_copies_of(index, kind);
            unsigned melded = 0;
            for (unsigned k = 0; k < melds->n; k++)
                melded += (kinds[k] >> kind & 1) * each[k];
            melds->crossing |= melded > each[i] || (each[i] == 1 && held > 0);
            held_besides[i] |= held > 0;
            if (melded + held > MJ_MAX_COPIES)
                return false;
        }
    }
    for (unsigned i = 0; i < melds->n; i++)
        if (held_besides[i] && each[i] == 3) {
            melds->codes += (uint32_t)MJ_PUNG_OVERLAP << 8 * i;
            melds->overlapping = true;
        }
    return true;
}

void mj_states_free(mj_states *states)
{
    free(states);
}

/* ---- what is seen of them ------------------------------------------------------------ */

/* What is seen of a suit as a whole: that it is there, and whether it is the void one. */
static void see_suit(const mj_sight *s, unsigned suit, unsigned tiles, bool is_void, mj_vector *v)
{
    for (unsigned f = 0; f < MJ_MAX_FEATURES && tiles > 0; f++) {
        if (s->first[f] == MJ_NONE)
            continue;
        const mj_feature *feature = &s->program->features[f];
        if (feature->kind == MJ_F_SUITS && (feature->types >> suit & 1))
            mj_raise(v, s->first[f] + suit, 1);
        if (feature->kind == MJ_F_VOID_TILES && is_void)
            mj_raise(v, s->first[f], tiles);
    }
}

static void see_patterns(const mj_sight *s, const mj_reading *reading, mj_vector *v)
{
    const mj_view view = {.program = s->program};
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        if (s->first[f] != MJ_NONE && s->program->features[f].kind == MJ_F_PATTERN)
            mj_raise(v, s->first[f],
                     (unsigned)mj_reading_feature(&view, &s->program->features[f], reading));
}

static bool sees_patterns(const mj_sight *s)
{
    bool found = false;
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        found |= s->first[f] != MJ_NONE && s->program->features[f].kind == MJ_F_PATTERN;
    return found;
}

/* The vectors of the states of number suits, one for each reading, or for each reading and place of the
 * winning tile. */
typedef struct looker {
    mj_seen *seen;
    const mj_sight *sight;
    const mj_tables *tables;
    const mj_states *states;
    mj_vector whole[2][MJ_HONOURS][MJ_MAX_TILES + 1];
    bool patterns;
    mj_mark mark;
    uint32_t *row;       /* the next number goes here */
} looker;

static bool put(looker *l, mj_vector *v, const mj_reading *reading, unsigned tiles)
{
    if (l->patterns)
        see_patterns(l->sight, reading, v);
    mj_seen *seen = l->seen;
    const uint32_t before = seen->vectors.n, number = mj_pool_put(&seen->vectors, v);
    *l->row++ = number;
    if (number == UINT32_MAX)
        return false;
    if (seen->vectors.n > before) {
        if ((before & (before - 1)) == 0) {   /* at every power of two */
            uint8_t *more = realloc(seen->tiles, before == 0 ? 1 : 2 * before);
            if (more == NULL)
                return false;
            seen->tiles = more;
        }
        seen->tiles[before] = (uint8_t)tiles;
    } else if (tiles < seen->tiles[number]) {
        seen->tiles[number] = (uint8_t)tiles;
    }
    return true;
}

bool mj_place_mark(const mj_sight *s, mj_mark mark, unsigned i, mj_reading *reading, mj_vector *v)
{
    mj_group *group = &reading->groups[i];
    const bool repeated = i > 0 && group[-1].type == group->type && group[-1].tile == group->tile;
    if (repeated || !(mj_kinds_of(*group) >> mark.kind & 1))
        return false;
    for (uint64_t coords = s->once; coords != 0; coords &= coords - 1)
        mj_raise(v, mj_lowest(coords), mj_wait_of(*group, mark.kind));
    if (group->type == MJ_TRIPLET && mark.claimed) {
        mj_take_away(v, &s->groups[MJ_TRIPLET][group->tile]);
        mj_add(v, &s->groups[MJ_TRIPLET_CLAIMED][group->tile]);
        group->type = MJ_TRIPLET_CLAIMED;
    }
    return true;
}

static bool put_places(looker *l, const mj_vector *v, const mj_reading *reading, unsigned tiles)
{
    if (l->mark.kind == MJ_NONE) {
        mj_vector own = *v;
        return put(l, &own, reading, tiles);
    }
    for (unsigned i = 0; i < reading->n_groups; i++) {
        mj_reading placed = *reading;
        mj_vector own = *v;
        if (mj_place_mark(l->sight, l->mark, i, &placed, &own) && !put(l, &own, &placed, tiles))
            return false;
    }
    return true;
}

/* Sees the readings of melds, and then that of twins, from *twins on. */
static bool see_state(looker *l, unsigned suit, bool is_void, uint32_t id, uint32_t **twins)
{
    const mj_states *states = l->states;
    const unsigned lowest = suit * MJ_RANKS;
    const unsigned tiles = states->tiles[id];
    mj_vector base = l->whole[is_void][suit][tiles];
    for (unsigned rank = 0; rank < MJ_RANKS; rank++)
        mj_add(&base, &l->sight->copies[lowest + rank][states->copies[id] >> 3 * rank & 7]);
    if (id <= MJ_COMPLETE_SUITS) {
        for (uint32_t r = l->tables->first[id]; r < l->tables->first[id + 1]; r++) {
            const mj_suit_reading *part = &l->tables->readings[r];
            mj_reading reading = {.n_groups = part->n_groups};
            mj_vector v = base;
            for (unsigned g = 0; g < part->n_groups; g++) {
                const mj_group group = {part->groups[g].type, (uint8_t)(lowest + part->groups[g].tile)};
                reading.groups[g] = group;
                mj_add(&v, &l->sight->groups[group.type][group.tile]);
            }
            if (!put_places(l, &v, &reading, tiles))
                return false;
        }
    }
    *twins = l->row;
    if (states->even[id]) {
        mj_reading reading = {.n_groups = 0};
        mj_vector v = base;
        for (unsigned rank = 0; rank < MJ_RANKS; rank++)
            for (unsigned n = states->copies[id] >> 3 * rank & 7; n >= 2; n -= 2) {
                const mj_group twin = {MJ_TWIN, (uint8_t)(lowest + rank)};
                reading.groups[reading.n_groups++] = twin;
                mj_add(&v, &l->sight->groups[MJ_TWIN][lowest + rank]);
            }
        if (!put_places(l, &v, &reading, tiles))
            return false;
    }
    return true;
}

/* The same with each tile of each state marked as the winning one. */
static bool see_marks(looker *l, unsigned suit, bool is_void)
{
    enum { PLACES = 16 * (MJ_MAX_MELDS + 1) };   /* of a state, more than there are */
    mj_marked *marked = &l->seen->marked[is_void][suit];
    const mj_states *states = l->states;
    const uint32_t n_marks = (states->n + 1) * MJ_RANKS * l->seen->variants;
    marked->first = malloc((n_marks + 1) * sizeof *marked->first);
    if (marked->first == NULL)
        return false;
    uint32_t n = 0, capacity = 0;
    for (uint32_t mark = 0; mark < n_marks; mark++) {
        const uint32_t id = mark / l->seen->variants / MJ_RANKS;
        const unsigned rank = mark / l->seen->variants % MJ_RANKS;
        marked->first[mark] = n;
        if (id == 0 || (states->copies[id] >> 3 * rank & 7) == 0)
            continue;
        if (n + PLACES > capacity) {
            capacity = 2 * capacity + 4096;
            uint32_t *more = realloc(marked->numbers, capacity * sizeof *more);
            if (more == NULL)
                return false;
            marked->numbers = more;
        }
        l->mark = (mj_mark){(uint8_t)(suit * MJ_RANKS + rank), mark % l->seen->variants != 0};
        l->row = marked->numbers + n;
        uint32_t *twins;
        if (!see_state(l, suit, is_void, id, &twins))
            return false;
        for (; twins < l->row; twins++)
            *twins |= MJ_OF_TWINS;
        n = (uint32_t)(l->row - marked->numbers);
    }
    marked->first[n_marks] = n;
    l->mark.kind = MJ_NONE;
    return true;
}

static bool count_readings(mj_seen *seen, const mj_tables *tables, const mj_states *states)
{
    seen->first = malloc((states->n + 2) * sizeof *seen->first);
    if (seen->first == NULL)
        return false;
    uint32_t n = 0;
    for (uint32_t id = 1; id <= states->n; id++) {
        seen->first[id] = n;
        n += id <= MJ_COMPLETE_SUITS ? tables->first[id + 1] - tables->first[id] : 0;
        n += states->even[id];
    }
    seen->first[states->n + 1] = seen->n_readings = n;
    return true;
}

mj_status mj_see_suits(mj_seen *seen, const mj_sight *sight, const mj_tables *tables,
                       const mj_states *states, bool voids)
{
    memset(seen, 0, sizeof *seen);
    if (sight->marks && (sight->once != 0 || sight->program->sees_claim))
        seen->variants = sight->program->sees_claim ? 2 : 1;
    if (!mj_pool_start(&seen->vectors, sizeof(mj_vector)) || !count_readings(seen, tables, states))
        return MJ_NO_MEMORY;
    looker l = {.seen = seen, .sight = sight, .tables = tables, .states = states, .mark = {MJ_NONE, false}};
    l.patterns = sees_patterns(sight);
    for (unsigned is_void = 0; is_void <= voids; is_void++) {
        for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
            for (unsigned tiles = 0; tiles <= MJ_MAX_TILES; tiles++)
                see_suit(sight, suit, tiles, is_void, &l.whole[is_void][suit][tiles]);
            uint32_t *row = malloc((seen->n_readings + 1) * sizeof *row);
            seen->rows[is_void][suit] = row;
            if (row == NULL)
                return MJ_NO_MEMORY;
            for (uint32_t id = 1; id <= states->n; id++) {
                uint32_t *twins;
                l.row = row + seen->first[id];
                if (!see_state(&l, suit, is_void, id, &twins))
                    return MJ_NO_MEMORY;
            }
            if (seen->variants > 0 && !see_marks(&l, suit, is_void))
                return MJ_NO_MEMORY;
        }
    }
    return MJ_OK;
}

void mj_free_seen(mj_seen *seen)
{
    mj_pool_free(&seen->vectors);
    free(seen->tiles);
    free(seen->first);
    for (unsigned is_void = 0; is_void < 2; is_void++)
        for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
            free(seen->rows[is_void][suit]);
            free(seen->marked[is_void][suit].numbers);
            free(seen->marked[is_void][suit].first);
        }
    memset(seen, 0, sizeof *seen);
}

bool mj_see_honours(const mj_sight *sight, const uint8_t *copies, mj_manner manner, mj_mark mark, mj_vector *v)
{
    mj_reading reading = {.n_groups = 0};
    unsigned tiles = 0;
    bool placed = mark.kind == MJ_NONE;
    memset(v, 0, sizeof *v);
    for (unsigned i = 0; i < MJ_HONOUR_KINDS; i++) {
        const uint8_t kind = (uint8_t)(MJ_NUMBER_KINDS + i);
        const unsigned n = copies[i];
        tiles += n;
        mj_add(v, &sight->copies[kind][n]);
        if (n == 0)
            continue;
        if (manner == MJ_PLAIN && (n == 1 || n > 3))
            return false;
        if (manner == MJ_TWINS && n % 2 != 0)
            return false;
        const unsigned type = manner == MJ_TWINS ? MJ_TWIN : n == 2 ? MJ_PAIR : MJ_TRIPLET;
        for (unsigned k = 0; k < (manner == MJ_TWINS ? n / 2 : 1); k++) {
            reading.groups[reading.n_groups++] = (mj_group){(uint8_t)type, kind};
            mj_add(v, &sight->groups[type][kind]);
        }
    }
    /* A kind is of one group, or of equal ones. */
    for (unsigned i = 0; i < reading.n_groups && !placed; i++)
        placed = mj_place_mark(sight, mark, i, &reading, v);
    see_suit(sight, MJ_HONOURS, tiles, false, v);
    see_patterns(sight, &reading, v);
    return placed;
}
