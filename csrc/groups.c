/* What a program sees of a reading, group by group.
 *
 * How many groups are of some sort is a sum over groups, and which groups of a pattern are there is a union over them.
 * So for each group that there is, by type and tile, the table has a row of words: counts, a byte for each feature that
 * counts groups, then needs, a bit for each group of each example of a pattern, set where this group serves as it.  A
 * reading's features are the rows of its groups put together, all at once.  An example is met where all of its groups
 * are; only one that asks for two groups which one group could be is looked at as in feature.c, and so are patterns of
 * more examples than there is room for.
 */
#include <stdlib.h>
#include <string.h>

#include "groups.h"

enum {
    WORD = 64,
    AT_ONCE = 4,             /* words that are put together at once */
    MAX_NEED_WORDS = 16,
    MOST_WORDS = MAX_NEED_WORDS * (MJ_MAX_MELDS + 1)
};

static unsigned code_of(mj_group group)
{
    return group.type * MJ_KINDS + group.tile;
}

static uint32_t n_examples(const mj_program *program, unsigned pattern)
{
    return program->pattern_first[pattern + 1] - program->pattern_first[pattern];
}

static unsigned rounded(unsigned n, unsigned to)
{
    return (n + to - 1) / to * to;
}

/* ---- where things are ------------------------------------------------------------------ */

/* Gives a pattern its bits: those of one word, or words of its own. */
static void place_pattern(mj_groups *t, const mj_program *program, mj_seen_pattern *p, unsigned *n_bits)
{
    const uint32_t n = n_examples(program, program->features[p->feature].low);
    const unsigned first = *n_bits % WORD + n > WORD ? rounded(*n_bits, WORD) : *n_bits;
    const unsigned end = n > WORD ? rounded(first + n, WORD) : first + n;
    if (n > MAX_NEED_WORDS * WORD || end > MAX_NEED_WORDS * WORD)
        return;
    p->first = (uint16_t)first;
    p->n = (uint16_t)n;
    *n_bits = end;
    for (uint32_t i = 0; i < n; i++) {
        const mj_example *e = &program->examples[program->pattern_first[program->features[p->feature].low] + i];
        t->n_groups = e->n_groups > t->n_groups ? e->n_groups : t->n_groups;
    }
}

/* The counts come first, so that they are words; then shape, wait and truths. */
static void place_features(mj_groups *t, const mj_program *program)
{
    static const unsigned lists[] = {MJ_SHAPE_READING, MJ_FAN_READING};
    unsigned n_bits = 0, place = 0;
    for (unsigned counts = 2; counts-- > 0;) {
        for (unsigned l = 0; l < 2; l++) {
            const mj_feature_list *list = &program->lists[lists[l]];
            for (uint32_t i = 0; i < list->n; i++) {
                const unsigned f = list->items[i], kind = program->features[f].kind;
                if ((kind == MJ_F_GROUPS) != (counts == 1))
                    continue;
                t->place[f] = (uint16_t)(kind == MJ_F_SHAPE  ? t->shape_place
                                         : kind == MJ_F_WAIT ? t->wait_place
                                                             : place++);
                if (kind == MJ_F_PATTERN) {
                    mj_seen_pattern *p = &t->patterns[t->n_patterns++];
                    *p = (mj_seen_pattern){.feature = (uint16_t)f};
                    place_pattern(t, program, p, &n_bits);
                    t->has_large |= p->n == 0;
                }
            }
        }
        if (counts == 1) {
            t->n_counts = place;
            t->count_words = rounded(place, 8 * AT_ONCE) / 8;
            place = 8 * t->count_words;
            t->shape_place = (uint16_t)place++;
            t->wait_place = (uint16_t)place++;
            t->pattern_place = (uint16_t)place;
        }
    }
    t->need_words = rounded(n_bits, WORD) / WORD;
    t->stride = t->count_words + rounded(t->n_groups * t->need_words, AT_ONCE);
}

/* ---- rows --------------------------------------------------------------------------------- */

static void count_each(mj_groups *t, const mj_feature *feature, unsigned place)
{
    for (unsigned type = 0; type < MJ_GROUP_TYPES; type++) {
        for (unsigned tile = 0; tile < MJ_KINDS; tile++) {
            const mj_reading one = {.groups = {{(uint8_t)type, (uint8_t)tile}}, .n_groups = 1};
            uint8_t *row = (uint8_t *)(t->rows + code_of(one.groups[0]) * t->stride);
            row[place] = (uint8_t)mj_count_groups(&one, feature);
        }
    }
}

/* Whether one group could serve as two of the example's. */
static bool is_ambiguous(const mj_example *e)
{
    for (unsigned i = 0; i < e->n_groups; i++)
        for (unsigned k = 0; k < i; k++)
            if (e->groups[i].tile == e->groups[k].tile
                && (mj_types_like(e->groups[i].type) & mj_types_like(e->groups[k].type)) != 0)
                return true;
    return false;
}

