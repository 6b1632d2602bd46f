/* Hands scored by looking up where the rules ask how the winning tile came in: the class of the part that
 * holds it is that of its mark, and what else is told of it chooses the context. */
#include <string.h>

#include "near.h"

static mj_indices hand_of(const mj_batch *batch, const mj_block *block, unsigned i)
{
    return mj_indices_of(block->words[i], batch->kinds > MJ_NUMBER_KINDS ? block->honours[i] : 0);
}

/* The waits of a block's hands before the winning tile came; rows that are not looked up are true in `bad`. */
static void find_waits(const mj_folds *folds, const mj_batch *batch, const mj_block *block, const uint8_t *win,
                       uint64_t *kinds, bool *bad)
{
    uint16_t others[MJ_BLOCK];
    mj_block before = {.first = block->first, .n = block->n, .words = before.word_room};
    for (unsigned i = 0; i < MJ_BLOCK; i++) {
        before.word_room[i] = i < block->n ? block->words[i] : MJ_NO_WORD;
        before.honours[i] = i < block->n && batch->kinds > MJ_NUMBER_KINDS ? block->honours[i] : 0;
        const mj_indices index = mj_indices_of(before.word_room[i], before.honours[i]);
        if (i >= block->n || win[i] == MJ_NONE || mj_copies_of(&index, win[i]) == 0)
            continue;
        if (win[i] < MJ_NUMBER_KINDS)
            before.word_room[i] -= (uint64_t)mj_digits[win[i]] << mj_suit_of(win[i]) * MJ_SUIT_BITS;
        else
            before.honours[i] -= mj_digits[win[i]];
    }
    const unsigned n = mj_near_waits(folds->won->near, folds->states, folds->program, batch, &before, kinds, others);
    for (unsigned i = 0; i < n; i++)
        bad[others[i]] = true;
}

static unsigned meld_copies(const mj_states *states, const mj_told_melds *melds, unsigned kind)
{
    unsigned copies = 0;
    for (unsigned i = 0; i < melds->n; i++) {
        const bool overlaps = melds->codes[i] >= MJ_MELD_CODES;
        const unsigned code = overlaps ? melds->codes[i] - MJ_PUNG_OVERLAP : melds->codes[i];
        const unsigned each = code >= MJ_KONG_CODES ? 4 : code >= MJ_PUNG_CODES ? 3 : 1;
        copies += states->meld_kinds[code] >> kind & 1 ? each : 0;
    }
    return copies;
}

/* Live waits, and their tiles that are not seen. */
static void count_waits(const mj_folds *folds, const mj_batch *batch, uint64_t row, const mj_indices *index,
                        const mj_told_melds *melds, unsigned win, uint64_t kinds, unsigned *told)
{
    const uint8_t *seen = batch->seen == NULL ? NULL : batch->seen + row * batch->kinds;
    told[MJ_TELL_WAITS] = told[MJ_TELL_LEFT] = 0;
    for (; kinds != 0; kinds &= kinds - 1) {
        const unsigned kind = mj_lowest(kinds);
        if (mj_copies_of(index, kind) - (kind == win) >= MJ_MAX_COPIES)
            continue;
        unsigned lying = meld_copies(folds->states, melds, kind);
        if (seen != NULL && kind < batch->kinds && seen[kind] > lying)
            lying = seen[kind];
        told[MJ_TELL_WAITS] += 1;
        told[MJ_TELL_LEFT] += lying < MJ_MAX_COPIES ? MJ_MAX_COPIES - lying : 0;
    }
}

static uint32_t mark_of(const mj_folds *folds, unsigned part, unsigned kind, uint32_t index, bool is_void, bool claimed)
{
    const mj_won *won = folds->won;
    const unsigned variant = claimed && won->variants > 1;
    if (part == MJ_HONOURS)
        return won->honour_marks[(index * MJ_HONOUR_KINDS + kind - MJ_NUMBER_KINDS) * won->variants + variant];
    const uint32_t state = folds->states->id[index];
    return won->marks[is_void][part][(state * MJ_RANKS + kind % MJ_RANKS) * won->variants + variant];
}

