/* What hands at a table are worth: looked up where the book has tables and the facts of a win are those of a
 * situation for which they were made; otherwise judged.
 */
#include <stddef.h>
#include <string.h>

#include "look.h"
#include "play.h"

void mj_as_hand(const mj_table *t, unsigned number, unsigned extra, mj_hand *hand)
{
    const mj_place *seat = &t->seats[number];
    memcpy(hand->concealed, seat->tiles, sizeof hand->concealed);
    if (extra != MJ_NONE)
        hand->concealed[extra] += 1;
    memcpy(hand->seen, t->shown, sizeof hand->seen);
    memcpy(hand->melds, seat->melds, sizeof hand->melds);
    hand->n_melds = seat->n_melds;
    hand->win_tile = (uint8_t)extra;
    hand->void_suit = seat->void_suit;
    hand->claimed = 0;
}

/* ---- facts ------------------------------------------------------------------------------ */

static void find_facts(mj_asker *q, int32_t *facts)
{
    const mj_book_spec *spec = &q->book->spec;
    mj_ask_code(q, q->alone ? &spec->static_scoring : &spec->scoring);
    const unsigned n = q->alone ? spec->n_static_facts : spec->n_facts;
    const uint16_t *places = q->alone ? spec->static_facts : spec->facts;
    for (unsigned i = 0; i < n; i++)
        facts[i] = (int32_t)q->numbers[places[i]];
}

static unsigned situation_of(const mj_asker *q)
{
    enum { FLAGS = MJ_FLAG_AFTER_KONG | MJ_FLAG_KONG_CHAIN | MJ_FLAG_LAST_TILE | MJ_FLAG_FIRST_TURN };
    const unsigned by = q->event == MJ_E_SELF_DRAW ? MJ_BY_OWN_DRAW
                        : q->event == MJ_E_DISCARD_WIN ? MJ_BY_DISCARD : MJ_BY_ROBBED_KONG;
    const unsigned dealer = q->table->dealer == q->seat;
    return mj_situation(by, (q->flags & FLAGS) >> 2 | dealer << 4 | mj_kong_kind(q) << 5);
}

/* ---- looking up --------------------------------------------------------------------------- */

/* The class of a complete hand, among those with melds or among those without; false where the tables do not
 * know such hands. */
static bool find_class(const mj_folds *folds, const mj_place *seat, unsigned extra, bool with_melds, uint32_t *class)
{
    const unsigned void_suit = folds->sees_void ? seat->void_suit : MJ_NONE;
    if (folds->sees_win || (seat->n_melds > 0 && !(folds->uses & MJ_FOR_MELDS))
        || (void_suit != MJ_NONE && !(folds->uses & MJ_FOR_VOIDS)))
        return false;
    mj_indices index = {{seat->index[0], seat->index[1], seat->index[2], seat->index[MJ_HONOURS]}};
    if (extra != MJ_NONE)
        index.of[mj_suit_of(extra)] += mj_digits[extra];
    uint32_t parts[MJ_PARTS] = {
        folds->suits[0][index.of[0]], folds->suits[1][index.of[1]], folds->suits[2][index.of[2]],
        folds->honours ? folds->honour_classes[index.of[MJ_HONOURS]] : 0,
    };
    if (void_suit != MJ_NONE)
        parts[void_suit] = folds->voids[void_suit][folds->states->id[index.of[void_suit]]];
    unsigned tiles = 3u * seat->n_melds;
    for (unsigned part = 0; part < MJ_PARTS; part++)
        tiles += parts[part] >> MJ_CLASS_BITS;
    if (tiles != folds->tiles)
        return false;
    uint32_t joined = parts[0] & MJ_CLASS_MASK;
    for (unsigned part = 1; part < (folds->honours ? MJ_PARTS : MJ_HONOURS); part++)
        joined = folds->joins[part][joined * folds->n_classes[part] + (parts[part] & MJ_CLASS_MASK)];
    if (with_melds) {
        const uint64_t held = seat->held[0] | (extra != MJ_NONE ? mj_bit(extra) : 0);
        mj_told_melds melds;
        if (!mj_tell_melds(folds->states, mj_word_of_melds(seat->melds, seat->n_melds), &index, held, folds->in_set, &melds)
            || !mj_melds_fold(folds, &melds, void_suit))
            return false;
        joined = folds->with_melds[mj_melds_class(folds, &melds) * folds->n_joined + joined];
    }
    *class = joined;
    return true;
}

