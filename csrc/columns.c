/* Blocks of hands judged in columns.
 *
 * The readings of the hands are put into a buffer, each with what the program sees of it.  When the buffer is full, or
 * there are no more hands, all of its readings are weighed together: as many hands as there are room for, or a part of
 * one that has many readings.  The best reading of each hand so far is kept beside the buffer.
 *
 * Where a reading leaves a choice, all readings are weighed by their first choice, then those that have one by their
 * second, and so on; so there is one column for a register, whatever is chosen.
 */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "groups.h"

/* The best reading of a hand so far. */
typedef struct best {
    bool found;
    uint32_t number;             /* of the reading, among all of the block */
    mj_verdict verdict;
} best;

struct mj_columns {
    const mj_tables *tables;
    const mj_program *program;
    const int32_t *facts;
    mj_plan plan;
    mj_width width;
    bool has_special;            /* a shape has parts other than melds and pairs */
    bool asks_waits;             /* what is not looked at in columns */
    uint8_t *columns;

    /* the block */
    const mj_asked *asked;
    mj_hand_columns hands;
    uint16_t ids[MJ_BLOCK][MJ_HONOURS];     /* of the suits */
    uint8_t (*hand_values)[MJ_BLOCK];   /* by source and hand */
    best best[MJ_BLOCK];

    /* the hand whose readings are being listed */
    unsigned at;
    mj_hand hand;
    bool is_looked_at;           /* its waits are known */

    /* the buffer */
    uint32_t first;              /* number of its first reading */
    unsigned n;
    uint16_t hand_of[MJ_READINGS];
    uint8_t shape_of[MJ_READINGS];
    uint64_t found[MJ_READINGS]; /* ordinary fans, then late ones */
    uint32_t n_choices[MJ_READINGS];
    uint16_t active[MJ_READINGS];   /* readings that are weighed by the choice at hand */
    unsigned n_active;
    mj_verdict verdicts[MJ_READINGS];
};

/* ---- places of columns ------------------------------------------------------------------- */

static uint8_t *truths(mj_columns *c, mj_strip strip)
{
    return c->columns + strip.at;
}

static int16_t *small(mj_columns *c, mj_strip strip)
{
    return (int16_t *)(void *)(c->columns + strip.at);
}

static int64_t *wide(mj_columns *c, mj_strip strip)
{
    return (int64_t *)(void *)(c->columns + strip.at);
}

static int64_t number_at(mj_columns *c, mj_strip strip, unsigned i)
{
    return strip.lane == MJ_SMALL ? small(c, strip)[i] : wide(c, strip)[i];
}

/* ---- a buffer of readings weighed ----------------------------------------------------------- */

/* Numbers of hands, for each of their readings. */
static void spread(const uint8_t *values, const uint16_t *hand_of, unsigned n, mj_strip strip, mj_columns *c)
{
    uint8_t *restrict truth = truths(c, strip);
    int16_t *restrict number = small(c, strip);
    if (strip.lane == MJ_TRUTHS)
        for (unsigned i = 0; i < n; i++)
            truth[i] = values[hand_of[i]];
    else
        for (unsigned i = 0; i < n; i++)
            number[i] = values[hand_of[i]];
}

static void spread_fact(const int32_t *facts, const uint16_t *hand_of, unsigned n, mj_strip strip, mj_columns *c)
{
    const uint16_t *situation = c->hands.situation;
    int16_t *restrict number = small(c, strip);
    int64_t *restrict large = wide(c, strip);
    if (strip.lane == MJ_SMALL)
        for (unsigned i = 0; i < n; i++)
            number[i] = (int16_t)facts[situation[hand_of[i]] * MJ_FACTS_SIZE];
    else
        for (unsigned i = 0; i < n; i++)
            large[i] = facts[situation[hand_of[i]] * MJ_FACTS_SIZE];
}

static void spread_hands(mj_columns *c)
{
    const mj_sources *features = &c->plan.hand_features, *facts = &c->plan.facts;
    for (uint32_t s = 0; s < features->n; s++)
        spread(c->hand_values[s], c->hand_of, c->n, features->items[s].column, c);
    for (uint32_t s = 0; s < facts->n; s++)
        spread_fact(c->facts + facts->items[s].number, c->hand_of, c->n, facts->items[s].column, c);
}

