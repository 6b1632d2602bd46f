/* The space of hands as classes: the parts of hands sorted by what all sides can tell of them, joined suit by
 * suit with counts, smallest hands and prints carried along, and each class judged once in each context.
 *
 * A class's smallest hand is joined from the smallest parts: the order compares numbers of melds and of kinds
 * first, which add up, and then suit by suit, so a hand is smallest among those of its parts' classes only
 * if each part is. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum {
    MAX_SPACE_CLASSES = 400000,
    SHORTCUTS = 4096,
    VOIDS = 4,                /* none, m, p, s */
    CANNOT_BE = 0,            /* the number of the verdict of a win that cannot be */
    NO_WIN = 1
};

#define MAX_SPACE_JOINS UINT64_C(60000000)

/* What tells a part of a hand, or several joined, from others. */
typedef struct node {
    uint32_t size;
    uint32_t key;
    mj_set sets[MJ_MAX_SIDES];
} node;

typedef struct stage {
    mj_pool nodes;
    mj_tally *tallies;
    uint32_t capacity;
} stage;

/* A class before the last is known. */
typedef struct made {
    mj_tally tally;
    uint32_t node;        /* of its void suit's last stage, or an odd hand */
    uint8_t key;
    uint8_t void_suit;    /* MJ_NONE for none */
    bool odd;
} made;

struct mj_space {
    mj_hand_class *classes;
    uint32_t n_classes;
    uint32_t n_sides, n_contexts;
    mj_pool proofs[MJ_MAX_SIDES];
    uint32_t *numbers[MJ_MAX_SIDES];
};

/* The working memory in which classes are judged. */
typedef struct court {
    mj_judgement judgement;
    mj_hand hand;
    mj_result result;
} court;

typedef struct builder {
    const mj_space_spec *spec;
    const mj_tables *tables;
    mj_space *space;
    mj_space_info *info;
    mj_parts *parts;
    mj_aspect aspects[MJ_MAX_SIDES];
    court *courts[MJ_MAX_SIDES];
    stage suits[MJ_PARTS][2];
    stage lasts[VOIDS];
    mj_pool odd;              /* hands of odd shapes: rows of copies */
    made *made;
    uint32_t n_made, capacity;
    uint64_t n_joins;
} builder;

static bool goes_on(const builder *b)
{
    return b->info->reason == MJ_FOLDED && b->info->sees_win == 0;
}

static mj_status give_up(builder *b, mj_fold_reason reason)
{
    b->info->reason = reason;
    return MJ_OK;
}

/* ---- order ------------------------------------------------------------------------ */

static int by_hand(const void *x, const void *y)
{
    const made *a = x, *b = y;
    const int order = mj_compare(&a->tally, &b->tally);
    return order != 0 ? order : (int)(uint8_t)(a->void_suit + 1) - (int)(uint8_t)(b->void_suit + 1);
}

/* ---- stages --------------------------------------------------------------------------- */

static bool is_empty(const node *n)
{
    return n->sets[0].n + n->sets[1].n == 0;
}

static mj_status put(stage *s, const node *n, const mj_tally *t, uint32_t *number)
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

/* Almost every part has one reading: its node by size, key and tuples, without making it up. */
typedef struct shortcut {
    uint64_t asked[SHORTCUTS];
    uint32_t node[SHORTCUTS];
} shortcut;

/* What a part with one reading is looked up by; 0 for another. */
static uint64_t asked_of(const builder *b, const mj_part *p, const uint32_t *const *rows, uint64_t row)
{
    uint64_t asked = 1 + ((uint64_t)p->size << MJ_KEY_BITS | p->key);
    if (p->plain + p->even != 1 || mj_part_readings(b->tables, p) != 1)
        return 0;
    for (unsigned side = 0; side < b->spec->n_sides; side++) {
        const uint32_t tuple = b->aspects[side].tuple_of[p->even ? MJ_TWINS : MJ_PLAIN][rows[side][row]];
        if (tuple != MJ_NO_TUPLE && tuple >= (1u << 24) - 1)
            return 0;
        asked = asked << 24 | ((tuple + 1) & 0xffffff);
    }
    return asked;
}

