/* What folds need for hands that tell the winning tile, where the rules ask how it came in: how much can be
 * told, and the classes of suits and honours in which it is marked. */
#include <stdlib.h>
#include <string.h>

#include "fold_build.h"

/* ---- what can be told ------------------------------------------------------------------- */

int64_t mj_told_value(const mj_feature *feature, const uint16_t *told)
{
    const unsigned kind = told[MJ_TELL_KIND];
    switch (feature->kind) {
    case MJ_F_WIN_TILE_OWN: return told[MJ_TELL_OWN] > 0 ? told[MJ_TELL_OWN] - 1 : 0;
    case MJ_F_WIN_TILE_ALL: return told[MJ_TELL_ALL] > 0 ? told[MJ_TELL_ALL] - 1 : 0;
    case MJ_F_WIN_TILE_IN: return kind > 0 && (feature->tiles >> (kind - 1) & 1);
    case MJ_F_WIN_TILE_VOID: return told[MJ_TELL_VOID];
    case MJ_F_WAITS: return told[MJ_TELL_WAITS];
    default: return told[MJ_TELL_LEFT];
    }
}

static unsigned telling_of(unsigned feature_kind)
{
    switch (feature_kind) {
    case MJ_F_WIN_TILE_OWN: return MJ_TELL_OWN;
    case MJ_F_WIN_TILE_ALL: return MJ_TELL_ALL;
    case MJ_F_WIN_TILE_IN: return MJ_TELL_KIND;
    case MJ_F_WIN_TILE_VOID: return MJ_TELL_VOID;
    case MJ_F_WAITS: return MJ_TELL_WAITS;
    default: return MJ_TELL_LEFT;
    }
}

static unsigned most_of(unsigned telling)
{
    switch (telling) {
    case MJ_TELL_OWN:
    case MJ_TELL_ALL: return MJ_OWN_COPIES - 1;
    case MJ_TELL_KIND:
    case MJ_TELL_WAITS: return MJ_KINDS;
    case MJ_TELL_VOID: return 1;
    default: return MJ_TOLD - 1;
    }
}

/* What two numbers told as this feature are to the program: mostly they are compared with constants, and
 * where all these comparisons are alike, so are the numbers. */
static bool compare_alike(const mj_program *program, unsigned feature, int64_t x, int64_t y)
{
    bool of_feature[MJ_MAX_REGISTERS] = {false}, root[MJ_MAX_REGISTERS] = {false};
    mj_mark_roots(program, true, root);
    int64_t registers[MJ_MAX_REGISTERS] = {0};
    registers[MJ_R_TRUE] = 1;
    memcpy(registers + MJ_R_CONSTANTS, program->constants, program->n_constants * sizeof *registers);
    const unsigned end = MJ_R_CONSTANTS + program->n_constants;
    for (unsigned stage = 0; stage < MJ_STAGES; stage++) {
        for (uint32_t i = 0; i < program->code[stage].n; i++) {
            const mj_op op = program->code[stage].ops[i];
            if (op.op == MJ_OP_FEATURE) {
                of_feature[op.dst] = op.a == feature;
                if (op.a == feature && root[op.dst])
                    return false;
                continue;
            }
            if (op.op == MJ_OP_FACT)
                continue;
            const mj_signature s = mj_signature_of(op.op);
            const bool a = of_feature[op.a], b = s.reads[1] != MJ_UNWRITTEN && of_feature[op.b];
            const bool c = s.reads[2] != MJ_UNWRITTEN && of_feature[op.c];
            if (!a && !b && !c)
                continue;
            const bool compares = op.op >= MJ_OP_EQ && op.op <= MJ_OP_LE;
            const unsigned other = a ? op.b : op.a;
            if (!compares || (a && b) || other < MJ_R_CONSTANTS || other >= end)
                return false;
            int64_t found[2];
            for (unsigned which = 0; which < 2; which++) {
                registers[a ? op.a : op.b] = which == 0 ? x : y;
                mj_run(&(mj_code){(mj_op *)&op, 1}, NULL, NULL, registers);
                found[which] = registers[op.dst];
            }
            if (found[0] != found[1])
                return false;
        }
    }
    return true;
}