/* Sets the bit of an example in the rows of all groups that serve, among the needs of the group that they serve as. */
static void need_each(mj_groups *t, const mj_example *e, unsigned domain, unsigned bit)
{
    for (unsigned i = 0; i < t->n_groups; i++) {
        const unsigned word = i * t->need_words + bit / WORD;
        if (i >= e->n_groups) {
            t->given[word] |= mj_bit(bit % WORD);
            continue;
        }
        for (unsigned types = mj_types_like(e->groups[i].type) & domain; types != 0; types &= types - 1) {
            const mj_group group = {(uint8_t)mj_lowest(types), e->groups[i].tile};
            t->rows[code_of(group) * t->stride + t->count_words + word] |= mj_bit(bit % WORD);
        }
    }
}

static void fill_rows(mj_groups *t, const mj_program *program)
{
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        if (t->place[f] < t->n_counts)
            count_each(t, &program->features[f], t->place[f]);
    for (unsigned i = 0; i < t->n_patterns; i++) {
        mj_seen_pattern *p = &t->patterns[i];
        const mj_feature *feature = &program->features[p->feature];
        for (unsigned k = 0; k < p->n; k++) {
            const mj_example *e = &program->examples[program->pattern_first[feature->low] + k];
            p->ambiguous = p->ambiguous || is_ambiguous(e);
            need_each(t, e, feature->domain, p->first + k);
        }
    }
}

mj_groups *mj_groups_new(const mj_program *program)
{
    mj_groups *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    memset(t->place, 0xff, sizeof t->place);
    t->patterns = malloc((program->lists[MJ_SHAPE_READING].n + program->lists[MJ_FAN_READING].n + 1)
                         * sizeof *t->patterns);
    if (t->patterns != NULL) {
        place_features(t, program);
        t->rows = calloc((size_t)MJ_GROUP_CODES * t->stride + 1, sizeof *t->rows);
        t->given = calloc(MOST_WORDS, sizeof *t->given);
    }
    if (t->rows == NULL || t->given == NULL) {
        mj_groups_free(t);
        return NULL;
    }
    fill_rows(t, program);
    return t;
}

void mj_groups_free(mj_groups *t)
{
    if (t == NULL)
        return;
    free(t->patterns);
    free(t->rows);
    free(t->given);
    free(t);
}

/* ---- a reading seen ----------------------------------------------------------------------------- */

/* Whether some example of a pattern is met, by the needs that are; those of all groups of an example are joined. */
static bool meets(const mj_program *program, const mj_reading *reading, const mj_seen_pattern *p, const uint64_t *met)
{
    const mj_feature *feature = &program->features[p->feature];
    if (p->n == 0)
        return mj_has_pattern(program, reading, feature);
    for (unsigned first = p->first; first < p->first + p->n; first += WORD) {
        const unsigned n = p->first + p->n - first;
        if (met[first / WORD] & (n < WORD ? mj_bit(n) - 1 : UINT64_MAX) << first % WORD)
            return !p->ambiguous || mj_has_pattern(program, reading, feature);
    }
    return false;
}

void mj_see_reading(const mj_program *program, const mj_reading *reading, uint64_t values[MJ_SEEN_BYTES / 8])
{
    const mj_groups *t = program->groups;
    const uint64_t *rows[MJ_MAX_GROUPS];
    uint64_t met[MOST_WORDS], any = 0;
    for (unsigned g = 0; g < reading->n_groups; g++)
        rows[g] = t->rows + code_of(reading->groups[g]) * t->stride;
    for (unsigned i = 0; i < t->count_words; i += AT_ONCE) {
        uint64_t sum[AT_ONCE] = {0};
        for (unsigned g = 0; g < reading->n_groups; g++)
            for (unsigned k = 0; k < AT_ONCE; k++)
                sum[k] += rows[g][i + k];
        memcpy(values + i, sum, sizeof sum);
    }
    for (unsigned i = t->count_words; i < t->stride; i += AT_ONCE) {
        uint64_t *all = met + (i - t->count_words);
        memcpy(all, t->given + (i - t->count_words), AT_ONCE * sizeof *all);
        for (unsigned g = 0; g < reading->n_groups; g++)
            for (unsigned k = 0; k < AT_ONCE; k++)
                all[k] |= rows[g][i + k];
    }
    for (unsigned i = 0; i < t->need_words; i++) {
        for (unsigned g = 1; g < t->n_groups; g++)
            met[i] &= met[g * t->need_words + i];
        any |= met[i];
    }
    uint8_t *bytes = (uint8_t *)values;
    bytes[t->shape_place] = reading->shape;
    bytes[t->wait_place] = reading->wait;
    memset(bytes + t->pattern_place, 0, t->n_patterns);
    for (unsigned i = 0; (any != 0 || t->has_large) && i < t->n_patterns; i++)
        bytes[t->pattern_place + i] = meets(program, reading, &t->patterns[i], met);
}