static mj_status sort_part(builder *b, unsigned part, bool is_void, shortcut *known)
{
    stage *s = &b->suits[part][is_void];
    const mj_part *list = part == MJ_HONOURS ? b->parts->honour : b->parts->suit;
    const uint32_t n = part == MJ_HONOURS ? b->parts->n_honour : b->parts->n_suit;
    if (!mj_pool_start(&s->nodes, sizeof(node)))
        return MJ_NO_MEMORY;
    memset(known, 0, sizeof *known);
    const uint32_t *rows[MJ_MAX_SIDES];
    for (unsigned side = 0; side < b->spec->n_sides; side++) {
        const mj_aspect *a = &b->aspects[side];
        rows[side] = a->rows[part][is_void && a->rows[part][1] != NULL];
    }
    uint64_t row = 0;
    for (uint32_t i = 0; i < n; i++, row += mj_part_readings(b->tables, &list[i - 1])) {
        const uint64_t asked = asked_of(b, &list[i], rows, row);
        const unsigned place = (unsigned)((asked * UINT64_C(0x9e3779b97f4a7c15)) >> 52) % SHORTCUTS;
        const mj_tally t = mj_tally_of(list[i].order, part, b->spec->prints != 0);
        if (asked != 0 && known->asked[place] == asked) {
            if (known->node[place] != UINT32_MAX)
                mj_add_tally(&s->tallies[known->node[place]], &t);
            continue;
        }
        node found;
        memset(&found, 0, sizeof found);
        found.size = list[i].size;
        found.key = list[i].key;
        for (unsigned side = 0; side < b->spec->n_sides; side++)
            if (!mj_aspect_set(&b->aspects[side], &list[i], rows[side] + row, &found.sets[side]))
                return give_up(b, MJ_SEES_TOO_MUCH);
        uint32_t at = UINT32_MAX;
        const mj_status status = is_empty(&found) ? MJ_OK : put(s, &found, &t, &at);
        if (status != MJ_OK)
            return status;
        known->asked[place] = asked;
        known->node[place] = at;
    }
    return MJ_OK;
}

static mj_status sort_parts(builder *b, bool voids)
{
    shortcut *known = malloc(sizeof *known);
    mj_status status = known == NULL ? MJ_NO_MEMORY : MJ_OK;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        for (unsigned is_void = 0; is_void <= (voids && part < MJ_HONOURS); is_void++)
            if (b->parts->in_set[part] && status == MJ_OK && goes_on(b))
                status = sort_part(b, part, is_void, known);
    free(known);
    return status;
}

/* Kongs in both make two. */
static unsigned join_keys(unsigned a, unsigned b)
{
    const unsigned kongs = MJ_KEY_DIRECT | MJ_KEY_ADDED | MJ_KEY_CONCEALED;
    return a | b | ((a & kongs) != 0 && (b & kongs) != 0 ? (unsigned)MJ_KEY_TWO_KONGS : 0u);
}

static mj_status join_two(builder *b, const stage *x, uint32_t i, const stage *y, uint32_t k, unsigned part, stage *out)
{
    const node *first = mj_pool_get(&x->nodes, i), *second = mj_pool_get(&y->nodes, k);
    node sum;
    memset(&sum, 0, sizeof sum);
    sum.size = first->size + second->size;
    sum.key = join_keys(first->key, second->key);
    bool full = false;
    for (unsigned side = 0; side < b->spec->n_sides; side++) {
        const mj_status status =
            mj_aspect_join(&b->aspects[side], &first->sets[side], &second->sets[side], &sum.sets[side], &full);
        if (status != MJ_OK)
            return status;
    }
    if (full)
        return give_up(b, MJ_SEES_TOO_MUCH);
    if (is_empty(&sum))
        return MJ_OK;
    mj_tally t = x->tallies[i];
    const mj_tally *other = &y->tallies[k];
    const mj_status status = mj_times_part(&t, other, part);
    if (status != MJ_OK)
        return status;
    uint32_t at;
    return put(out, &sum, &t, &at);
}

