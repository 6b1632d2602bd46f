/* What is summed up over hands: their number, the smallest, their prints. */
#include <string.h>

#include "prove.h"

#define PRIME ((UINT64_C(1) << 61) - 1)
#define PART_MASK ((UINT64_C(1) << MJ_ORDER_KINDS) - 1)

__extension__ typedef unsigned __int128 wide;

/* ---- prints --------------------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
    const wide product = (wide)a * b;
    const uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a + b >= PRIME ? a + b - PRIME : a + b;
}

/* A part's number in a family: what splitmix64 makes of its tiles and melds, and of its winning tile. */
static uint64_t number_of(uint64_t order, unsigned part, unsigned mark, unsigned family)
{
    uint64_t x = (order & PART_MASK) + ((uint64_t)(2 * part + family + 1) << 57);
    x += mark == MJ_NONE ? 0 : (uint64_t)(mark + 1) << MJ_ORDER_KINDS;
    for (unsigned round = 0; round < 2; round++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return 1 + x % (PRIME - 1);
}

mj_tally mj_tally_of(uint64_t order, unsigned part, unsigned mark, bool prints)
{
    mj_tally t = {.count = 1, .win = (uint8_t)(mark == MJ_NONE ? mark : part * MJ_RANKS + mark)};
    for (unsigned p = 0; p < MJ_PARTS; p++)
        t.order[p] = MJ_EMPTY_PART;
    t.order[part] = order;
    for (unsigned family = 0; family < 2 && prints; family++)
        t.prints[family] = number_of(order, part, mark, family);
    return t;
}

/* ---- order ---------------------------------------------------------------------------- */

int mj_compare(const mj_tally *a, const mj_tally *b)
{
    unsigned melds[2] = {0}, kinds[2] = {0};
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        melds[0] += mj_melds_of_order(a->order[part]);
        melds[1] += mj_melds_of_order(b->order[part]);
        kinds[0] += mj_kinds_of_order(a->order[part]);
        kinds[1] += mj_kinds_of_order(b->order[part]);
    }
    if (melds[0] != melds[1])
        return melds[0] < melds[1] ? -1 : 1;
    if (kinds[0] != kinds[1])
        return kinds[0] < kinds[1] ? -1 : 1;
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        const uint64_t x = a->order[part] & PART_MASK, y = b->order[part] & PART_MASK;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (int)(uint8_t)(a->win + 1) - (int)(uint8_t)(b->win + 1);
}

void mj_add_tally(mj_tally *sum, const mj_tally *t)
{
    sum->count += t->count;
    for (unsigned family = 0; family < 2; family++)
        sum->prints[family] = plus(sum->prints[family], t->prints[family]);
    if (mj_compare(t, sum) < 0) {
        memcpy(sum->order, t->order, sizeof sum->order);
        sum->win = t->win;
    }
}

/* Of tallies of one part, the order is that of its word, and last of its winning tile. */
void mj_add_part(mj_tally *sum, uint64_t order, unsigned part, unsigned mark, bool prints)
{
    const uint8_t win = (uint8_t)(mark == MJ_NONE ? mark : part * MJ_RANKS + mark);
    sum->count += 1;
    for (unsigned family = 0; family < 2 && prints; family++)
        sum->prints[family] = plus(sum->prints[family], number_of(order, part, mark, family));
    if (order < sum->order[part] || (order == sum->order[part] && (uint8_t)(win + 1) < (uint8_t)(sum->win + 1))) {
        sum->order[part] = order;
        sum->win = win;
    }
}

mj_status mj_times_part(mj_tally *t, const mj_tally *other, unsigned part)
{
    if (__builtin_mul_overflow(t->count, other->count, &t->count))
        return MJ_BAD_LIMITS;
    for (unsigned family = 0; family < 2; family++)
        t->prints[family] = times(t->prints[family], other->prints[family]);
    t->order[part] = other->order[part];
    t->win = t->win == MJ_NONE ? other->win : t->win;
    return MJ_OK;
}

mj_tally mj_tally_of_copies(const uint8_t *copies, unsigned win, bool prints)
{
    mj_tally all = {.count = 1, .win = MJ_NONE};
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        const unsigned n = part == MJ_HONOURS ? MJ_HONOUR_KINDS : MJ_RANKS;
        uint32_t index = 0;
        unsigned kinds = 0;
        for (unsigned k = 0; k < n; k++) {
            index = index * 5 + copies[part * MJ_RANKS + k];
            kinds += copies[part * MJ_RANKS + k] > 0;
        }
        const uint64_t order = (uint64_t)kinds << MJ_ORDER_KINDS
                               | (uint64_t)(MJ_SUIT_MASK - index) << MJ_ORDER_INDEX | UINT32_MAX;
        const bool marked = win != MJ_NONE && mj_suit_of(win) == part;
        const mj_tally own = mj_tally_of(order, part, marked ? win - part * MJ_RANKS : (unsigned)MJ_NONE, prints);
        if (part == 0)
            all = own;
        else
            (void)mj_times_part(&all, &own, part);   /* once one is one */
    }
    return all;
}
