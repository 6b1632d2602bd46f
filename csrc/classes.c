/* The classes of suits and honours: sets of the tuples of their readings. */
#include <stdlib.h>
#include <string.h>

#include "fold_build.h"

/* ---- tuples and classes -------------------------------------------------------------- */

/* The tuple of a vector; MJ_NO_TUPLE where it cannot be part of a win. */
bool mj_tuple_of(const mj_cut *cut, const mj_sight *sight, const mj_vector *v, mj_manner manner, mj_tuple *tuple)
{
    memset(tuple, 0, sizeof *tuple);   /* tuples are compared byte by byte */
    tuple->manner = (uint8_t)manner;
    for (unsigned i = 0; i < cut->n_atoms; i++) {
        const mj_atom *atom = &cut->atoms[i];
        uint32_t place = 0;
        for (unsigned k = 0; k < atom->n_coords; k++) {
            unsigned coord = mj_coord(v, atom->coords[k]);
            if (coord > 1 && (sight->capped >> atom->coords[k] & 1))
                coord = 1;
            place += coord * atom->strides[k];
        }
        const unsigned element = place < atom->size ? atom->element_of[place] : MJ_NONE;
        if (element == MJ_NONE || atom->dead[element])
            return false;
        tuple->elements[i] = (uint8_t)element;
    }
    return true;
}

mj_status mj_find_tuple(mj_builder *b, const mj_vector *v, mj_manner manner, uint32_t *number)
{
    mj_tuple tuple;
    *number = MJ_NO_TUPLE;
    if (!mj_tuple_of(&b->cut, &b->sight, v, manner, &tuple))
        return MJ_OK;
    *number = mj_pool_put(&b->tuples, &tuple);
    return *number == UINT32_MAX ? MJ_NO_MEMORY : MJ_OK;
}

uint32_t mj_add_tuples(mj_builder *b, uint32_t x, uint32_t y)
{
    mj_tuple sum = *(const mj_tuple *)mj_pool_get(&b->tuples, x);
    const mj_tuple *other = mj_pool_get(&b->tuples, y);
    if (sum.manner != other->manner)
        return MJ_NO_TUPLE;
    if (sum.manner == MJ_ODD)
        return x;
    for (unsigned i = 0; i < b->cut.n_atoms; i++) {
        const mj_atom *atom = &b->cut.atoms[i];
        const unsigned element = atom->sum[sum.elements[i]][other->elements[i]];
        if (element == MJ_NONE || atom->dead[element])
            return MJ_NO_TUPLE;
        sum.elements[i] = (uint8_t)element;
    }
    return mj_pool_put(&b->tuples, &sum);
}

bool mj_put_tuple(mj_set *set, uint32_t tuple)
{
    if (tuple == MJ_NO_TUPLE)
        return true;
    unsigned place = 0;
    while (place < set->n && set->tuples[place] < tuple)
        place++;
    if (place < set->n && set->tuples[place] == tuple)
        return true;
    if (set->n == MJ_SET_SIZE)
        return false;
    for (unsigned i = set->n; i > place; i--)
        set->tuples[i] = set->tuples[i - 1];
    set->tuples[place] = tuple;
    set->n += 1;
    return true;
}

mj_status mj_start_classes(mj_classes *classes)
{
    const mj_set none = {.n = 0};
    if (!mj_pool_start(classes, sizeof(mj_set)) || mj_pool_put(classes, &none) == UINT32_MAX)
        return MJ_NO_MEMORY;
    return MJ_OK;
}

mj_status mj_number_class(mj_builder *b, mj_classes *classes, const mj_set *set, uint32_t *number)
{
    const uint32_t found = mj_pool_put(classes, set);
    if (found == UINT32_MAX)
        return MJ_NO_MEMORY;
    if (found > MJ_MAX_CLASSES)
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    *number = found;
    return MJ_OK;
}

/* ---- the classes of a suit ----------------------------------------------------------- */

static mj_status classify_state(mj_builder *b, const uint32_t *row, const uint32_t *tuple_of, uint32_t id,
                                mj_classes *classes, uint16_t *class_of)
{
    mj_set set;
    memset(&set, 0, sizeof set);
    const uint32_t n_vectors = b->seen.vectors.n;
    const uint32_t twins = b->states->even[id] ? b->seen.first[id + 1] - 1 : UINT32_MAX;
    for (uint32_t r = b->seen.first[id]; r < b->seen.first[id + 1]; r++)
        if (!mj_put_tuple(&set, tuple_of[(r == twins ? n_vectors : 0) + row[r]]))
            return mj_give_up(b, MJ_SEES_TOO_MUCH);
    uint32_t number = MJ_NO_CLASS;
    const mj_status status = mj_number_class(b, classes, &set, &number);
    class_of[id] = (uint16_t)number;
    return status;
}