/* Joins a further part; at the `last`, only what makes whole hands. */
static mj_status join(builder *b, const stage *x, const stage *y, unsigned part, bool last, stage *out)
{
    const unsigned whole = b->parts->whole;
    if (!mj_pool_start(&out->nodes, sizeof(node)))
        return MJ_NO_MEMORY;
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < x->nodes.n && status == MJ_OK && goes_on(b); i++) {
        const unsigned size = ((const node *)mj_pool_get(&x->nodes, i))->size;
        for (uint32_t k = 0; k < y->nodes.n && status == MJ_OK; k++) {
            const unsigned sum = size + ((const node *)mj_pool_get(&y->nodes, k))->size;
            if (last ? sum != whole : sum > whole)
                continue;
            if (++b->n_joins > MAX_SPACE_JOINS || out->nodes.n > MAX_SPACE_CLASSES)
                return give_up(b, MJ_SEES_TOO_MUCH);
            status = join_two(b, x, i, y, k, part, out);
        }
    }
    return status;
}

static void free_stage(stage *s)
{
    mj_pool_free(&s->nodes);
    free(s->tallies);
    *s = (stage){.tallies = NULL};
}

/* Joins all parts of hands whose void suit is this one. */
static mj_status join_parts(builder *b, unsigned void_suit, stage *last)
{
    stage so_far = {.tallies = NULL};
    const stage *before = NULL;
    unsigned rest = 0;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        rest += b->parts->in_set[part];
    mj_status status = MJ_OK;
    for (unsigned part = 0; part < MJ_PARTS && status == MJ_OK && goes_on(b); part++) {
        if (!b->parts->in_set[part])
            continue;
        const stage *own = &b->suits[part][part == void_suit];
        stage joined = {.tallies = NULL};
        if (before == NULL) {
            /* The first part is joined to nothing, so that all that follows is alike. */
            uint32_t at;
            status = mj_pool_start(&joined.nodes, sizeof(node)) ? MJ_OK : MJ_NO_MEMORY;
            for (uint32_t i = 0; i < own->nodes.n && status == MJ_OK; i++)
                status = put(&joined, mj_pool_get(&own->nodes, i), &own->tallies[i], &at);
            rest -= 1;
        } else {
            status = join(b, before, own, part, --rest == 0, &joined);
        }
        free_stage(&so_far);
        so_far = joined;
        before = &so_far;
    }
    *last = so_far;
    return status;
}

/* ---- classes ---------------------------------------------------------------------------- */

static mj_status add_made(builder *b, const made *m)
{
    if (b->n_made == b->capacity) {
        b->capacity = 2 * b->capacity + 1024;
        made *more = realloc(b->made, b->capacity * sizeof *more);
        if (more == NULL)
            return MJ_NO_MEMORY;
        b->made = more;
    }
    b->made[b->n_made++] = *m;
    return MJ_OK;
}

static mj_status add_classes(builder *b, unsigned which)
{
    const stage *last = &b->lasts[which];
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < last->nodes.n && status == MJ_OK; i++) {
        const node *n = mj_pool_get(&last->nodes, i);
        if (n->size != b->parts->whole)
            continue;
        made m = {.tally = last->tallies[i], .node = i, .key = (uint8_t)n->key};
        m.void_suit = (uint8_t)(which == 0 ? (unsigned)MJ_NONE : which - 1);
        for (unsigned part = 0; part < MJ_PARTS && status == MJ_OK; part++) {
            const mj_tally nothing = mj_tally_of(MJ_EMPTY_PART, part, b->spec->prints != 0);
            if (!b->parts->in_set[part])
                status = mj_times_part(&m.tally, &nothing, part);
        }
        if (status == MJ_OK)
            status = add_made(b, &m);
    }
    return status;
}

/* ---- hands of odd shapes: so few that each is a class -------------------------------------- */

static void as_hand(const uint8_t *copies, unsigned void_suit, mj_hand *hand)
{
    memset(hand, 0, sizeof *hand);
    memcpy(hand->concealed, copies, MJ_KINDS);
    hand->win_tile = MJ_NONE;
    hand->void_suit = (uint8_t)void_suit;
}

