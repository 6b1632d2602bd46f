/* See flowbook.h. */
#include <stdarg.h>

#include "flowbook.h"

/* ---- specs --------------------------------------------------------------------- */

void start_flows(flowbook *b)
{
    memset(b, 0, sizeof *b);
    for (unsigned i = 0; i < 32; i++)
        b->constants[i] = i;
    b->spec.n_constants = 32;
    b->spec.dealer_next = MJ_NO_REGISTER;
    on(b, OVER);
    b->spec.is_over = calc(b, MJ_OP_LT, constant(b, 0), constant(b, 0), 0);
}

void on(flowbook *b, unsigned kind)
{
    mj_firing *firing = kind == OVER          ? &b->spec.over
                        : kind == NEXT_DEALER ? &b->spec.next_dealer
                                              : &b->spec.firings[kind];
    *firing = (mj_firing){.code = b->spec.n_code, .lines = b->spec.n_lines};
    b->length = &firing->n_code;
}

void for_each_payer(flowbook *b, mj_line *line)
{
    line->pair_code = b->spec.n_code;
    b->length = &line->n_pair_code;
}

uint16_t calc(flowbook *b, unsigned code, unsigned x, unsigned y, unsigned z)
{
    const uint16_t dst = (uint16_t)b->spec.n_registers++;
    b->code[b->spec.n_code++] = (mj_op){(uint16_t)code, dst, (uint16_t)x, (uint16_t)y, (uint16_t)z};
    ++*b->length;
    return dst;
}

uint16_t word(flowbook *b, unsigned w)
{
    return calc(b, MJ_OP_FEATURE, w, 0, 0);
}

uint16_t constant(flowbook *b, unsigned n)
{
    return calc(b, MJ_OP_FACT, n, 0, 0);
}

uint16_t both(flowbook *b, uint16_t x, uint16_t y)
{
    return calc(b, MJ_OP_AND, x, y, 0);
}

uint16_t either(flowbook *b, uint16_t x, uint16_t y)
{
    return calc(b, MJ_OP_OR, x, y, 0);
}

uint16_t not(flowbook *b, uint16_t x)
{
    return calc(b, MJ_OP_NOT, x, 0, 0);
}

/* A line of the event whose code was begun last. */
static mj_line *line(flowbook *b, mj_line line)
{
    line.party_account = line.other_account = MJ_NONE;
    line.each_party = line.each_other = 1;
    line.when = MJ_NO_REGISTER;
    mj_firing *last = NULL;
    for (unsigned kind = 0; kind < MJ_EVENT_KINDS; kind++)
        if (last == NULL || b->spec.firings[kind].code > last->code)
            last = &b->spec.firings[kind];
    last->n_lines++;
    b->lines[b->spec.n_lines] = line;
    return &b->lines[b->spec.n_lines++];
}

mj_line *pays(flowbook *b, uint16_t party, uint16_t other, uint16_t amount)
{
    return line(b, (mj_line){.verb = MJ_PAY, .party = party, .other = other, .amount = amount});
}

mj_line *refunds(flowbook *b, uint16_t party, unsigned fund)
{
    return line(b, (mj_line){.verb = MJ_REFUND, .party = party, .tag = (uint8_t)fund});
}

mj_line *forwards(flowbook *b, uint16_t party, uint16_t other, unsigned fund)
{
    return line(b, (mj_line){.verb = MJ_FORWARD, .party = party, .other = other, .tag = (uint8_t)fund});
}

mj_line *mirrors(flowbook *b)
{
    return line(b, (mj_line){.verb = MJ_MIRROR});
}

mj_status make_flows(flowbook *b, mj_flows **flows, uint32_t *where)
{
    b->spec.constants = b->constants;
    b->spec.code = b->code;
    b->spec.lines = b->lines;
    return mj_flows_new(&b->spec, flows, where);
}

mj_flows *flows_of(flowbook *b)
{
    mj_flows *flows = NULL;
    uint32_t where = 0;
    const mj_status status = make_flows(b, &flows, &where);
    if (status != MJ_OK)
        printf("%s at %u\n", mj_status_name(status), where);
    CHECK(status == MJ_OK);
    return flows;
}

/* ---- the usual rules --------------------------------------------------------------- */