/* False where the row is not looked up. */
static bool look_up(const mj_folds *folds, const mj_batch *batch, const mj_block *block, unsigned i, unsigned win,
                    uint64_t waits, uint32_t *worth)
{
    const mj_states *states = folds->states;
    const mj_won *won = folds->won;
    const uint64_t row = block->first + i;
    const mj_indices index = hand_of(batch, block, i);
    const bool has_honours = batch->kinds > MJ_NUMBER_KINDS;
    const unsigned void_suit = batch->voids == NULL ? batch->all_voids : batch->voids[row];
    const unsigned by = batch->by == NULL ? batch->all_by : batch->by[row];
    const unsigned flags = batch->flags == NULL ? batch->all_flags : batch->flags[row];
    if (block->words[i] >> 3 * MJ_SUIT_BITS != 0 || (index.of[MJ_HONOURS] != 0 && !folds->honours) || by > MJ_BY_ROBBED_KONG || flags >= MJ_FLAG_VALUES
        || (void_suit >= MJ_HONOURS && void_suit != MJ_NONE))
        return false;
    const uint64_t held = mj_held_kinds(states, &index, has_honours);
    if (win != MJ_NONE && (win >= MJ_KINDS || !(held >> win & 1)))
        return false;
    mj_told_melds melds = {.n = 0};
    if (batch->melds != NULL && (!mj_tell_melds(states, batch->melds[row], &index, held, folds->in_set, &melds)
                                 || !mj_melds_fold(folds, &melds, folds->sees_void ? void_suit : MJ_NONE)))
        return false;

    uint32_t joined = 0, plain = 0;
    unsigned tiles = 3 * melds.n;
    for (unsigned part = 0; part < (folds->honours ? MJ_PARTS : MJ_HONOURS); part++) {
        const bool is_void = folds->sees_void && part == void_suit;
        const uint32_t entry = part == MJ_HONOURS ? folds->honour_classes[index.of[part]]
                               : is_void          ? folds->voids[part][states->id[index.of[part]]]
                                                  : folds->suits[part][index.of[part]];
        const uint32_t class = entry & MJ_CLASS_MASK;
        const bool marked = won->variants > 0 && win != MJ_NONE && part == mj_suit_of(win);
        const uint32_t own = marked ? mark_of(folds, part, win, index.of[part], is_void, by != MJ_BY_OWN_DRAW) : class;
        tiles += entry >> MJ_CLASS_BITS;
        joined = part == 0 ? own : folds->joins[part][joined * folds->n_classes[part] + own];
        plain = part == 0 ? class : folds->joins[part][plain * folds->n_classes[part] + class];
    }
    if (tiles != folds->tiles)
        return false;
    if (batch->melds != NULL) {
        const uint32_t with = mj_melds_class(folds, &melds);
        joined = folds->with_melds[joined * folds->n_all_melds + with];
        plain = folds->with_melds[plain * folds->n_all_melds + with];
    }
    const unsigned situation = mj_situation(by, flags);
    uint32_t context = folds->context_of[situation][0];
    const uint16_t *worth_of = batch->melds != NULL ? folds->final_worth_of : folds->worth_of;
    /* Odd hands are known by their classes without a mark. */
    if (folds->odd && worth_of[plain * folds->n_contexts + context] == MJ_ODD_HAND)
        return false;
    if (win != MJ_NONE) {
        unsigned told[MJ_TELLINGS] = {0};
        told[MJ_TELL_OWN] = mj_copies_of(&index, win);
        told[MJ_TELL_ALL] = told[MJ_TELL_OWN] + meld_copies(states, &melds, win);
        told[MJ_TELL_KIND] = win + 1;
        told[MJ_TELL_VOID] = void_suit == mj_suit_of(win);
        if (won->near != NULL)
            count_waits(folds, batch, row, &index, &melds, win, waits, told);
        uint32_t place = won->situation_of[situation] * won->n_told;
        for (unsigned t = 0; t < MJ_TELLINGS; t++)
            place += won->place_of[t][told[t] < MJ_TOLD ? told[t] : MJ_TOLD - 1];
        context = won->context_of[place];
    }
    *worth = worth_of[joined * folds->n_contexts + context];
    return true;
}

unsigned mj_look_up_won(const mj_folds *folds, const mj_batch *batch, const mj_block *block, const mj_worths *out,
                        uint16_t *others)
{
    uint8_t win[MJ_BLOCK];
    uint64_t waits[MJ_BLOCK] = {0};
    bool bad[MJ_BLOCK] = {false};
    for (unsigned i = 0; i < block->n; i++) {
        win[i] = batch->win == NULL ? batch->all_win : batch->win[block->first + i];
        bad[i] = win[i] != MJ_NONE && win[i] >= batch->kinds;
        win[i] = bad[i] ? MJ_NONE : win[i];
    }
    if (folds->won->near != NULL) {
        bool no_wait[MJ_BLOCK] = {false};
        find_waits(folds, batch, block, win, waits, no_wait);
        for (unsigned i = 0; i < block->n; i++)   /* without a winning tile there is no hand before it */
            bad[i] |= no_wait[i] && win[i] != MJ_NONE;
    }
    unsigned n_others = 0;
    for (unsigned i = 0; i < block->n; i++) {
        uint32_t worth = MJ_NO_WIN;
        if (bad[i] || !look_up(folds, batch, block, i, win[i], waits[i], &worth)) {
            others[n_others++] = (uint16_t)i;
            worth = MJ_NO_WIN;
        }
        const mj_worth *found = &folds->worths[worth];
        out->win[i] = worth != MJ_NO_WIN;
        out->totals[i] = found->total;
        out->points[i] = found->points;
        out->fans[i] = found->fans;
    }
    return n_others;
}