/* Judges the fans that were found in a reading: the ordinary ones anew, or the late ones besides. */
static void judge_fans(mj_columns *c, bool late, unsigned i, uint64_t kept)
{
    uint16_t counts[MJ_MAX_FANS];
    const uint64_t found = c->found[i] & (late ? c->program->late_fans : ~c->program->late_fans);
    for (uint64_t rest = found; rest != 0; rest &= rest - 1)
        counts[mj_lowest(rest)] = mj_count_of(number_at(c, c->plan.counts[mj_lowest(rest)], i));
    mj_judge_fans(c->program, late, found, counts, kept, &c->verdicts[i]);
}

static void sum_up(mj_columns *c, unsigned i)
{
    mj_verdict *verdict = &c->verdicts[i];
    int64_t values[MJ_MAX_FANS];
    for (uint64_t rest = verdict->standing; rest != 0; rest &= rest - 1)
        values[mj_lowest(rest)] = number_at(c, c->plan.values[mj_lowest(rest)], i);
    mj_sum_up(c->program, values, verdict);
    for (unsigned unit = 0; unit < MJ_UNITS; unit++)
        wide(c, c->plan.totals[unit])[i] = verdict->totals[unit];
}

/* Of equals the earlier reading is kept, which may be met later where there are choices. */
static void compare(mj_columns *c, unsigned i)
{
    mj_verdict *verdict = &c->verdicts[i];
    best *own = &c->best[c->hand_of[i]];
    verdict->money = number_at(c, c->plan.money, i);
    verdict->may_win = truths(c, c->plan.may_win)[i] != 0;
    verdict->may_wait = truths(c, c->plan.may_wait)[i] != 0;
    int order = own->found ? mj_compare_worths(verdict, &own->verdict) : 1;
    if (order == 0)
        order = mj_compare_fans(verdict, &own->verdict);
    if (order > 0 || (order == 0 && c->first + i < own->number)) {
        own->found = true;
        own->number = c->first + i;
        own->verdict = *verdict;
    }
}

static uint64_t kept_fans(const mj_columns *c, unsigned i, uint32_t choice)
{
    return c->n_choices[i] == 1 ? UINT64_MAX
                                : mj_kept_fans(c->program, c->found[i] & ~c->program->late_fans, choice);
}

/* Weighs the active readings by one of their choices. */
static void weigh_choice(mj_columns *c, uint32_t choice)
{
    const mj_program *program = c->program;
    const uint64_t late = program->late_fans;
    for (unsigned k = 0; k < c->n_active; k++) {
        const unsigned i = c->active[k];
        judge_fans(c, false, i, kept_fans(c, i, choice));
        truths(c, c->plan.no_other)[i] = !mj_stands_any(program, &c->verdicts[i]);
    }
    mj_run_stage(&c->plan, MJ_LATE_STAGE, c->n, c->width, c->columns);
    for (unsigned k = 0; late != 0 && k < c->n_active; k++)
        c->found[c->active[k]] &= ~late;
    mj_find_fans(&c->plan, late, c->n, c->width, c->columns, c->found);
    for (unsigned k = 0; k < c->n_active; k++) {
        const unsigned i = c->active[k];
        if (late != 0)
            judge_fans(c, true, i, kept_fans(c, i, choice));
        sum_up(c, i);
    }
    mj_run_stage(&c->plan, MJ_FINAL_STAGE, c->n, c->width, c->columns);
    for (unsigned k = 0; k < c->n_active; k++)
        compare(c, c->active[k]);
}

