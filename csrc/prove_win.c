/* What a program sees of the winning tile, part by part.
 *
 * A part of a hand may be *marked*: one of its concealed tiles is the winning one.  A hand has one marked part.
 * What a reading says of the winning tile (its group, by that its wait) and what its part holds of it is a short
 * list of numbers.  Two lists are one *element* if the program can never tell them apart, which is tried: its code
 * of facts is run for each list, context and number of waits.  What it waits for is in prove_waits.c. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

enum {
    WAIT_KINDS = MJ_WAIT_TWIN + 1,
    HELD = MJ_MAX_COPIES,                 /* numbers of copies before the win: 0 to 3 */
    MAX_CELLS = 1 << 22
};

/* ---- places ------------------------------------------------------------------------------ */

static unsigned add_place(mj_spot *out, const mj_suit_reading *reading, unsigned rank, unsigned number, unsigned n)
{
    for (unsigned g = 0; g < reading->n_groups; g++) {
        const mj_group group = reading->groups[g];
        const bool repeated = g > 0 && memcmp(&reading->groups[g - 1], &group, sizeof group) == 0;
        if (repeated || !(mj_kinds_of(group) >> rank & 1))
            continue;
        if (out != NULL)
            out[n] = (mj_spot){(uint8_t)rank, (uint8_t)number, (uint8_t)mj_wait_of(group, rank),
                                group.type == MJ_TRIPLET ? (uint8_t)g : (uint8_t)MJ_NONE};
        n++;
    }
    return n;
}

/* The places of every rank of a state in all its readings, twins last; how many. */
static unsigned add_places(const mj_tables *tables, const mj_states *states, uint32_t id, mj_spot *out)
{
    unsigned n = 0;
    const uint32_t first = id <= MJ_COMPLETE_SUITS ? tables->first[id] : 0;
    const uint32_t plain = id <= MJ_COMPLETE_SUITS ? tables->first[id + 1] - first : 0;
    for (unsigned rank = 0; rank < MJ_RANKS; rank++) {
        if ((states->copies[id] >> 3 * rank & 7) == 0)
            continue;
        for (uint32_t r = 0; r < plain; r++)
            n = add_place(out, &tables->readings[first + r], rank, r, n);
        if (states->even[id]) {
            if (out != NULL)
                out[n] = (mj_spot){(uint8_t)rank, (uint8_t)plain, MJ_WAIT_NONE, MJ_NONE};
            n++;
        }
    }
    return n;
}

static unsigned honour_places(const mj_part *p, mj_spot *own)
{
    uint8_t copies[MJ_RANKS];
    mj_part_copies(p, MJ_HONOUR_KINDS, copies);
    unsigned n = 0;
    for (unsigned rank = 0; rank < MJ_HONOUR_KINDS; rank++) {
        if (copies[rank] == 0)
            continue;
        const bool pair = copies[rank] == 2;
        unsigned group = 0;
        for (unsigned below = 0; below < rank; below++)
            group += copies[below] > 0;
        if (p->plain)
            own[n++] = (mj_spot){(uint8_t)rank, 0, pair ? MJ_WAIT_SINGLE : MJ_WAIT_TWIN,
                                  pair ? (uint8_t)MJ_NONE : (uint8_t)group};
        if (p->even)
            own[n++] = (mj_spot){(uint8_t)rank, p->plain, MJ_WAIT_NONE, MJ_NONE};
    }
    return n;
}

/* The ranks that complete some tiles, and whether they are complete as they are. */
static uint16_t open_suit(const mj_tables *tables, uint32_t index, uint32_t copies)
{
    static const uint32_t powers[MJ_RANKS] = {390625, 78125, 15625, 3125, 625, 125, 25, 5, 1};
    uint16_t open = tables->id[index] > 0 ? MJ_IS_COMPLETE : 0;
    for (unsigned rank = 0; rank < MJ_RANKS; rank++)
        if ((copies >> 3 * rank & 7) < MJ_MAX_COPIES && tables->id[index + powers[rank]] > 0)
            open |= (uint16_t)(1u << rank);
    return open;
}