/* Whether nothing that the program asks tells two numbers of a telling apart. */
static bool are_alike(const mj_builder *b, unsigned telling, unsigned x, unsigned y)
{
    for (unsigned i = 0; i < b->n_told_features; i++) {
        const unsigned f = b->told_features[i];
        const mj_feature *feature = &b->program->features[f];
        if (telling_of(feature->kind) != telling)
            continue;
        uint16_t told[2][MJ_TELLINGS] = {{0}};
        told[0][telling] = (uint16_t)x;
        told[1][telling] = (uint16_t)y;
        const int64_t first = mj_told_value(feature, told[0]), second = mj_told_value(feature, told[1]);
        if (first != second && !compare_alike(b->program, f, first, second))
            return false;
    }
    return true;
}

static void sort_numbers(mj_builder *b, mj_won *won, unsigned telling)
{
    uint32_t n = 0;
    for (unsigned number = 0; number < MJ_TOLD; number++) {
        uint32_t sort = 0;
        const unsigned told = number < most_of(telling) ? number : most_of(telling);
        while (sort < n && !are_alike(b, telling, told, b->examples[telling][sort]))
            sort++;
        if (sort == n)
            b->examples[telling][n++] = (uint16_t)told;
        won->place_of[telling][number] = sort * won->n_told;
    }
    won->asks[telling] = n > 1;
    b->n_sorts[telling] = n;
    won->n_told *= n;
}

mj_status mj_start_won(mj_builder *b)
{
    mj_won *won = b->folds->won = calloc(1, sizeof *won);
    if (won == NULL)
        return MJ_NO_MEMORY;
    won->n_told = 1;
    for (unsigned telling = 0; telling < MJ_TELLINGS; telling++)
        sort_numbers(b, won, telling);
    won->n_base = won->n_told / (b->n_sorts[MJ_TELL_WAITS] * b->n_sorts[MJ_TELL_LEFT]);
    if (!b->sight.sees_waits)
        return MJ_OK;
    won->near = b->near;
    return b->near == NULL ? MJ_BAD_ARGUMENT
                           : mj_give_up(b, mj_plan_near(&won->plan, b->program) ? MJ_FOLDED : MJ_ODD_SHAPE);
}

/* ---- before the waits are known -------------------------------------------------------------- */

/* The distinct places of numbers of a telling from this one on, which are added up. */
static unsigned list_places(const uint32_t *place_of, unsigned from, uint32_t *places)
{
    unsigned n = 0;
    for (unsigned number = from; number < MJ_TOLD; number++) {
        bool known = false;
        for (unsigned i = n; i-- > 0 && !known;)
            known = places[i] == place_of[number];
        if (!known)
            places[n++] = place_of[number];
    }
    return n;
}

/* What may be told of waits that the winning tile is one of, by its copies that are left. */
typedef struct possible {
    uint32_t waits[MJ_TOLD], left[MJ_MAX_COPIES + 1][MJ_TOLD];
    unsigned n_waits, n_left[MJ_MAX_COPIES + 1];
} possible;

static void mark_possible(const mj_won *won, const possible *p, uint32_t situation, uint32_t early, uint64_t *set)
{
    const uint16_t *context_of = won->context_of + (size_t)situation * won->n_told + early % won->n_base;
    const unsigned left = early / won->n_base;
    for (unsigned w = 0; w < p->n_waits; w++) {
        for (unsigned l = 0; l < p->n_left[left]; l++) {
            const unsigned context = context_of[p->waits[w] + p->left[left][l]];
            set[context / 64] |= mj_bit(context % 64);
        }
    }
}

