/* What joined classes are worth: the rest of the program run once for each class in each context. */
#include <stdlib.h>
#include <string.h>

#include "fold_build.h"

enum { MAX_RUNS = 150000 };   /* of the rest of the program */

/* ---- contexts ----------------------------------------------------------------------------------- */

static void tell(const mj_builder *b, int64_t *features, const uint16_t *told)
{
    for (unsigned i = 0; i < b->n_told_features; i++) {
        const unsigned f = b->told_features[i];
        features[f] = mj_told_value(&b->program->features[f], told);
    }
}

static int64_t *start_registers(const mj_builder *b)
{
    int64_t *registers = calloc(MJ_MAX_REGISTERS, sizeof *registers);
    if (registers == NULL)
        return NULL;
    registers[MJ_R_TRUE] = 1;
    memcpy(registers + MJ_R_CONSTANTS, b->program->constants, b->program->n_constants * sizeof *registers);
    return registers;
}

/* The search for contexts: what the program reads of each is in the pool, once. */
typedef struct census {
    mj_builder *b;
    mj_pool known;
    int64_t *registers, *values;
    int64_t features[MJ_MAX_FEATURES];
} census;

static mj_status start_census(census *c, mj_builder *b)
{
    memset(c, 0, sizeof *c);
    c->b = b;
    const unsigned n = b->cut.n_context_registers + 1u;   /* there is at least one, and it says nothing */
    c->registers = start_registers(b);
    c->values = calloc(n, sizeof *c->values);
    const bool started = mj_pool_start(&c->known, n * sizeof *c->values);
    return started && c->registers != NULL && c->values != NULL ? MJ_OK : MJ_NO_MEMORY;
}

static void end_census(census *c)
{
    mj_pool_free(&c->known);
    free(c->registers);
    free(c->values);
}

static mj_status find_context(census *c, const mj_told *told, uint16_t *number)
{
    mj_builder *b = c->b;
    tell(b, c->features, told->of);
    mj_run(&b->cut.context_code, c->features, b->facts + told->situation * MJ_FACTS_SIZE, c->registers);
    for (unsigned i = 0; i < b->cut.n_context_registers; i++)
        c->values[i] = c->registers[b->cut.context_registers[i]];
    const uint32_t before = c->known.n, found = mj_pool_put(&c->known, c->values);
    if (found == UINT32_MAX)
        return MJ_NO_MEMORY;
    if (found >= MJ_MAX_CONTEXTS)
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    if (c->known.n > before)
        b->contexts[found] = *told;
    b->folds->n_contexts = b->info->n_contexts = c->known.n;
    *number = (uint16_t)found;
    return MJ_OK;
}

/* Situations of which the program reads the same facts have the number of the first. */
static void sort_situations(const mj_builder *b, uint16_t *like)
{
    bool read[MJ_FACTS_SIZE] = {false};
    for (uint32_t i = 0; i < b->cut.context_code.n; i++)
        if (b->cut.context_code.ops[i].op == MJ_OP_FACT)
            read[b->cut.context_code.ops[i].a] = true;
    for (unsigned situation = 0; situation < MJ_SITUATIONS; situation++) {
        const int32_t *own = b->facts + situation * MJ_FACTS_SIZE;
        unsigned other = 0;
        for (; other < situation; other++) {
            bool same = true;
            for (unsigned i = 0; i < MJ_FACTS_SIZE && same; i++)
                same = !read[i] || own[i] == b->facts[other * MJ_FACTS_SIZE + i];
            if (same)
                break;
        }
        like[situation] = (uint16_t)other;
    }
}

/* Every way to tell a winning tile, in each situation. */
static mj_status find_won_contexts(census *c, const uint16_t *like)
{
    enum { MAX_TOLD = 2000000 };   /* runs of the code of contexts */
    mj_builder *b = c->b;
    mj_won *won = b->folds->won;
    unsigned n_situations = 0;
    for (unsigned situation = 0; situation < MJ_SITUATIONS; situation++) {
        const bool first = like[situation] == situation;
        won->situation_of[situation] = (uint16_t)(first ? n_situations : won->situation_of[like[situation]]);
        n_situations += first;
    }
    if ((uint64_t)n_situations * won->n_told > MAX_TOLD)
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    uint16_t *cell = won->context_of = malloc((size_t)n_situations * won->n_told * sizeof *cell);
    b->info->bytes += (uint64_t)n_situations * won->n_told * sizeof *cell;
    mj_status status = cell == NULL ? MJ_NO_MEMORY : MJ_OK;
    for (unsigned situation = 0; situation < MJ_SITUATIONS && status == MJ_OK; situation++) {
        if (like[situation] != situation)
            continue;
        for (uint32_t n = 0; n < won->n_told && status == MJ_OK && mj_goes_on(b); n++) {
            mj_told told = {.situation = (uint16_t)situation};
            uint32_t rest = n;
            for (unsigned i = 0; i < MJ_TELLINGS; rest /= b->n_sorts[i++])
                told.of[i] = b->examples[i][rest % b->n_sorts[i]];
            status = find_context(c, &told, cell++);
        }
    }
    return status;
}