/* Classes and tiles by state.  Where the tile set has no such suit, only the empty state is one. */
void mj_put_states(const mj_builder *b, const uint16_t *class_of, bool in_set, uint16_t *table)
{
    const mj_states *states = b->states;
    for (uint32_t id = 0; id < MJ_STATES; id++)
        table[id] = MJ_NO_TILES << MJ_CLASS_BITS;
    for (uint32_t id = 1; id <= states->n; id++)
        if (in_set || states->tiles[id] == 0)
            table[id] = (uint16_t)(states->tiles[id] << MJ_CLASS_BITS | class_of[id]);
    for (uint32_t tiles = 0; in_set && tiles < MJ_NO_TILES; tiles++)
        table[MJ_OPEN_STATES + tiles] = (uint16_t)(tiles << MJ_CLASS_BITS);
}

static uint16_t *make_void_table(mj_builder *b, const uint16_t *class_of, bool in_set)
{
    uint16_t *table = malloc(MJ_STATES * sizeof *table);
    if (table != NULL)
        mj_put_states(b, class_of, in_set, table);
    b->info->bytes += MJ_STATES * sizeof *table;
    return table;
}

/* The same by index. */
static uint16_t *make_suit_table(mj_builder *b, const uint16_t *class_of, bool in_set)
{
    const mj_states *states = b->states;
    uint16_t *table = mj_new_space(MJ_SUIT_SLOTS * sizeof *table);
    if (table == NULL)
        return NULL;
    for (uint32_t index = 0; index < MJ_SUIT_SLOTS; index++)
        table[index] = (uint16_t)((in_set ? states->held[index] >> MJ_RANKS : MJ_NO_TILES) << MJ_CLASS_BITS);
    for (uint32_t id = 1; id <= states->n; id++)
        if (in_set || states->tiles[id] == 0)
            table[states->index[id]] = (uint16_t)(states->tiles[id] << MJ_CLASS_BITS | class_of[id]);
    b->info->bytes += MJ_SUIT_SLOTS * sizeof *table;
    return table;
}

mj_status mj_make_tables(mj_builder *b, uint16_t **tables, const uint16_t *class_of, size_t n, mj_make_table *make)
{
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        const uint16_t *own = class_of + suit * n;
        const bool in_set = b->program->copies[suit * MJ_RANKS] > 0;
        for (unsigned other = 0; other < suit; other++)   /* odd states may be of one suit alone */
            if (!b->folds->odd && in_set == (b->program->copies[other * MJ_RANKS] > 0)
                && memcmp(own, class_of + other * n, n * sizeof *own) == 0)
                tables[suit] = tables[other];
        if (tables[suit] == NULL)
            tables[suit] = make(b, own, in_set);
        if (tables[suit] == NULL)
            return MJ_NO_MEMORY;
    }
    return MJ_OK;
}

mj_status mj_classify_suits(mj_builder *b, const uint32_t *tuple_of)
{
    const size_t n = b->states->n + 1;
    mj_status status = MJ_OK;
    for (unsigned is_void = 0; is_void < 2; is_void++) {
        b->class_of[is_void] = calloc(MJ_HONOURS * n, sizeof *b->class_of[is_void]);
        if (b->class_of[is_void] == NULL)
            return MJ_NO_MEMORY;
    }
    for (unsigned suit = 0; suit < MJ_HONOURS && status == MJ_OK; suit++)
        status = mj_start_classes(&b->suits[suit]);
    for (unsigned is_void = 0; is_void < 2; is_void++)
        for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
            for (uint32_t id = 1; id < n && status == MJ_OK && mj_goes_on(b); id++)
                if (b->seen.rows[is_void][suit] != NULL)
                    status = classify_state(b, b->seen.rows[is_void][suit], tuple_of, id, &b->suits[suit],
                                            b->class_of[is_void] + suit * n);
    /* With marks suits are looked up by state; by index only odd hands are known. */
    const bool by_state = b->folds->won != NULL;
    if (status == MJ_OK && mj_goes_on(b) && (!by_state || b->folds->odd))
        status = mj_make_tables(b, b->folds->suits, b->class_of[0], n, make_suit_table);
    if (status == MJ_OK && mj_goes_on(b) && !by_state && b->seen.rows[1][0] != NULL)
        status = mj_make_tables(b, b->folds->voids, b->class_of[1], n, make_void_table);
    return status;
}

/* ---- odd shapes ------------------------------------------------------------------------ */

uint32_t mj_odd_tuple(mj_builder *b)
{
    const mj_tuple tuple = {.manner = MJ_ODD};
    return mj_pool_put(&b->tuples, &tuple);
}

/* The class that is this one and odd. */
static mj_status make_odd(mj_builder *b, unsigned part, uint32_t class, uint32_t *made)
{
    mj_set set = *(const mj_set *)mj_pool_get(&b->suits[part], class);
    const uint32_t tuple = mj_odd_tuple(b);
    if (tuple == UINT32_MAX)
        return MJ_NO_MEMORY;
    if (!mj_put_tuple(&set, tuple))
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    return mj_number_class(b, &b->suits[part], &set, made);
}