mj_status mj_find_spots(mj_spots *places, const mj_tables *tables, const mj_states *states)
{
    static const uint32_t powers[MJ_RANKS] = {390625, 78125, 15625, 3125, 625, 125, 25, 5, 1};
    uint32_t n = 0;
    places->first = malloc((states->n + 2) * sizeof *places->first);
    places->open = malloc((size_t)(states->n + 1) * (MJ_RANKS + 1) * sizeof *places->open);
    if (places->first == NULL || places->open == NULL)
        return MJ_NO_MEMORY;
    for (uint32_t id = 1; id <= states->n; id++) {
        places->first[id] = n;
        n += add_places(tables, states, id, NULL);
        uint16_t *open = places->open + (size_t)id * (MJ_RANKS + 1);
        for (unsigned rank = 0; rank < MJ_RANKS; rank++)
            if (states->copies[id] >> 3 * rank & 7)
                open[rank] = open_suit(tables, states->index[id] - powers[rank],
                                       states->copies[id] - (UINT32_C(1) << 3 * rank));
        open[MJ_RANKS] = open_suit(tables, states->index[id], states->copies[id]);
    }
    places->first[states->n + 1] = n;
    places->items = malloc((n + 1) * sizeof *places->items);
    if (places->items == NULL)
        return MJ_NO_MEMORY;
    for (uint32_t id = 1; id <= states->n; id++)
        add_places(tables, states, id, places->items + places->first[id]);
    return MJ_OK;
}

void mj_free_spots(mj_spots *places)
{
    free(places->first);
    free(places->open);
    free(places->items);
    *places = (mj_spots){0};
}

const mj_spot *mj_spots_of(const mj_spots *places, const mj_part *p, bool honours, mj_spot *own, unsigned *n)
{
    if (honours) {
        *n = honour_places(p, own);
        return own;
    }
    *n = places->first[p->state + 1] - places->first[p->state];
    return places->items + places->first[p->state];
}

/* ---- elements ----------------------------------------------------------------------------- */

/* Notes what the program sees of the winning tile. */
void mj_win_look(mj_win *win, mj_sight *sight, const bool *live)
{
    const mj_program *program = sight->program;
    win->claims = program->sees_claim;
    win->is_seen = sight->sees_win || sight->sees_own;
    sight->marks = win->is_seen;   /* all of it is cut as facts are: nothing of it is a coordinate here */
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (!live[f] || !mj_is_of_win(program->features[f].kind))
            continue;
        switch (program->features[f].kind) {
        case MJ_F_WAITS:
            win->waits[win->n_waits++] = (uint16_t)f;
            break;
        case MJ_F_WAITS_LEFT:
            win->left[win->n_left++] = (uint16_t)f;
            break;
        default:
            sight->sees_void |= program->features[f].kind == MJ_F_WIN_TILE_VOID;
            win->features[win->n_features++] = (uint16_t)f;
        }
    }
    for (uint32_t i = 0; i < program->n_shapes; i++) {
        const mj_shape *shape = &program->shapes[i];
        win->plain |= !mj_is_special(shape);
        win->twins |= shape->n_twins > 0;
        win->unclear |= win->n_waits + win->n_left > 0
                        && (shape->when != MJ_NO_REGISTER || shape->n_each + shape->n_singles > 0);
    }
}

/* The winning tile as features of its part. */
static void list_features(const mj_win *win, const mj_program *program, unsigned kind, bool is_void, unsigned own,
                          unsigned all, unsigned wait, uint8_t *list)
{
    memset(list, 0, win->n_features + 1);
    for (unsigned i = 0; i < win->n_features; i++) {
        const mj_feature *feature = &program->features[win->features[i]];
        switch (feature->kind) {
        case MJ_F_WIN_TILE_IN:
            list[i] = feature->tiles >> kind & 1;
            break;
        case MJ_F_WIN_TILE_VOID:
            list[i] = is_void;
            break;
        case MJ_F_WIN_TILE_OWN:
            list[i] = (uint8_t)own;
            break;
        case MJ_F_WIN_TILE_ALL:
            list[i] = (uint8_t)all;
            break;
        default:
            list[i] = (uint8_t)wait;
        }
    }
}