/* Whether a win of these facts is among those for which the tables were made; then *worth is what it is worth. */
static bool look_up_win(const mj_asker *q, const int32_t *facts, bool joins, mj_worth *worth)
{
    const mj_known *known = &q->book->known;
    const mj_place *seat = &q->table->seats[q->seat];
    const unsigned situation = situation_of(q), own = seat->tiles[q->win_tile] + (joins ? 1u : 0u);
    uint32_t class;
    if (memcmp(facts, known->facts + situation * MJ_FACTS_SIZE, q->book->spec.n_facts * sizeof *facts) != 0
        || own > MJ_MAX_COPIES
        || !find_class(known->folds, seat, joins ? q->win_tile : MJ_NONE, seat->n_melds > 0, &class))
        return false;
    const mj_folds *folds = known->folds;
    const uint16_t *worth_of = seat->n_melds > 0 ? folds->final_worth_of : folds->worth_of;
    const uint32_t context = folds->context_of[situation][folds->sees_own ? own : 0];
    const uint32_t found = worth_of[class * folds->n_contexts + context];
    *worth = folds->worths[found];
    return found != MJ_ODD_HAND;
}

bool mj_judge(mj_asker *q, bool joins, mj_worth *worth)
{
    const mj_book *book = q->book;
    mj_hand hand;
    find_facts(q, hand.facts);
    if (book->known.folds != NULL && look_up_win(q, hand.facts, joins, worth))
        return worth->win;
    mj_result result;
    mj_as_hand(q->table, q->seat, joins ? q->win_tile : MJ_NONE, &hand);
    hand.win_tile = (uint8_t)q->win_tile;
    hand.claimed = q->event != MJ_E_SELF_DRAW;
    if (mj_score(book->tables, book->program, &hand, &result) != MJ_OK || !result.win)
        return false;
    *worth = mj_worth_of(&result, MJ_FAN);
    return true;
}

/* ---- waits ---------------------------------------------------------------------------------- */

void mj_seat_asker(const mj_book *book, const mj_table *t, unsigned number, mj_asker *q)
{
    memset(q, 0, offsetof(mj_asker, numbers));
    q->book = book;
    q->table = t;
    q->seat = number;
    q->source = MJ_NONE;
    q->act = MJ_ACTS;
}

/* Whether the value of a wait with facts of a win by another's tile and by an own one is among those for
 * which the tables were made; then *value is that. */
static bool look_up_wait(const mj_asker *q, int32_t facts[2][MJ_FACTS_SIZE], int64_t *value)
{
    const mj_known *known = &q->book->known;
    const mj_folds *folds = known->wait_folds;
    const mj_place *seat = &q->table->seats[q->seat];
    const size_t size = q->book->spec.n_static_facts * sizeof **facts;
    const unsigned held = seat->tiles[q->win_tile];
    uint32_t class;
    if (memcmp(facts[0], known->wait_facts + mj_situation(MJ_BY_DISCARD, 0) * MJ_FACTS_SIZE, size) != 0
        || memcmp(facts[1], known->wait_facts + mj_situation(MJ_BY_OWN_DRAW, 0) * MJ_FACTS_SIZE, size) != 0
        || folds->values == NULL || held == MJ_MAX_COPIES
        || !find_class(folds, seat, q->win_tile, folds->uses & MJ_FOR_MELDS, &class))
        return false;
    *value = folds->values[class * MJ_OWN_COPIES + held + 1];
    return *value != MJ_ODD_VALUE;
}

int64_t mj_worth_of_wait(const mj_book *book, const mj_table *t, unsigned number, unsigned kind)
{
    static const unsigned events[2] = {MJ_E_DISCARD_WIN, MJ_E_SELF_DRAW};
    mj_asker q;
    int32_t facts[2][MJ_FACTS_SIZE];
    int64_t value;
    mj_seat_asker(book, t, number, &q);
    q.winners = 1u << number;
    q.alone = q.judging = true;
    q.win_tile = kind;
    for (unsigned own = 0; own < 2; own++) {
        q.event = events[own];
        find_facts(&q, facts[own]);
    }
    if (book->known.wait_folds != NULL && look_up_wait(&q, facts, &value))
        return value;
    mj_hand hand;
    mj_result result;
    for (unsigned own = 0; own < 2; own++) {
        mj_as_hand(t, number, kind, &hand);
        hand.claimed = !own;
        memcpy(hand.facts, facts[own], sizeof hand.facts);
        if (mj_score(book->tables, book->static_program, &hand, &result) == MJ_OK && result.win)
            return result.may_wait ? result.money : -1;
    }
    return -1;
}