/* What a shape's each-of parts ask of a part of the hand, and how many tiles may be beside. */
static unsigned odd_needs(const mj_program *program, const mj_shape *shape, unsigned part, uint8_t *copies)
{
    const unsigned first = part * MJ_RANKS, n = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
    unsigned left = program->hand_size + 1u;
    memset(copies, 0, n);
    for (unsigned i = 0; i < shape->n_each; i++) {
        left -= mj_size(shape->each_of[i]);
        for (unsigned k = 0; k < n; k++)
            copies[k] = (uint8_t)(copies[k] + (shape->each_of[i] >> (first + k) & 1));
    }
    return left;
}

/* Makes the states of a part odd that hold what a shape needs, with so many more tiles from this kind on. */
static mj_status mark_odd(mj_builder *b, unsigned part, uint16_t *table, uint8_t *copies, unsigned kind, unsigned more)
{
    const unsigned n = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
    if (kind == n) {
        uint32_t index = 0, made = 0;
        for (unsigned k = 0; k < n; k++)
            index = index * 5 + copies[k];
        const mj_status status = make_odd(b, part, table[index] & MJ_CLASS_MASK, &made);
        if (status == MJ_OK && mj_goes_on(b))
            table[index] = (uint16_t)((table[index] & ~MJ_CLASS_MASK) | made);
        return status;
    }
    const uint8_t before = copies[kind];
    mj_status status = MJ_OK;
    for (unsigned extra = 0; extra <= more && before + extra <= MJ_MAX_COPIES && status == MJ_OK; extra++) {
        copies[kind] = (uint8_t)(before + extra);
        status = mark_odd(b, part, table, copies, kind + 1, more - extra);
    }
    copies[kind] = before;
    return status;
}

mj_status mj_mark_odd_states(mj_builder *b)
{
    mj_status status = MJ_OK;
    for (uint32_t i = 0; i < b->program->n_shapes; i++) {
        if (b->manners[i] != MJ_ODD)
            continue;
        for (unsigned part = 0; part <= b->last && status == MJ_OK && mj_goes_on(b); part++) {
            uint16_t *table = part == MJ_HONOURS ? b->folds->honour_classes : b->folds->suits[part];
            uint8_t copies[MJ_RANKS];
            const unsigned more = odd_needs(b->program, &b->program->shapes[i], part, copies);
            status = mark_odd(b, part, table, copies, 0, more);
        }
    }
    return status;
}

/* ---- honours --------------------------------------------------------------------------- */

static mj_status each_honours(mj_builder *b, mj_see_honour_state *see, uint8_t *copies, unsigned i, unsigned tiles,
                              uint32_t index)
{
    if (i == MJ_HONOUR_KINDS)
        return see(b, copies, tiles, index);
    mj_status status = MJ_OK;
    for (unsigned n = 0; n <= MJ_MAX_COPIES && tiles + n <= MJ_MAX_TILES && status == MJ_OK; n++) {
        copies[i] = (uint8_t)n;
        status = each_honours(b, see, copies, i + 1, tiles + n, index * 5 + n);
    }
    return status;
}

mj_status mj_each_honours(mj_builder *b, mj_see_honour_state *see)
{
    uint8_t copies[MJ_HONOUR_KINDS];
    return each_honours(b, see, copies, 0, 0, 0);
}

mj_status mj_honour_class(mj_builder *b, const uint8_t *copies, mj_mark mark, uint32_t *number)
{
    mj_set set;
    memset(&set, 0, sizeof set);
    for (unsigned manner = 0; manner < MJ_MANNERS; manner++) {
        mj_vector v;
        uint32_t tuple;
        if (!mj_see_honours(&b->sight, copies, manner, mark, &v))
            continue;
        const mj_status status = mj_find_tuple(b, &v, manner, &tuple);
        if (status != MJ_OK)
            return status;
        mj_put_tuple(&set, tuple);
    }
    return mj_number_class(b, &b->suits[MJ_HONOURS], &set, number);
}

static mj_status classify_honours(mj_builder *b, const uint8_t *copies, unsigned tiles, uint32_t index)
{
    uint32_t number = MJ_NO_CLASS;
    const mj_status status = mj_honour_class(b, copies, (mj_mark){MJ_NONE, false}, &number);
    b->folds->honour_classes[index] = (uint16_t)(tiles << MJ_CLASS_BITS | number);
    return status;
}

mj_status mj_make_honours(mj_builder *b)
{
    mj_status status = mj_start_classes(&b->suits[MJ_HONOURS]);
    uint16_t *table = malloc(MJ_HONOUR_INDICES * sizeof *table);
    b->folds->honour_classes = table;
    if (status != MJ_OK || table == NULL)
        return MJ_NO_MEMORY;
    for (uint32_t index = 0; index < MJ_HONOUR_INDICES; index++)
        table[index] = MJ_NO_TILES << MJ_CLASS_BITS;
    status = mj_each_honours(b, classify_honours);
    b->info->bytes += MJ_HONOUR_INDICES * sizeof *table;
    return status;
}