static mj_status add_odd(builder *b, unsigned which)
{
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < b->odd.n && status == MJ_OK; i++) {
        const uint8_t *copies = mj_pool_get(&b->odd, i);
        made m = {.node = i, .odd = true};
        m.void_suit = (uint8_t)(which == 0 ? (unsigned)MJ_NONE : which - 1);
        m.tally = mj_tally_of_copies(copies, b->spec->prints != 0);
        status = add_made(b, &m);
    }
    return status;
}

/* ---- judging ------------------------------------------------------------------------------ */

static court *open_court(const mj_aspect *a)
{
    court *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->hand.win_tile = c->hand.void_suit = MJ_NONE;
    mj_machine_start(&c->judgement.machine, a->tables, &a->cut.rest, &c->hand);
    return c;
}

static void weigh_tuple(const mj_aspect *a, mj_judgement *j, const mj_tuple *tuple)
{
    mj_reading reading = {.win_group = MJ_NONE};
    for (unsigned i = 0; i < a->cut.n_atoms; i++)
        if (a->cut.atoms[i].reg != MJ_NO_REGISTER)
            j->machine.registers[a->cut.atoms[i].reg] = a->cut.atoms[i].values[tuple->elements[i]];
    for (unsigned shape = 0; shape < a->program->n_shapes; shape++) {
        if (a->manners[shape] != tuple->manner)
            continue;
        reading.shape = (uint8_t)shape;
        for (unsigned i = 0; i < a->n_shape_features; i++)
            j->machine.features[a->shape_features[i]] = shape;
        mj_weigh(j, &reading);
    }
}

static mj_proof proof_of(const mj_program *program, const mj_result *result)
{
    mj_proof proof;
    memset(&proof, 0, sizeof proof);
    if (!result->win)
        return proof;
    proof.win = 1;
    proof.tied = result->tied;
    proof.points = result->money;
    memcpy(proof.totals, result->totals, sizeof proof.totals);
    memcpy(proof.probes, result->probes, sizeof proof.probes);
    memcpy(proof.ever, result->ever, sizeof proof.ever);
    for (uint32_t i = 0; i < program->n_fans; i++) {
        proof.fans |= result->counts[i] > 0 ? mj_bit(i) : 0;
        proof.found |= result->found[i] > 0 ? mj_bit(i) : 0;
    }
    return proof;
}

static mj_status judge(builder *b, const made *m, unsigned side, uint32_t context, mj_proof *proof)
{
    const mj_aspect *a = &b->aspects[side];
    const int32_t *facts = b->spec->sides[side].facts + (size_t)context * MJ_FACTS_SIZE;
    court *c = b->courts[side];
    if (m->odd) {
        mj_hand hand;
        mj_result result;
        as_hand(mj_pool_get(&b->odd, m->node), m->void_suit, &hand);
        memcpy(hand.facts, facts, sizeof hand.facts);
        const mj_status status = mj_score(b->tables, a->program, &hand, &result);
        *proof = proof_of(a->program, &result);
        return status;
    }
    const stage *last = &b->lasts[(uint8_t)(m->void_suit + 1)];
    const mj_set *set = &((const node *)mj_pool_get(&last->nodes, m->node))->sets[side];
    memcpy(c->hand.facts, facts, sizeof c->hand.facts);
    mj_begin_judgement(&c->judgement, b->tables, &a->cut.rest, &c->hand, &c->result);
    c->judgement.started = true;
    for (unsigned k = 0; k < set->n; k++)
        weigh_tuple(a, &c->judgement, mj_pool_get(&a->tuples, set->tuples[k]));
    *proof = proof_of(a->program, &c->result);
    return MJ_OK;
}