/* Situations that the program cannot tell apart are one context, and so are winning tiles. */
mj_status mj_find_contexts(mj_builder *b)
{
    mj_folds *folds = b->folds;
    census c;
    mj_status status = start_census(&c, b);
    uint16_t like[MJ_SITUATIONS];
    sort_situations(b, like);
    for (unsigned own = 0; own < MJ_OWN_COPIES; own++) {
        for (unsigned situation = 0; situation < MJ_SITUATIONS && status == MJ_OK && mj_goes_on(b); situation++) {
            mj_told told = {.situation = (uint16_t)situation};
            told.of[MJ_TELL_OWN] = (uint16_t)(folds->sees_own ? own : 0);
            uint16_t *number = &folds->context_of[situation][own];
            if (folds->won != NULL && own > 0)
                *number = 0;   /* not asked for: `won` tells */
            else if (like[situation] < situation)
                *number = folds->context_of[like[situation]][own];
            else
                status = find_context(&c, &told, number);
        }
    }
    if (status == MJ_OK && mj_goes_on(b) && folds->won != NULL)
        status = find_won_contexts(&c, like);
    if (status == MJ_OK && mj_goes_on(b) && folds->won != NULL)
        status = mj_find_early(b);
    end_census(&c);
    return status;
}

/* ---- worths -------------------------------------------------------------------------------------- */

mj_worth mj_worth_of(const mj_result *result, unsigned unit)
{
    mj_worth worth;
    memset(&worth, 0, sizeof worth);
    if (!result->win)
        return worth;
    const int64_t total = result->totals[unit];
    worth.win = 1;
    worth.points = result->money;
    memcpy(worth.totals, result->totals, sizeof worth.totals);
    worth.total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : (int32_t)total;
    for (unsigned i = 0; i < MJ_MAX_FANS; i++)
        worth.fans |= result->counts[i] > 0 ? mj_bit(i) : 0;
    return worth;
}

static void weigh_tuple(mj_builder *b, mj_judgement *j, const mj_tuple *tuple)
{
    mj_reading reading = {.win_group = MJ_NONE};
    for (unsigned i = 0; i < b->cut.n_atoms; i++)
        if (b->cut.atoms[i].reg != MJ_NO_REGISTER)
            j->machine.registers[b->cut.atoms[i].reg] = b->cut.atoms[i].values[tuple->elements[i]];
    for (unsigned shape = 0; shape < b->program->n_shapes; shape++) {
        if (b->manners[shape] != tuple->manner)
            continue;
        reading.shape = (uint8_t)shape;
        for (unsigned i = 0; i < b->n_shape_features; i++)
            j->machine.features[b->shape_features[i]] = shape;
        mj_weigh(j, &reading);
    }
}

mj_court *mj_open_court(const mj_tables *tables, const mj_program *rest)
{
    mj_court *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->hand.win_tile = c->hand.void_suit = MJ_NONE;
    mj_machine_start(&c->judgement.machine, tables, rest, &c->hand);
    return c;
}

static void judge_class(mj_builder *b, mj_court *c, const mj_set *set, mj_told told)
{
    memcpy(c->hand.facts, b->facts + told.situation * MJ_FACTS_SIZE, sizeof c->hand.facts);
    tell(b, c->judgement.machine.features, told.of);
    mj_begin_judgement(&c->judgement, b->tables, &b->cut.rest, &c->hand, &c->result);
    c->judgement.started = true;
    for (unsigned k = 0; k < set->n; k++)
        weigh_tuple(b, &c->judgement, mj_pool_get(&b->tuples, set->tuples[k]));
}

static bool is_odd_class(const mj_builder *b, const mj_set *set)
{
    bool odd = false;
    for (unsigned k = 0; k < set->n; k++)
        odd |= ((const mj_tuple *)mj_pool_get(&b->tuples, set->tuples[k]))->manner == MJ_ODD;
    return odd;
}