mj_status mj_find_early(mj_builder *b)
{
    enum { MAX_SETS = 4096 };   /* what is beyond them is in any context for all that is known */
    mj_won *won = b->folds->won;
    const uint32_t words = (b->folds->n_contexts + 63) / 64;
    uint32_t n_situations = 0;
    for (unsigned i = 0; i < MJ_SITUATIONS; i++)
        n_situations = won->situation_of[i] >= n_situations ? won->situation_of[i] + 1u : n_situations;
    won->n_lefts = won->near == NULL ? 1 : MJ_MAX_COPIES + 1;
    won->n_early = won->n_base * won->n_lefts + 1;
    const size_t n = (size_t)n_situations * won->n_early;
    won->early_of = calloc(n, sizeof *won->early_of);
    b->info->bytes += n * sizeof *won->early_of;
    uint64_t *set = calloc(words, sizeof *set);
    possible *p = calloc(1, sizeof *p);
    bool made = won->early_of != NULL && set != NULL && p != NULL && mj_pool_start(&b->early, words * sizeof *set);
    for (uint32_t context = 0; made && context < b->folds->n_contexts; context++)
        set[context / 64] |= mj_bit(context % 64);
    made = made && mj_pool_put(&b->early, set) == 0;
    if (made)
        p->n_waits = list_places(won->place_of[MJ_TELL_WAITS], 1, p->waits);
    for (unsigned left = 0; left < won->n_lefts && made; left++)
        p->n_left[left] = list_places(won->place_of[MJ_TELL_LEFT], left, p->left[left]);
    for (unsigned i = 0; i < MJ_SITUATIONS && made; i++) {
        uint16_t *none = &won->early_of[(won->situation_of[i] + 1u) * won->n_early - 1];
        const unsigned context = b->folds->context_of[i][0];
        memset(set, 0, words * sizeof *set);
        set[context / 64] |= mj_bit(context % 64);
        const uint32_t number = mj_pool_put(&b->early, set);
        made = number != UINT32_MAX;
        *none = (uint16_t)(number < MAX_SETS ? number : 0);
    }
    for (size_t cell = 0; cell < n && made; cell++) {
        const uint32_t early = cell % won->n_early;
        if (early == won->n_early - 1)
            continue;
        memset(set, 0, words * sizeof *set);
        mark_possible(won, p, (uint32_t)(cell / won->n_early), early, set);
        const uint32_t number = mj_pool_put(&b->early, set);
        made = number != UINT32_MAX;
        won->early_of[cell] = (uint16_t)(number < MAX_SETS ? number : 0);
    }
    won->n_sets = b->early.n < MAX_SETS ? b->early.n : MAX_SETS;
    free(set);
    free(p);
    return made ? MJ_OK : MJ_NO_MEMORY;
}

/* What a class is worth in all contexts of a set, or MJ_ODD_HAND. */
static uint16_t early_worth(const uint64_t *set, uint32_t n_contexts, const uint16_t *worths)
{
    uint16_t worth = MJ_ODD_HAND;
    bool any = false;
    for (uint32_t first = 0; first < n_contexts; first += 64) {
        for (uint64_t rest = set[first / 64]; rest != 0; rest &= rest - 1) {
            const uint16_t own = worths[first + mj_lowest(rest)];
            worth = !any || own == worth ? own : MJ_ODD_HAND;
            any = true;
            if (worth == MJ_ODD_HAND)
                return worth;
        }
    }
    return worth;
}

mj_status mj_weigh_early(mj_builder *b, uint32_t n_classes, const uint16_t *worth_of, uint16_t **table)
{
    const mj_won *won = b->folds->won;
    const uint32_t n_contexts = b->folds->n_contexts;
    uint16_t *cell = *table = malloc((size_t)n_classes * won->n_sets * sizeof *cell);
    if (cell == NULL)
        return MJ_NO_MEMORY;
    b->info->bytes += (uint64_t)n_classes * won->n_sets * sizeof *cell;
    for (uint32_t class = 0; class < n_classes; class++)
        for (uint32_t set = 0; set < won->n_sets; set++)
            *cell++ = early_worth(mj_pool_get(&b->early, set), n_contexts, worth_of + (size_t)class * n_contexts);
    return MJ_OK;
}

/* ---- marks ---------------------------------------------------------------------------------- */