static mj_status judge_classes(builder *b, unsigned side)
{
    mj_space *space = b->space;
    mj_pool *proofs = &space->proofs[side];
    const mj_proof cannot = {.win = MJ_NONE}, no_win = {.win = 0};
    const uint32_t n_contexts = b->spec->n_contexts;
    uint32_t *number = space->numbers[side] = malloc(((size_t)b->n_made * n_contexts + 1) * sizeof *number);
    b->courts[side] = open_court(&b->aspects[side]);
    if (number == NULL || b->courts[side] == NULL || !mj_pool_start(proofs, sizeof(mj_proof))
        || mj_pool_put(proofs, &cannot) != CANNOT_BE || mj_pool_put(proofs, &no_win) != NO_WIN)
        return MJ_NO_MEMORY;
    for (uint32_t i = 0; i < b->n_made; i++) {
        for (uint32_t context = 0; context < n_contexts; context++, number++) {
            *number = CANNOT_BE;
            if (!b->spec->legal[(size_t)context * MJ_MELD_KEYS + b->made[i].key])
                continue;
            mj_proof proof;
            const mj_status status = judge(b, &b->made[i], side, context, &proof);
            if (status != MJ_OK)
                return status;
            *number = mj_pool_put(proofs, &proof);
            if (*number == UINT32_MAX)
                return MJ_NO_MEMORY;
        }
    }
    b->info->n_verdicts[side] = proofs->n;
    return MJ_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static mj_status write_classes(builder *b)
{
    mj_space *space = b->space;
    space->classes = calloc((size_t)b->n_made + 1, sizeof *space->classes);
    if (space->classes == NULL)
        return MJ_NO_MEMORY;
    for (uint32_t i = 0; i < b->n_made; i++) {
        const made *m = &b->made[i];
        mj_hand_class *class = &space->classes[i];
        unsigned n = 0;
        class->count = m->tally.count;
        memcpy(class->prints, m->tally.prints, sizeof class->prints);
        class->void_suit = m->void_suit;
        class->key = m->key;
        for (unsigned part = 0; part < MJ_PARTS; part++) {
            const uint64_t order = m->tally.order[part];
            const unsigned kinds = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
            uint32_t index = mj_index_of_order(order);
            for (unsigned k = kinds; k-- > 0; index /= 5)
                class->copies[part * MJ_RANKS + k] = (uint8_t)(index % 5);
            for (unsigned k = 0; k < mj_melds_of_order(order) && n < MJ_MAX_MELDS; k++)
                class->melds |= (uint32_t)mj_global_code(part, mj_local_code(order, k)) << 8 * n++;
        }
    }
    space->n_classes = b->info->n_classes = b->n_made;
    return MJ_OK;
}

static mj_status build(builder *b, const mj_states *states)
{
    const mj_space_spec *spec = b->spec;
    mj_status status = mj_parts_new(b->tables, states, spec->sides[0].program, spec->meld_types, &b->parts);
    if (status != MJ_OK)
        return status;
    b->info->n_items = b->parts->n_suit;
    bool voids = false, odd = false;
    for (unsigned side = 0; side < spec->n_sides && status == MJ_OK && goes_on(b); side++) {
        mj_aspect *a = &b->aspects[side];
        mj_fold_reason reason = MJ_FOLDED;
        status = mj_aspect_start(a, b->tables, states, spec->sides[side].program, b->parts, spec->voids != 0, &reason);
        b->info->reason = reason;
        b->info->sees_win |= a->sees_win;
        voids |= spec->voids != 0 && a->sight.sees_void;
        odd |= a->odd;
    }
    b->info->n_atoms = b->aspects[0].cut.n_atoms;
    if (status == MJ_OK && goes_on(b))
        status = sort_parts(b, voids);
    b->info->n_suit_classes = b->suits[0][0].nodes.n;
    if (status == MJ_OK && !mj_pool_start(&b->odd, MJ_KINDS))
        status = MJ_NO_MEMORY;
    for (unsigned side = 0; side < spec->n_sides && odd && status == MJ_OK && goes_on(b); side++) {
        mj_fold_reason reason = MJ_FOLDED;
        status = mj_aspect_list_odd(&b->aspects[side], &b->odd, &reason);
        b->info->reason = reason;
    }
    for (unsigned which = 0; which < (voids ? VOIDS : 1) && status == MJ_OK && goes_on(b); which++) {
        if (which > 0 && !b->parts->in_set[which - 1])
            continue;
        status = join_parts(b, which == 0 ? (unsigned)MJ_NONE : which - 1, &b->lasts[which]);
        if (status == MJ_OK && goes_on(b))
            status = add_classes(b, which);
        if (status == MJ_OK && goes_on(b))
            status = add_odd(b, which);
    }
    if (status != MJ_OK || !goes_on(b))
        return status;
    if (b->n_made > 0)
        qsort(b->made, b->n_made, sizeof *b->made, by_hand);
    for (unsigned side = 0; side < spec->n_sides && status == MJ_OK; side++)
        status = judge_classes(b, side);
    return status == MJ_OK ? write_classes(b) : status;
}

/* Whether two programs speak of the same tiles and hands. */
static bool are_of_one_space(const mj_space_spec *spec)
{
    const mj_program *a = spec->sides[0].program, *b = spec->sides[spec->n_sides - 1].program;
    return a->hand_size == b->hand_size && memcmp(a->copies, b->copies, sizeof a->copies) == 0;
}

mj_status mj_space_new(const mj_tables *tables, const mj_states *states, const mj_space_spec *spec,
                       mj_space **out, mj_space_info *info)
{
    if (tables == NULL || states == NULL || spec == NULL || out == NULL || info == NULL || spec->n_sides < 1
        || spec->n_sides > MJ_MAX_SIDES || spec->n_contexts < 1 || spec->legal == NULL)
        return MJ_BAD_ARGUMENT;
    for (unsigned side = 0; side < spec->n_sides; side++)
        if (spec->sides[side].program == NULL || spec->sides[side].facts == NULL)
            return MJ_BAD_ARGUMENT;
    if (!are_of_one_space(spec))
        return MJ_BAD_TILE_SET;
    *out = NULL;
    memset(info, 0, sizeof *info);
    builder *b = calloc(1, sizeof *b);
    mj_space *space = calloc(1, sizeof *space);
    if (b == NULL || space == NULL) {
        free(b);
        free(space);
        return MJ_NO_MEMORY;
    }
    b->spec = spec;
    b->tables = tables;
    b->space = space;
    b->info = info;
    space->n_sides = spec->n_sides;
    space->n_contexts = spec->n_contexts;
    const mj_status status = build(b, states);
    if (status == MJ_OK && goes_on(b))
        *out = space;
    else
        mj_space_free(space);
    for (unsigned side = 0; side < MJ_MAX_SIDES; side++) {
        mj_aspect_free(&b->aspects[side]);
        free(b->courts[side]);
    }
    for (unsigned part = 0; part < MJ_PARTS; part++)
        for (unsigned is_void = 0; is_void < 2; is_void++)
            free_stage(&b->suits[part][is_void]);
    for (unsigned which = 0; which < VOIDS; which++)
        free_stage(&b->lasts[which]);
    mj_pool_free(&b->odd);
    mj_parts_free(b->parts);
    free(b->made);
    free(b);
    return status;
}

void mj_space_free(mj_space *space)
{
    if (space == NULL)
        return;
    free(space->classes);
    for (unsigned side = 0; side < MJ_MAX_SIDES; side++) {
        mj_pool_free(&space->proofs[side]);
        free(space->numbers[side]);
    }
    free(space);
}

mj_status mj_space_classes(const mj_space *space, mj_hand_class *classes, uint32_t capacity)
{
    if (space == NULL || (classes == NULL && capacity > 0))
        return MJ_BAD_ARGUMENT;
    if (capacity < space->n_classes)
        return MJ_TOO_SMALL;
    if (space->n_classes > 0)
        memcpy(classes, space->classes, space->n_classes * sizeof *classes);
    return MJ_OK;
}

mj_status mj_space_verdicts(const mj_space *space, uint32_t side, mj_proof *proofs, uint32_t n_proofs,
                            uint32_t *numbers, uint64_t n_numbers)
{
    if (space == NULL || side >= space->n_sides || proofs == NULL || numbers == NULL)
        return MJ_BAD_ARGUMENT;
    const uint64_t all = (uint64_t)space->n_classes * space->n_contexts;
    if (n_proofs < space->proofs[side].n || n_numbers < all)
        return MJ_TOO_SMALL;
    memcpy(proofs, space->proofs[side].items, space->proofs[side].n * sizeof *proofs);
    if (all > 0)
        memcpy(numbers, space->numbers[side], all * sizeof *numbers);
    return MJ_OK;
}