static void usual_kongs(flowbook *b)
{
    on(b, MJ_E_CONCEALED_KONG);
    pays(b, word(b, MJ_W_IN_PLAY), word(b, MJ_W_KONGER), constant(b, 2))->tag = KONG_MONEY;
    on(b, MJ_E_DIRECT_KONG);
    pays(b, word(b, MJ_W_FEEDER), word(b, MJ_W_KONGER), constant(b, 2))->tag = KONG_MONEY;
    on(b, MJ_E_ADDED_KONG);
    mj_line *added = pays(b, word(b, MJ_W_IN_PLAY), word(b, MJ_W_KONGER), constant(b, 1));
    added->tag = KONG_MONEY;
    added->when = word(b, MJ_W_AT_ONCE);
}

static void usual_wins(flowbook *b, transfer transfer)
{
    on(b, MJ_E_SELF_DRAW);
    pays(b, word(b, MJ_W_IN_PLAY), word(b, MJ_W_WINNER), word(b, MJ_W_WORTH));

    on(b, MJ_E_DISCARD_WIN);
    const uint16_t discarder = word(b, MJ_W_DISCARDER), winner = word(b, MJ_W_WINNER);
    if (transfer != STAYS) {
        mj_line *moves = transfer == BACK ? refunds(b, discarder, MJ_THIS_KONG)
                         : transfer == TO_NEAREST
                             ? forwards(b, discarder, word(b, MJ_W_NEAREST), MJ_THIS_KONG)
                             : forwards(b, discarder, winner, MJ_THIS_KONG);
        moves->evenly = transfer == EVENLY;
        moves->when = word(b, MJ_W_AFTER_KONG);
    }
    pays(b, discarder, winner, word(b, MJ_W_WORTH));

    on(b, MJ_E_ROBBED_KONG);
    pays(b, word(b, MJ_W_KONGER), word(b, MJ_W_WINNER), word(b, MJ_W_WORTH));

    on(b, MJ_E_FALSE_WIN);
    pays(b, word(b, MJ_W_OFFENDER), word(b, MJ_W_IN_PLAY), constant(b, 8));
}

static void usual_ends(flowbook *b, bool winners_stay)
{
    on(b, MJ_E_DRAWN);
    const uint16_t pig = word(b, MJ_W_PIG), not_ready = word(b, MJ_W_NOT_READY);
    pays(b, pig, both(b, word(b, MJ_W_UNWON), not(b, pig)), constant(b, 16));
    pays(b, not_ready, word(b, MJ_W_READY), word(b, MJ_W_BEST_CALL));
    refunds(b, either(b, not_ready, pig), KONG_MONEY);

    on(b, MJ_E_HAND_OVER);
    mirrors(b);

    on(b, OVER);
    const uint16_t won = calc(b, MJ_OP_COUNT, word(b, MJ_W_WON), 0, 0);
    const uint16_t many = calc(b, MJ_OP_LE, constant(b, winners_stay ? 31 : 3), won, 0);
    b->spec.is_over = either(b, many, word(b, MJ_W_DRAWN));

    on(b, NEXT_DEALER);
    const uint16_t first = word(b, MJ_W_FIRST_WINNER), n = calc(b, MJ_OP_COUNT, first, 0, 0);
    const uint16_t several = calc(b, MJ_OP_LT, constant(b, 1), n, 0);
    const uint16_t named = calc(b, MJ_OP_SELECT, several, word(b, MJ_W_FIRST_DISCARDER), first);
    b->spec.dealer_next =
        calc(b, MJ_OP_SELECT, calc(b, MJ_OP_EQ, n, constant(b, 0), 0), word(b, MJ_W_DEALER), named);
}

void start_usual(flowbook *b, transfer transfer, bool winners_stay)
{
    start_flows(b);
    b->spec.winners_stay = winners_stay;
    usual_kongs(b);
    usual_wins(b, transfer);
    usual_ends(b, winners_stay);
}

/* ---- games -------------------------------------------------------------------------- */

mj_game game_of(unsigned players, unsigned dealer)
{
    return (mj_game){.players = (uint8_t)players, .dealer = (uint8_t)dealer};
}

mj_event kong(unsigned kind, unsigned seat, unsigned from, unsigned flags)
{
    return (mj_event){
        .kind = (uint8_t)kind, .seat = (uint8_t)seat, .from = (uint8_t)from, .flags = (uint16_t)flags};
}

mj_event win(unsigned kind, unsigned from, unsigned winners, int64_t worth, unsigned flags)
{
    return (mj_event){
        .kind = (uint8_t)kind, .seat = MJ_NONE, .from = (uint8_t)from, .winners = (uint8_t)winners,
        .flags = (uint16_t)flags, .worth = {worth, worth, worth, worth}};
}