static void weigh_readings(mj_columns *c)
{
    const mj_program *program = c->program;
    const uint64_t ordinary = (program->n_fans == MJ_MAX_FANS ? UINT64_MAX : mj_bit(program->n_fans) - 1)
                              & ~program->late_fans;
    spread_hands(c);
    mj_run_stage(&c->plan, MJ_SHAPE_STAGE, c->n, c->width, c->columns);
    mj_run_stage(&c->plan, MJ_FAN_STAGE, c->n, c->width, c->columns);
    memset(c->found, 0, sizeof c->found);
    mj_find_fans(&c->plan, ordinary, c->n, c->width, c->columns, c->found);
    c->n_active = 0;
    for (unsigned i = 0; i < c->n; i++) {
        c->n_choices[i] = program->n_picks == 0 ? 1 : mj_count_choices(program, c->found[i]);
        c->active[c->n_active] = (uint16_t)i;
        c->n_active += truths(c, c->plan.allowed[c->shape_of[i]])[i];
    }
    for (uint32_t choice = 0; c->n_active > 0; choice++) {
        weigh_choice(c, choice);
        unsigned n = 0;
        for (unsigned k = 0; k < c->n_active; k++) {
            const unsigned i = c->active[k];
            c->active[n] = (uint16_t)i;
            n += choice + 1 < c->n_choices[i];
        }
        c->n_active = n;
    }
    c->first += c->n;
    c->n = 0;
}

/* ---- readings listed ------------------------------------------------------------------------ */

/* What of a hand is not looked at in columns: its waits, which are dear. */
static void look_at_waits(mj_columns *c)
{
    mj_view view;
    bool viewed = false;
    for (uint32_t s = 0; s < c->plan.hand_features.n; s++) {
        const mj_feature *feature = &c->program->features[c->plan.hand_features.items[s].number];
        if (mj_is_columnar(feature->kind))
            continue;
        if (!viewed)
            mj_view_hand(&view, c->tables, c->program, &c->hand);
        viewed = true;
        c->hand_values[s][c->at] = (uint8_t)mj_hand_feature(&view, feature);
    }
}

static bool put_reading(void *context, const mj_reading *reading)
{
    mj_columns *c = context;
    if (c->n == MJ_READINGS)
        weigh_readings(c);
    if (c->asks_waits && !c->is_looked_at)
        look_at_waits(c);
    c->is_looked_at = true;
    const unsigned i = c->n++;
    c->hand_of[i] = (uint16_t)c->at;
    c->shape_of[i] = reading->shape;
    uint64_t values[MJ_SEEN_BYTES / 8];
    mj_see_reading(c->program, reading, values);
    const uint8_t *bytes = (const uint8_t *)values;
    const mj_source *source = c->plan.reading_features.items, *end = source + c->plan.reading_features.n;
    const uint16_t *place = c->program->groups->place;
    for (; source < end; source++) {
        const uint8_t value = bytes[place[source->number]];
        if (source->column.lane == MJ_TRUTHS)
            truths(c, source->column)[i] = value;
        else
            small(c, source->column)[i] = value;
    }
    return true;
}

/* A hand of the block by itself. */
static void take_hand(mj_columns *c, unsigned i)
{
    const mj_asked *asked = c->asked;
    mj_hand *hand = &c->hand;
    c->at = i;
    c->is_looked_at = false;
    for (unsigned kind = 0; kind < asked->kinds; kind++)
        hand->concealed[kind] = c->hands.concealed[kind][i];
    hand->n_melds = c->hands.n_melds[i];
    memcpy(hand->melds, c->hands.melds[i], sizeof hand->melds);
    hand->win_tile = asked->win[i];
    hand->void_suit = asked->voids[i];
    hand->claimed = asked->by[i] != MJ_BY_OWN_DRAW;
    if (!c->asks_waits)
        return;
    memcpy(hand->facts, c->facts + c->hands.situation[i] * MJ_FACTS_SIZE, sizeof hand->facts);
    mj_tell_seen(asked->seen == NULL ? NULL : asked->seen + asked->rows[i] * asked->kinds, asked->kinds, hand);
}

/* Looks up the suits of all hands, one after another, so that many look-ups are under way at once. */
static void find_ids(mj_columns *c)
{
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
        for (unsigned i = 0; i < c->asked->n; i++)
            c->ids[i][suit] = c->hands.good[i] ? c->tables->id[c->hands.index[suit][i]] : 0;
}