static mj_status start_weighing(mj_builder *b, uint32_t n_classes, uint32_t n_each, mj_court **c)
{
    b->n_runs += n_classes * n_each;
    if ((uint64_t)n_classes * n_each > MAX_RUNS || b->n_runs > MAX_RUNS)
        return mj_give_up(b, MJ_SEES_TOO_MUCH);
    *c = mj_open_court(b->tables, &b->cut.rest);
    return *c == NULL ? MJ_NO_MEMORY : MJ_OK;
}

/* What each class is worth in each context. */
mj_status mj_weigh_classes(mj_builder *b, const mj_classes *classes, unsigned unit, uint16_t **table)
{
    const uint32_t n_contexts = b->folds->n_contexts;
    mj_court *c = NULL;
    mj_status status = start_weighing(b, classes->n, n_contexts, &c);
    if (c == NULL)
        return status;
    const mj_worth no_win = {0}, odd_hand = {.win = MJ_ODD_HAND};
    uint16_t *cell = *table = malloc((size_t)classes->n * n_contexts * sizeof **table);
    if (cell == NULL || mj_pool_put(&b->worths, &no_win) != MJ_NO_WIN
        || mj_pool_put(&b->worths, &odd_hand) != MJ_ODD_HAND)
        status = MJ_NO_MEMORY;
    b->info->bytes += (uint64_t)classes->n * n_contexts * sizeof **table;
    for (uint32_t i = 0; i < classes->n && status == MJ_OK && mj_goes_on(b); i++) {
        for (uint32_t context = 0; context < n_contexts && status == MJ_OK; context++) {
            const mj_set *set = mj_pool_get(classes, i);
            judge_class(b, c, set, b->contexts[context]);
            const mj_worth worth = is_odd_class(b, set) ? odd_hand : mj_worth_of(&c->result, unit);
            const uint32_t number = mj_pool_put(&b->worths, &worth);
            if (number == UINT32_MAX)
                status = MJ_NO_MEMORY;
            else if (number > UINT16_MAX)
                status = mj_give_up(b, MJ_SEES_TOO_MUCH);
            *cell++ = (uint16_t)number;
        }
    }
    free(c);
    return status;
}

/* Whether a fifth copy may count as a wait, as far as can be told without the tiles. */
static mj_status ask_of_fifth(mj_builder *b)
{
    static const unsigned situations[] = {MJ_BY_DISCARD, MJ_BY_OWN_DRAW};
    int64_t *registers = start_registers(b);
    if (registers == NULL)
        return MJ_NO_MEMORY;
    int64_t features[MJ_MAX_FEATURES] = {0};
    tell(b, features, (uint16_t[MJ_TELLINGS]){[MJ_TELL_OWN] = MJ_OWN_COPIES - 1});
    b->folds->fifth_counts = !b->cut.wait_is_told;
    for (unsigned i = 0; i < 2; i++) {
        mj_run(&b->cut.context_code, features, b->facts + mj_situation(situations[i], 0) * MJ_FACTS_SIZE, registers);
        b->folds->fifth_counts |= registers[b->program->may_wait] != 0;
    }
    free(registers);
    return MJ_OK;
}

/* What each class is worth as a wait, by the copies of its tile that were held: by a discard, or where that
 * may not win, by an own draw. */
mj_status mj_value_classes(mj_builder *b, const mj_classes *classes)
{
    mj_court *c = NULL;
    const mj_status status = start_weighing(b, classes->n, MJ_OWN_COPIES, &c);
    if (c == NULL)
        return status;
    int64_t *cell = b->folds->values = malloc((size_t)classes->n * MJ_OWN_COPIES * sizeof *cell);
    b->info->bytes += (uint64_t)classes->n * MJ_OWN_COPIES * sizeof *cell;
    for (uint32_t i = 0; i < classes->n && cell != NULL; i++) {
        for (unsigned own = 0; own < MJ_OWN_COPIES; own++) {
            const mj_set *set = mj_pool_get(classes, i);
            mj_told told = {.situation = mj_situation(MJ_BY_DISCARD, 0), .of = {[MJ_TELL_OWN] = (uint16_t)own}};
            judge_class(b, c, set, told);
            told.situation = mj_situation(MJ_BY_OWN_DRAW, 0);
            if (!c->result.win)
                judge_class(b, c, set, told);
            const int64_t value = c->result.win && c->result.may_wait ? c->result.money : -1;
            *cell++ = is_odd_class(b, set) ? MJ_ODD_VALUE : value;
        }
    }
    free(c);
    return cell == NULL ? MJ_NO_MEMORY : ask_of_fifth(b);
}