static mj_status classify_suit(mj_builder *b, unsigned suit, const mj_marked *marked, const uint32_t *tuple_of,
                               uint32_t n_marks, uint16_t *class_of)
{
    for (uint32_t mark = 0; mark < n_marks && mj_goes_on(b); mark++) {
        mj_set set;
        memset(&set, 0, sizeof set);
        for (uint32_t r = marked->first[mark]; r < marked->first[mark + 1]; r++) {
            const uint32_t number = marked->numbers[r] & ~(uint32_t)MJ_OF_TWINS;
            const uint32_t manner = marked->numbers[r] & MJ_OF_TWINS ? b->seen.vectors.n : 0;
            if (!mj_put_tuple(&set, tuple_of[manner + number]))
                return mj_give_up(b, MJ_SEES_TOO_MUCH);
        }
        uint32_t number = MJ_NO_CLASS;
        const mj_status status = mj_number_class(b, &b->suits[suit], &set, &number);
        class_of[mark] = (uint16_t)number;
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

/* A table by state and by mark, of all the states that an index may have. */
static uint16_t *make_table(mj_builder *b, const uint16_t *class_of, bool in_set)
{
    const uint32_t n_each = MJ_RANKS * b->seen.variants, n_states = b->states->n + 1;
    const size_t n = (size_t)MJ_STATES * (1 + n_each);
    uint16_t *table = malloc(n * sizeof *table);
    if (table == NULL)
        return NULL;
    b->info->bytes += n * sizeof *table;
    mj_put_states(b, class_of, in_set, table);
    uint16_t *cell = table + MJ_STATES;
    for (uint32_t id = 0; id < MJ_STATES; id++) {
        const uint16_t tiles = (uint16_t)(table[id] & ~MJ_CLASS_MASK);
        const uint16_t *marks = id < n_states && in_set ? class_of + n_states + id * n_each : NULL;
        for (uint32_t mark = 0; mark < n_each; mark++)
            *cell++ = (uint16_t)(tiles | (marks == NULL ? MJ_NO_CLASS : marks[mark]));
    }
    return table;
}

static mj_status classify_honours(mj_builder *b, const uint8_t *copies, unsigned tiles, uint32_t index)
{
    (void)tiles;
    const unsigned variants = b->seen.variants;
    uint16_t *cell = b->folds->won->honour_marks + (size_t)index * MJ_HONOUR_KINDS * variants;
    for (unsigned m = 0; m < MJ_HONOUR_KINDS * variants; m++) {
        const mj_mark mark = {(uint8_t)(MJ_NUMBER_KINDS + m / variants), m % variants != 0};
        uint32_t number = MJ_NO_CLASS;
        const mj_status status = mj_honour_class(b, copies, mark, &number);
        if (status != MJ_OK || !mj_goes_on(b))
            return status;
        cell[m] = (uint16_t)number;
    }
    return MJ_OK;
}

mj_status mj_classify_marks(mj_builder *b, const uint32_t *tuple_of)
{
    mj_won *won = b->folds->won;
    won->variants = b->seen.variants;
    const uint32_t n_states = b->states->n + 1, n_marks = n_states * MJ_RANKS * won->variants;
    const size_t n_both = (size_t)n_states + n_marks;
    uint16_t *class_of = calloc(MJ_HONOURS * n_both, sizeof *class_of);
    mj_status status = class_of == NULL ? MJ_NO_MEMORY : MJ_OK;
    for (unsigned is_void = 0; is_void < 2; is_void++) {
        if (b->seen.rows[is_void][0] == NULL)
            continue;
        for (unsigned suit = 0; suit < MJ_HONOURS && status == MJ_OK && mj_goes_on(b); suit++) {
            uint16_t *own = class_of + suit * n_both;
            memcpy(own, b->class_of[is_void] + suit * n_states, n_states * sizeof *own);
            status = classify_suit(b, suit, &b->seen.marked[is_void][suit], tuple_of, n_marks, own + n_states);
        }
        if (status == MJ_OK && mj_goes_on(b))
            status = mj_make_tables(b, won->suits[is_void], class_of, n_both, make_table);
    }
    free(class_of);
    if (status != MJ_OK || !mj_goes_on(b) || !b->folds->honours || won->variants == 0)
        return status;
    const size_t n = (size_t)MJ_HONOUR_INDICES * MJ_HONOUR_KINDS * won->variants;
    won->honour_marks = calloc(n, sizeof *won->honour_marks);
    b->info->bytes += n * sizeof *won->honour_marks;
    return won->honour_marks == NULL ? MJ_NO_MEMORY : mj_each_honours(b, classify_honours);
}

void mj_free_won(mj_won *won)
{
    if (won == NULL)
        return;
    mj_free_suit_tables(won->suits[0]);
    mj_free_suit_tables(won->suits[1]);
    free(won->honour_marks);
    free(won->context_of);
    free(won->early_of);
    free(won->early_worth_of);
    free(won->final_early_worth_of);
    free(won);
}