static void tell_list(const mj_win *win, uint32_t list, int64_t *features)
{
    const uint8_t *values = mj_pool_get(&win->lists, list);
    for (unsigned i = 0; i < win->n_features; i++)
        features[win->features[i]] = values[i];
}

void mj_tell_win(const mj_win *win, unsigned element, int64_t *features)
{
    if (element > 0)
        tell_list(win, win->list_of[element], features);
    for (unsigned i = 0; element == 0 && i < win->n_features; i++)
        features[win->features[i]] = 0;
}

void mj_tell_waits(const mj_win *win, unsigned waits, unsigned left, int64_t *features)
{
    for (unsigned i = 0; i < win->n_waits; i++)
        features[win->waits[i]] = waits;
    for (unsigned i = 0; i < win->n_left; i++)
        features[win->left[i]] = left;
}

/* What the code of facts makes of each list in each context, number of waits and number of tiles left. */
typedef struct trial {
    const mj_cut *cut;
    mj_win *win;
    const int32_t *facts;
    uint32_t n_contexts, n_waits, n_left, n_lists;
    mj_pool outcomes;
    uint32_t *cells;      /* by list, then context, waits, left */
} trial;

static uint32_t cell(const trial *t, uint32_t list, uint32_t context, uint32_t waits, uint32_t left)
{
    return t->cells[((list * t->n_contexts + context) * t->n_waits + waits) * t->n_left + left];
}

static mj_status try_all(trial *t, const mj_program *program)
{
    const unsigned n = t->cut->n_context_registers;
    int64_t *registers = calloc(MJ_MAX_REGISTERS + n + 1, sizeof *registers);
    if (registers == NULL || !mj_pool_start(&t->outcomes, (n + 1) * sizeof *registers)) {
        free(registers);
        return MJ_NO_MEMORY;
    }
    int64_t *outcome = registers + MJ_MAX_REGISTERS;
    registers[MJ_R_TRUE] = 1;
    memcpy(registers + MJ_R_CONSTANTS, program->constants, program->n_constants * sizeof *registers);
    int64_t features[MJ_MAX_FEATURES] = {0};
    uint32_t *put = t->cells;
    mj_status status = MJ_OK;
    for (uint32_t list = 0; list < t->n_lists && status == MJ_OK; list++)
        for (uint32_t context = 0; context < t->n_contexts && status == MJ_OK; context++)
            for (uint32_t waits = 0; waits < t->n_waits; waits++)
                for (uint32_t left = 0; left < t->n_left; left++) {
                    tell_list(t->win, list, features);
                    mj_tell_waits(t->win, waits, left, features);
                    mj_run(&t->cut->context_code, features, t->facts + (size_t)context * MJ_FACTS_SIZE, registers);
                    for (unsigned i = 0; i < n; i++)
                        outcome[i] = registers[t->cut->context_registers[i]];
                    *put = mj_pool_put(&t->outcomes, outcome);
                    if (*put++ == UINT32_MAX)
                        status = MJ_NO_MEMORY;
                }
    free(registers);
    return status;
}

/* Whether two numbers of waits, or of tiles left, are the same to everything else. */
static bool are_alike(const trial *t, bool of_left, uint32_t x, uint32_t y)
{
    for (uint32_t list = 0; list < t->n_lists; list++)
        for (uint32_t context = 0; context < t->n_contexts; context++)
            for (uint32_t other = 0; other < (of_left ? t->n_waits : t->n_left); other++)
                if (of_left ? cell(t, list, context, other, x) != cell(t, list, context, other, y)
                            : cell(t, list, context, x, other) != cell(t, list, context, y, other))
                    return false;
    return true;
}

static void find_limits(trial *t)
{
    mj_win *win = t->win;
    for (win->most_waits = t->n_waits - 1; win->most_waits > 0; win->most_waits--)
        if (!are_alike(t, false, win->most_waits - 1, t->n_waits - 1))
            break;
    for (win->most_left = t->n_left - 1; win->most_left > 0; win->most_left--)
        if (!are_alike(t, true, win->most_left - 1, t->n_left - 1))
            break;
    for (uint32_t left = 0; left <= MJ_MOST_LEFT; left++) {
        uint32_t like = 0;
        while (like < left && left < t->n_left && !are_alike(t, true, like, left))
            like++;
        win->alike_left[left] = (uint8_t)(left < t->n_left ? like : win->alike_left[t->n_left - 1]);
    }
}