/* Whether a hand may have a reading: by its suits, or by pairs alone. */
static bool may_be_read(const mj_columns *c, unsigned i)
{
    const uint16_t *ids = c->ids[i];
    return (ids[0] != 0 && ids[1] != 0 && ids[2] != 0) || !c->hands.odd[i] || c->has_special;
}

unsigned mj_judge_hands(mj_columns *c, const mj_asked *asked, uint16_t *others)
{
    unsigned n_others = 0;
    c->asked = asked;
    c->first = 0;
    mj_read_hands(c->program, asked, c->width, &c->hands);
    for (uint32_t s = 0; s < c->plan.hand_features.n; s++) {
        const mj_feature *feature = &c->program->features[c->plan.hand_features.items[s].number];
        if (mj_is_columnar(feature->kind))
            mj_look_at_hands(feature, asked, &c->hands, c->width, c->hand_values[s]);
    }
    find_ids(c);
    memset(&c->hand, 0, sizeof c->hand);
    for (unsigned i = 0; i < asked->n; i++) {
        c->best[i].found = false;
        others[n_others] = (uint16_t)i;
        n_others += !c->hands.good[i];
        if (!c->hands.good[i] || !may_be_read(c, i))
            continue;
        take_hand(c, i);
        mj_each_reading_of(c->tables, c->program, &c->hand, c->ids[i], mj_sees_places(c->program, &c->hand),
                           put_reading, c);
    }
    weigh_readings(c);
    return n_others;
}

const mj_verdict *mj_best_of(const mj_columns *c, unsigned hand)
{
    return c->best[hand].found ? &c->best[hand].verdict : NULL;
}

/* ---- made and freed -------------------------------------------------------------------------- */

static void put_fills(mj_columns *c)
{
    for (uint32_t f = 0; f < c->plan.n_fills; f++) {
        const mj_fill fill = c->plan.fills[f];
        for (unsigned i = 0; i < MJ_READINGS; i++) {
            if (fill.column.lane == MJ_TRUTHS)
                truths(c, fill.column)[i] = (uint8_t)fill.value;
            else if (fill.column.lane == MJ_SMALL)
                small(c, fill.column)[i] = (int16_t)fill.value;
            else
                wide(c, fill.column)[i] = fill.value;
        }
    }
}

mj_status mj_columns_new(const mj_tables *tables, const mj_program *program, const int32_t *facts,
                         const unsigned *situation, mj_columns **out)
{
    mj_columns *c = *out = malloc(sizeof *c);
    if (c == NULL)
        return MJ_NO_MEMORY;
    c->tables = tables;
    c->program = program;
    c->facts = facts;
    c->width = mj_width_here();
    c->n = 0;
    c->columns = NULL;
    c->hand_values = NULL;
    c->has_special = false;
    for (uint32_t i = 0; i < program->n_shapes; i++)
        c->has_special |= mj_is_special(&program->shapes[i]) && !mj_is_of_pairs(&program->shapes[i]);
    const int32_t *own = facts + (situation == NULL ? 0 : *situation * MJ_FACTS_SIZE);
    mj_status status = mj_plan_new(&c->plan, program, own, situation == NULL);
    if (status == MJ_OK) {
        enum { LINE = 64 };   /* bytes, of which columns are whole ones */
        c->columns = aligned_alloc(LINE, c->plan.bytes);
        c->hand_values = malloc((c->plan.hand_features.n + 1) * sizeof *c->hand_values);
        if (c->columns == NULL || c->hand_values == NULL)
            status = MJ_NO_MEMORY;
    }
    if (status == MJ_OK) {
        c->asks_waits = false;
        for (uint32_t s = 0; s < c->plan.hand_features.n; s++)
            c->asks_waits |= !mj_is_columnar(program->features[c->plan.hand_features.items[s].number].kind);
        /* What a step finds behind the last reading is an earlier one, or 0: never a number beyond the limit. */
        memset(c->columns, 0, c->plan.bytes);
        put_fills(c);
        return MJ_OK;
    }
    mj_columns_free(c);
    *out = NULL;
    return status;
}

void mj_columns_free(mj_columns *c)
{
    if (c == NULL)
        return;
    mj_plan_free(&c->plan);
    free(c->columns);
    free(c->hand_values);
    free(c);
}
