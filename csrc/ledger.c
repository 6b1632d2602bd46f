/* Postings: what a line of a flow does.
 *
 * The ledger only grows.  Money that goes back or further is posted anew, and the posting that
 * brought it changes its state, so that nothing is given away twice.
 */
#include "settle.h"

/* No game moves more than this, so that no sum of its amounts can overflow. */
#define MOST_MOVED (1024 * MJ_LIMIT)

/* ---- accounts ------------------------------------------------------------------- */

typedef struct accounts {
    unsigned n;
    uint8_t of[MJ_SEATS];
} accounts;

/* The members of a party in turn order. */
static accounts members(const mj_settling *s, unsigned account, unsigned set)
{
    accounts found = {0};
    if (account != MJ_NONE) {
        found.of[found.n++] = (uint8_t)account;
        return found;
    }
    const unsigned seats = s->seats.sets[set] & s->table;
    /* The same set, counted from the seat that comes first. */
    unsigned turns = (seats >> s->first | seats << (s->players - s->first)) & s->table;
    for (; turns != 0; turns &= turns - 1) {
        const unsigned seat = s->first + mj_lowest(turns);
        found.of[found.n++] = (uint8_t)(seat < s->players ? seat : seat - s->players);
    }
    return found;
}

/* Whether a line that acts would have several seats for one. */
static inline bool are_too_many(const accounts *found, unsigned each)
{
    return found->n > 1 && !each;
}

static inline bool holds_for(const mj_settling *s, const mj_line *line, unsigned seat)
{
    return s->seats.sets[line->when] >> seat & 1;
}

/* ---- postings ---------------------------------------------------------------------- */

static mj_status post(mj_settling *s, unsigned payer, unsigned receiver, int64_t amount, unsigned tag,
                      unsigned kong)
{
    if (amount == 0)
        return MJ_OK;
    if (amount < 0 || amount > MJ_LIMIT || s->total > MOST_MOVED - amount)
        return MJ_BAD_AMOUNT;
    if (s->n_postings == s->capacity)
        return MJ_TOO_SMALL;
    s->postings[s->n_postings++] = (mj_posting){
        .amount = amount,
        .line = s->line,
        .payer = (uint8_t)payer,
        .receiver = (uint8_t)receiver,
        .tag = (uint8_t)tag,
        .state = MJ_STANDING,
        .event = (uint8_t)s->event,
        .kong = (uint8_t)kong,
    };
    s->total += amount;
    s->deltas[payer] -= amount;
    s->deltas[receiver] += amount;
    return MJ_OK;
}

/* Money that has been received before belongs to no fund any more. */
static mj_status post_on(mj_settling *s, unsigned payer, unsigned receiver, int64_t amount)
{
    return post(s, payer, receiver, amount, 0, MJ_NONE);
}

static mj_status pay(mj_settling *s, const mj_line *line)
{
    const accounts payers = members(s, line->party_account, line->party);
    const accounts receivers = members(s, line->other_account, line->other);
    const bool too_many = are_too_many(&payers, line->each_party) || are_too_many(&receivers, line->each_other);
    for (unsigned p = 0; p < payers.n; p++) {
        const unsigned payer = payers.of[p];
        if (line->n_pair_code > 0)
            mj_run_seats(&s->seats, s->flows->code + line->pair_code, line->n_pair_code, s->table, payer);
        for (unsigned r = 0; r < receivers.n; r++) {
            const unsigned receiver = receivers.of[r];
            const unsigned seen_from = receiver < MJ_SEATS ? receiver : payer;
            if (payer == receiver || !holds_for(s, line, seen_from))
                continue;
            if (too_many)
                return MJ_TOO_MANY_PARTIES;
            const int64_t amount = s->seats.rows[line->amount][seen_from];
            const mj_status status = post(s, payer, receiver, amount, line->tag, s->kong);
            if (status != MJ_OK)
                return status;
        }
    }
    return MJ_OK;
}

/* ---- funds ---------------------------------------------------------------------------- */

static inline bool is_of_fund(const mj_settling *s, const mj_line *line, const mj_posting *p, unsigned owner)
{
    if (p->receiver != owner)
        return false;
    if (line->tag != MJ_THIS_KONG)
        return p->tag == line->tag;
    return s->kongs[owner].kind != 0 && p->kong == s->kongs[owner].event;
}

static mj_status refund(mj_settling *s, const mj_line *line)
{
    const accounts owners = members(s, MJ_NONE, line->party);
    /* What this line posts is of no fund. */
    const uint32_t n = s->n_postings;
    for (unsigned o = 0; o < owners.n; o++) {
        const unsigned owner = owners.of[o];
        if (!holds_for(s, line, owner))
            continue;
        if (are_too_many(&owners, line->each_party))
            return MJ_TOO_MANY_PARTIES;
        for (uint32_t i = 0; i < n; i++) {
            mj_posting *p = &s->postings[i];
            if (!is_of_fund(s, line, p, owner))
                continue;
            if (p->state != MJ_STANDING && !(p->state == MJ_MOVED && line->moved))
                continue;
            p->state = MJ_RETURNED;
            const mj_status status = post_on(s, owner, p->payer, p->amount);
            if (status != MJ_OK)
                return status;
        }
    }
    return MJ_OK;
}

/* Hands one owner's money on. */
static mj_status hand_on(mj_settling *s, const mj_line *line, unsigned owner, const accounts *others)
{
    const uint32_t n = s->n_postings;
    const unsigned n_others = others->n;
    unsigned n_receivers = 0;
    for (unsigned o = 0; o < n_others; o++)
        n_receivers += others->of[o] != owner;
    if (n_receivers == 0)
        return MJ_OK;
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        mj_posting *p = &s->postings[i];
        if (p->state != MJ_STANDING || !is_of_fund(s, line, p, owner))
            continue;
        p->state = MJ_MOVED;
        sum += p->amount;
    }
    int64_t left = line->evenly ? sum % n_receivers : 0;
    for (unsigned o = 0; o < n_others; o++) {
        if (others->of[o] == owner)
            continue;
        const int64_t share = line->evenly ? sum / n_receivers + (left-- > 0) : sum;
        const mj_status status = post_on(s, owner, others->of[o], share);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

static mj_status forward(mj_settling *s, const mj_line *line)
{
    const accounts owners = members(s, MJ_NONE, line->party);
    const accounts others = members(s, line->other_account, line->other);
    for (unsigned o = 0; o < owners.n; o++) {
        if (!holds_for(s, line, owners.of[o]))
            continue;
        if (are_too_many(&owners, line->each_party) || are_too_many(&others, line->each_other))
            return MJ_TOO_MANY_PARTIES;
        const mj_status status = hand_on(s, line, owners.of[o], &others);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

/* ---- horses ------------------------------------------------------------------------------ */

static mj_status mirror(mj_settling *s, const mj_line *line)
{
    for (unsigned h = 0; h < s->game->n_horses; h++) {
        const unsigned seat = s->game->horses[h], horse = MJ_FIRST_HORSE + h;
        if (!holds_for(s, line, seat))
            continue;
        const int64_t net = s->deltas[seat];
        const mj_status status =
            net > 0 ? post_on(s, MJ_OUTSIDE, horse, net) : post_on(s, horse, MJ_OUTSIDE, -net);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

mj_status mj_post_line(mj_settling *s, const mj_line *line)
{
    switch (line->verb) {
    case MJ_PAY: return pay(s, line);
    case MJ_REFUND: return refund(s, line);
    case MJ_FORWARD: return forward(s, line);
    default: return mirror(s, line);
    }
}