static bool find_elements(trial *t, uint8_t *element_of_list)
{
    mj_win *win = t->win;
    const uint32_t row = t->n_contexts * t->n_waits * t->n_left, each = t->n_waits * t->n_left;
    win->n_elements = 1;
    for (uint32_t list = 0; list < t->n_lists; list++) {
        unsigned e = 1;
        while (e < win->n_elements
               && memcmp(t->cells + list * row, t->cells + win->list_of[e] * row, row * sizeof *t->cells) != 0)
            e++;
        if (e == MJ_WIN_ELEMENTS)
            return false;
        element_of_list[list] = (uint8_t)e;
        if (e < win->n_elements)
            continue;
        win->list_of[win->n_elements++] = list;
        win->cares[e] = false;
        for (uint32_t i = 0; i < row; i++)
            win->cares[e] |= t->cells[list * row + i] != t->cells[list * row + i / each * each];
    }
    return true;
}

mj_status mj_win_elements(mj_win *win, const mj_cut *cut, const mj_program *program, const int32_t *facts,
                          uint32_t n_contexts, mj_fold_reason *reason)
{
    if (!mj_pool_start(&win->lists, win->n_features + 1))
        return MJ_NO_MEMORY;
    uint32_t *number = win->element_of;
    uint8_t list[MJ_MAX_FEATURES + 1];
    for (unsigned kind = 0; kind < MJ_PARTS * MJ_RANKS; kind++)
        for (unsigned is_void = 0; is_void < 2; is_void++)
            for (unsigned own = 0; own < HELD; own++)
                for (unsigned all = 0; all < HELD; all++)
                    for (unsigned wait = 0; wait < WAIT_KINDS; wait++) {
                        list_features(win, program, kind, is_void, own, all, wait, list);
                        *number = mj_pool_put(&win->lists, list);
                        if (*number++ == UINT32_MAX)
                            return MJ_NO_MEMORY;
                    }
    trial t = {.cut = cut, .win = win, .facts = facts, .n_contexts = n_contexts, .n_lists = win->lists.n,
               .n_waits = win->n_waits > 0 ? MJ_MOST_WAITS + 1 : 1, .n_left = win->n_left > 0 ? MJ_MOST_LEFT + 1 : 1};
    const uint64_t cells = (uint64_t)t.n_lists * n_contexts * t.n_waits * t.n_left;
    if (cells > MAX_CELLS) {
        *reason = MJ_SEES_TOO_MUCH;
        return MJ_OK;
    }
    t.cells = malloc(cells * sizeof *t.cells);
    uint8_t *element_of_list = malloc(t.n_lists);
    mj_status status = t.cells == NULL || element_of_list == NULL ? MJ_NO_MEMORY : try_all(&t, program);
    if (status == MJ_OK) {
        find_limits(&t);
        if (!find_elements(&t, element_of_list))
            *reason = MJ_SEES_TOO_MUCH;
        for (size_t i = 0; i < sizeof win->element_of / sizeof *win->element_of && *reason == MJ_FOLDED; i++)
            win->element_of[i] = element_of_list[win->element_of[i]];
    }
    mj_pool_free(&t.outcomes);
    free(t.cells);
    free(element_of_list);
    return status;
}

unsigned mj_win_element(const mj_win *win, unsigned part, bool is_void, unsigned rank, unsigned own, unsigned all,
                        unsigned wait)
{
    const unsigned kind = part * MJ_RANKS + rank;
    return win->element_of[(((kind * 2 + is_void) * HELD + own) * HELD + all) * WAIT_KINDS + wait];
}

void mj_free_win(mj_win *win)
{
    mj_pool_free(&win->lists);
    for (unsigned honours = 0; honours < 2; honours++)
        free(win->state_of[honours]);
    free(win->class_of);
    free(win->sums);
    free(win->outcomes);
}
