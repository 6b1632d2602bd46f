/* One hand as text in the compact notation (`123m55p`), so that a short question needs one call and its answer
 * is read with one look.  Whatever is written otherwise is for the caller to read. */
#include <string.h>

#include "look.h"

static bool add_tiles(const char *digits, unsigned n, char suit, uint8_t *copies)
{
    const unsigned part = suit == 'm' ? 0 : suit == 'p' ? 1 : suit == 's' ? 2 : 3;
    const unsigned ranks = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
    if (n == 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const unsigned rank = (unsigned)(digits[i] - '1');
        if (rank >= ranks)
            return false;
        copies[part * MJ_RANKS + rank] += 1;
    }
    return true;
}

/* False for what is not in the notation, or is longer than a hand. */
static bool read_text(const char *text, uint32_t length, uint8_t *copies)
{
    unsigned digits = 0;
    if (length > 2 * MJ_MAX_TILES)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        const char c = text[i];
        if (c >= '1' && c <= '9') {
            digits += 1;
        } else {
            if ((c != 'm' && c != 'p' && c != 's' && c != 'z') || !add_tiles(text + i - digits, digits, c, copies))
                return false;
            digits = 0;
        }
    }
    return digits == 0;
}

static uint32_t summarize(const mj_program *program, const mj_result *result, mj_summary *summary)
{
    memset(summary, 0, offsetof(mj_summary, counted));
    const mj_reading *reading = &result->reading;
    summary->reading.n_groups = reading->n_groups;
    summary->reading.shape = reading->shape;
    summary->reading.wait = reading->wait;
    summary->reading.win_group = reading->win_group;
    memcpy(summary->reading.groups, reading->groups, reading->n_groups * sizeof *reading->groups);
    summary->money = result->money;
    memcpy(summary->totals, result->totals, sizeof summary->totals);
    summary->win = result->win;
    summary->complete = result->complete;
    unsigned n = 0;
    for (uint32_t fan = 0; result->win && fan < program->n_fans; fan++)
        if (result->counts[fan] > 0)
            summary->counted[n++] = (mj_counted){result->values[fan], result->counts[fan], fan};
    summary->n_counted = (uint8_t)n;
    return (uint32_t)(offsetof(mj_summary, counted) + n * sizeof *summary->counted);
}

uint32_t mj_score_text(const mj_tables *tables, const mj_program *program, const char *text, uint32_t length,
                       uint8_t win_tile, uint8_t void_suit, uint8_t claimed, const int32_t *facts,
                       mj_summary *summary)
{
    if (tables == NULL || program == NULL || text == NULL || facts == NULL || summary == NULL)
        return 0;
    mj_hand hand;
    memset(&hand, 0, sizeof hand);
    if (!read_text(text, length, hand.concealed))
        return 0;
    hand.win_tile = win_tile;
    hand.void_suit = void_suit;
    hand.claimed = claimed;
    memcpy(hand.facts, facts, sizeof hand.facts);
    const unsigned tiles = program->hand_size + 1u;
    mj_result result;
    /* A fifth copy is a question about a wait, and not a hand. */
    if (mj_check_hand(program, &hand, tiles, tiles, false) != MJ_OK
        || mj_score(tables, program, &hand, &result) != MJ_OK)
        return 0;
    return summarize(program, &result, summary);
}

int64_t mj_points_of_text(const mj_folds *folds, const char *text, uint32_t length, uint8_t win_tile, uint8_t by)
{
    uint8_t copies[MJ_KINDS] = {0};
    if (folds == NULL || folds->worth_of == NULL || text == NULL || !read_text(text, length, copies)
        || by > MJ_BY_ROBBED_KONG)
        return MJ_NO_POINTS;
    const bool told = win_tile != MJ_NONE;
    if (told && (win_tile >= MJ_KINDS || copies[win_tile] == 0 || folds->sees_win))
        return MJ_NO_POINTS;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        if (copies[kind] > MJ_MAX_COPIES)
            return MJ_NO_POINTS;
    uint32_t parts[MJ_PARTS], z = 0;
    unsigned tiles = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        parts[suit] = folds->suits[suit][mj_suit_index(copies + suit * MJ_RANKS)];
        tiles += parts[suit] >> MJ_CLASS_BITS;
    }
    for (unsigned kind = MJ_NUMBER_KINDS; kind < MJ_KINDS; kind++)
        z = z * 5 + copies[kind];
    parts[MJ_HONOURS] = folds->honours ? folds->honour_classes[z] : 0;
    tiles += parts[MJ_HONOURS] >> MJ_CLASS_BITS;
    if (tiles != folds->tiles || (z > 0 && !folds->honours))
        return MJ_NO_POINTS;
    uint32_t joined = parts[0] & MJ_CLASS_MASK;
    for (unsigned part = 1; part < (folds->honours ? 4 : 3); part++)
        joined = folds->joins[part][joined * folds->n_classes[part] + (parts[part] & MJ_CLASS_MASK)];
    const uint32_t context = folds->context_of[mj_situation(by, 0)][told ? copies[win_tile] : 0];
    const uint32_t worth = folds->worth_of[joined * folds->n_contexts + context];
    return worth == MJ_ODD_HAND ? MJ_NO_POINTS : folds->worths[worth].points;
}