mj_event self_draw(unsigned seat, int64_t worth, unsigned flags)
{
    return win(MJ_E_SELF_DRAW, MJ_NONE, 1u << seat, worth, flags);
}

mj_event foul(unsigned seat)
{
    return (mj_event){.kind = MJ_E_FALSE_WIN, .seat = (uint8_t)seat, .from = MJ_NONE};
}

mj_event drawn(void)
{
    return (mj_event){.kind = MJ_E_DRAWN, .seat = MJ_NONE, .from = MJ_NONE};
}

/* ---- ledgers as text ------------------------------------------------------------------- */

enum { CAPACITY = 2048 };

static char text[65536];
static size_t written;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text + written, sizeof text - written, format, arguments);
    va_end(arguments);
    if (n > 0 && written + (size_t)n < sizeof text)
        written += (size_t)n;
}

static const char *account_name(unsigned account)
{
    static const char *const names[MJ_ACCOUNTS] = {"0", "1", "2", "3", "x", "h1", "h2", "h3", "h4"};
    return account < MJ_ACCOUNTS ? names[account] : "?";
}

static void put_settlement(const mj_settlement *out, const mj_posting *postings)
{
    for (uint32_t i = 0; i < out->n_postings; i++) {
        const mj_posting *p = &postings[i];
        const bool is_first = i == 0 || postings[i - 1].event != p->event;
        if (is_first)
            put("%s%u:", i == 0 ? "" : "\n", p->event);
        put(" %s>%s %lld%s", account_name(p->payer), account_name(p->receiver), (long long)p->amount,
            p->state == MJ_RETURNED ? "-" : p->state == MJ_MOVED ? "~" : "");
    }
    put("%s=", out->n_postings > 0 ? "\n" : "");
    for (unsigned account = 0; account < MJ_ACCOUNTS; account++) {
        if (account < MJ_SEATS)
            put(" %lld", (long long)out->deltas[account]);
        else if (out->deltas[account] != 0)
            put(", %s %lld", account_name(account), (long long)out->deltas[account]);
    }
    if (out->next_dealer != MJ_NONE)
        put(", dealer %u", out->next_dealer);
    put("%s\n", out->is_over ? ", over" : "");
}

/* A batch of the same game twice, with what the single settlement says. */
static void check_batch(const mj_flows *flows, const mj_game *game, const mj_event *events, uint32_t n,
                        const mj_settlement *single)
{
    static mj_posting postings[CAPACITY];
    static mj_event twice[2 * 300];
    const mj_game games[2] = {*game, *game};
    const uint64_t starts[3] = {0, n, 2 * n};
    int64_t deltas[8];
    uint8_t statuses[2], dealers[2];
    if (n > 300)
        return;
    if (n > 0) {
        memcpy(twice, events, n * sizeof *events);
        memcpy(twice + n, events, n * sizeof *events);
    }
    CHECK(mj_settle_batch(flows, games, twice, starts, 2, 2 * n, deltas, statuses, dealers, postings, CAPACITY)
          == MJ_OK);
    for (unsigned i = 0; i < 2; i++)
        CHECK(statuses[i] == single->status && dealers[i] == single->next_dealer
              && memcmp(deltas + MJ_SEATS * i, single->deltas, MJ_SEATS * sizeof *deltas) == 0);
}

const char *ledger_of(const mj_flows *flows, const mj_game *game, const mj_event *events, uint32_t n)
{
    static mj_posting postings[CAPACITY];
    mj_settlement out;
    written = 0;
    text[0] = '\0';
    const mj_status status = mj_settle(flows, game, events, n, postings, CAPACITY, &out);
    check_batch(flows, game, events, n, &out);
    int64_t sum = 0;
    for (unsigned account = 0; account < MJ_ACCOUNTS; account++)
        sum += out.deltas[account];
    CHECK(sum == 0 && out.status == status);
    if (status == MJ_OK) {
        put_settlement(&out, postings);
        return text;
    }
    CHECK(out.n_postings == 0 && out.next_dealer == MJ_NONE && !out.is_over);
    put("%s", mj_status_name(status));
    if (out.event != MJ_NO_REGISTER)
        put(" at event %u", out.event);
    if (out.line != MJ_NO_REGISTER)
        put(", line %u", out.line);
    return text;
}
