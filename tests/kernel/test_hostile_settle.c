/* Settlement programs and games from outside: refused, or run; never more is broken. */
#include <stdlib.h>

#include "flowbook.h"

/* ---- specs that are wrong in one place ---------------------------------------------- */

/* Something of everything.  Lines: two of the usual rules, and what comes after them. */
enum { FORWARD = 4, REFUND = 10, FINE = 12, GIFT, PAIRS, FULL_LINES };

static void start_full(flowbook *b)
{
    start_usual(b, TO_EACH, true);
    on(b, MJ_E_FALSE_WIN);
    const uint16_t offender = word(b, MJ_W_OFFENDER), calls = word(b, MJ_W_BEST_CALL);
    pays(b, offender, 0, calls)->other_account = MJ_OUTSIDE;
    pays(b, 0, offender, word(b, MJ_W_LEAST_CALL))->party_account = MJ_OUTSIDE;
    mj_line *line = pays(b, offender, word(b, MJ_W_UNWON), 0);
    line->tag = 9;
    const uint16_t stance = word(b, MJ_W_STANCE), small = calc(b, MJ_OP_MIN, stance, constant(b, 9), 0);
    const uint16_t power = calc(b, MJ_OP_POW, constant(b, 2), small, 0);
    const uint16_t truth = calc(b, MJ_OP_LE, small, power, 0);
    for_each_payer(b, line);
    const uint16_t payers = calc(b, MJ_OP_PAYER, power, 0, 0);
    line->amount = calc(b, MJ_OP_MAX, constant(b, 0), calc(b, MJ_OP_SUB, payers, small, 0), 0);
    line->when = calc(b, MJ_OP_SELECT, calc(b, MJ_OP_PAYER, truth, 0, 0), truth, offender);
}

/* The first instruction with this code, from the end. */
static mj_op *last(flowbook *b, unsigned code)
{
    for (uint32_t i = b->spec.n_code; i-- > 0;)
        if (b->code[i].op == code)
            return &b->code[i];
    return NULL;
}

typedef mj_op *spoil(flowbook *b);

/* `place` is that of the instruction that the spoiler returns, if it does. */
static void check_refused(spoil *spoiler, mj_status expected, uint32_t place)
{
    static flowbook b;
    start_full(&b);
    const mj_op *op = spoiler(&b);
    mj_flows *flows = NULL;
    uint32_t where = 99999;
    const mj_status status = make_flows(&b, &flows, &where);
    if (op != NULL)
        place = (uint32_t)(op - b.code);
    if (status != expected || where != place || flows != NULL)
        printf("expected %s at %u, got %s at %u\n", mj_status_name(expected), place,
               mj_status_name(status), where);
    CHECK(status == expected && where == place && flows == NULL);
    mj_flows_free(flows);
}

#define SPOIL(name, ...) \
    static mj_op *name(flowbook *b) \
    { \
        __VA_ARGS__; \
        return NULL; \
    }
#define SPOIL_OP(name, code, ...) \
    static mj_op *name(flowbook *b) \
    { \
        mj_op *op = last(b, code); \
        __VA_ARGS__; \
        return op; \
    }

SPOIL(many_constants, b->spec.n_constants = MJ_MAX_SEAT_NUMBERS + 1)
SPOIL(much_code, b->spec.n_code = MJ_MAX_CODE + 1)
SPOIL(many_lines, b->spec.n_lines = MJ_MAX_LINES + 1)
SPOIL(many_registers, b->spec.n_registers = MJ_MAX_REGISTERS + 1)
SPOIL(big_constant, b->constants[7] = mj_limit() + 1)
SPOIL(code_outside, b->spec.firings[2].n_code = b->spec.n_code)
SPOIL(code_wrapped, b->spec.firings[3].code = UINT32_MAX)
SPOIL(lines_outside, b->spec.firings[4].lines = b->spec.n_lines)
SPOIL(lines_wrapped, b->spec.firings[4].n_lines = UINT32_MAX)
SPOIL(over_outside, b->spec.over.n_code = 9999)
SPOIL(over_posts, b->spec.over.n_lines = 1)
SPOIL(dealer_posts, b->spec.next_dealer.n_lines = 1)
SPOIL(long_pairs, b->lines[PAIRS].n_pair_code = MJ_MAX_CODE + 1)
SPOIL(pairs_outside, b->lines[PAIRS].pair_code = b->spec.n_code - 1)
SPOIL(odd_verb, b->lines[FINE].verb = MJ_VERBS)
SPOIL(odd_each, b->lines[FINE].each_party = 2)
SPOIL(odd_evenly, b->lines[FINE].evenly = 255)
SPOIL(odd_account, b->lines[FINE].other_account = MJ_FIRST_HORSE)
SPOIL(seat_account, b->lines[GIFT].party_account = 0)
SPOIL(two_accounts, b->lines[FINE].party_account = MJ_OUTSIDE)
SPOIL(odd_tag, b->lines[FINE].tag = MJ_THIS_KONG)
SPOIL(no_fund, b->lines[REFUND].tag = 0)
SPOIL(outside_refunds, b->lines[REFUND].party_account = MJ_OUTSIDE)
SPOIL(refund_with_pairs, b->lines[REFUND].n_pair_code = 1)
SPOIL(forward_without_fund, b->lines[FORWARD].tag = 0)
SPOIL(mirror_early, b->lines[FINE].verb = MJ_MIRROR)
SPOIL(unwritten_party, b->lines[FINE].party = b->lines[0].party)
SPOIL(number_as_party, b->lines[FINE].party = b->lines[FINE].amount)
SPOIL(number_as_other, b->lines[PAIRS].other = b->lines[FINE].amount)
SPOIL(truth_as_amount, b->lines[FINE].amount = b->lines[FINE].party)
SPOIL(number_as_condition, b->lines[FINE].when = b->lines[FINE].amount)
SPOIL(party_of_pair, b->lines[PAIRS].other = b->lines[PAIRS].when)
SPOIL(anothers_pair, b->lines[GIFT].amount = b->lines[PAIRS].amount)
SPOIL(register_outside, b->lines[FINE].amount = 5000)
SPOIL(over_is_number, b->spec.is_over = last(b, MJ_OP_COUNT)->dst)
SPOIL(no_over, b->spec.is_over = MJ_NO_REGISTER)
SPOIL(dealer_unwritten, b->spec.dealer_next = b->spec.is_over)
SPOIL_OP(odd_opcode, MJ_OP_MIN, op->op = MJ_OP_PAYER + 1)
SPOIL_OP(odd_word, MJ_OP_MIN, op->op = MJ_OP_FEATURE, op->a = MJ_SEAT_WORDS)
SPOIL_OP(odd_constant, MJ_OP_MIN, op->op = MJ_OP_FACT, op->a = 32)
SPOIL_OP(read_outside, MJ_OP_MIN, op->a = 65535)
SPOIL_OP(read_itself, MJ_OP_MIN, op->b = op->dst)
SPOIL_OP(read_other_event, MJ_OP_MIN, op->b = last(b, MJ_OP_COUNT)->dst)
SPOIL_OP(write_outside, MJ_OP_MIN, op->dst = 4096)
SPOIL_OP(truth_as_number, MJ_OP_POW, op->a = last(b, MJ_OP_LE)->dst)
SPOIL_OP(count_number, MJ_OP_COUNT, op[-1].a = MJ_W_WORTH)
SPOIL_OP(mixed_select, MJ_OP_SELECT, op->c = last(b, MJ_OP_MAX)->dst)
SPOIL_OP(payer_early, MJ_OP_MIN, op->op = MJ_OP_PAYER)
SPOIL_OP(pair_writes_twice, MJ_OP_MAX, op->dst = last(b, MJ_OP_SUB)->dst)
SPOIL_OP(pair_writes_event, MJ_OP_MAX, op->dst = last(b, MJ_OP_MIN)->dst)

static mj_op *write_again(flowbook *b)
{
    mj_op *op = last(b, MJ_OP_POW);
    op->dst = last(b, MJ_OP_MIN)->dst;
    return op;
}

static void test_refused(void)
{
    check_refused(many_constants, MJ_BAD_LIMITS, 0);
    check_refused(much_code, MJ_BAD_LIMITS, 0);
    check_refused(many_lines, MJ_BAD_LIMITS, 0);
    check_refused(many_registers, MJ_BAD_LIMITS, 0);
    check_refused(big_constant, MJ_BAD_LIMITS, 7);
    check_refused(code_outside, MJ_BAD_LIMITS, 2);
    check_refused(code_wrapped, MJ_BAD_LIMITS, 3);
    check_refused(lines_outside, MJ_BAD_LIMITS, 4);
    check_refused(lines_wrapped, MJ_BAD_LIMITS, 4);
    check_refused(over_outside, MJ_BAD_LIMITS, OVER);
    check_refused(over_posts, MJ_BAD_LINE, OVER);
    check_refused(dealer_posts, MJ_BAD_LINE, NEXT_DEALER);
    check_refused(long_pairs, MJ_BAD_LIMITS, MJ_E_FALSE_WIN);
    check_refused(pairs_outside, MJ_BAD_LINE, PAIRS);
    check_refused(odd_verb, MJ_BAD_LINE, FINE);
    check_refused(odd_each, MJ_BAD_LINE, FINE);
    check_refused(odd_evenly, MJ_BAD_LINE, FINE);
    check_refused(odd_account, MJ_BAD_LINE, FINE);
    check_refused(seat_account, MJ_BAD_LINE, GIFT);
    check_refused(two_accounts, MJ_BAD_LINE, FINE);
    check_refused(odd_tag, MJ_BAD_LINE, FINE);
    check_refused(no_fund, MJ_BAD_LINE, REFUND);
    check_refused(outside_refunds, MJ_BAD_LINE, REFUND);
    check_refused(refund_with_pairs, MJ_BAD_LINE, REFUND);
    check_refused(forward_without_fund, MJ_BAD_LINE, FORWARD);
    check_refused(mirror_early, MJ_BAD_LINE, FINE);
    check_refused(unwritten_party, MJ_BAD_REGISTER, FINE);
    check_refused(number_as_party, MJ_BAD_TYPE, FINE);
    check_refused(number_as_other, MJ_BAD_TYPE, PAIRS);
    check_refused(truth_as_amount, MJ_BAD_TYPE, FINE);
    check_refused(number_as_condition, MJ_BAD_TYPE, FINE);
    check_refused(party_of_pair, MJ_BAD_REGISTER, PAIRS);
    check_refused(anothers_pair, MJ_BAD_REGISTER, GIFT);
    check_refused(register_outside, MJ_BAD_REGISTER, FINE);
    check_refused(over_is_number, MJ_BAD_REGISTER, 0);
    check_refused(no_over, MJ_BAD_REGISTER, 0);
    check_refused(dealer_unwritten, MJ_BAD_REGISTER, 0);
    check_refused(odd_opcode, MJ_BAD_OPCODE, 0);
    check_refused(odd_word, MJ_BAD_FEATURE, 0);
    check_refused(odd_constant, MJ_BAD_FEATURE, 0);
    check_refused(read_outside, MJ_BAD_REGISTER, 0);
    check_refused(read_itself, MJ_BAD_REGISTER, 0);
    check_refused(read_other_event, MJ_BAD_REGISTER, 0);
    check_refused(write_outside, MJ_BAD_REGISTER, 0);
    check_refused(write_again, MJ_BAD_REGISTER, 0);
    check_refused(truth_as_number, MJ_BAD_REGISTER, 0);
    check_refused(count_number, MJ_BAD_TYPE, 0);
    check_refused(mixed_select, MJ_BAD_TYPE, 0);
    check_refused(payer_early, MJ_BAD_STAGE, 0);
    check_refused(pair_writes_twice, MJ_BAD_REGISTER, 0);
    check_refused(pair_writes_event, MJ_BAD_REGISTER, 0);
}

/* As many numbers as one event may work with, and one more. */
static void test_limits(void)
{
    static mj_op code[MJ_MAX_SEAT_NUMBERS + 8];
    const int64_t constants[] = {1};
    for (unsigned extra = 0; extra <= 1; extra++) {
        const uint32_t n = MJ_MAX_SEAT_NUMBERS - 1 + extra;
        code[0] = (mj_op){.op = MJ_OP_FACT, .dst = 0};
        for (uint32_t i = 1; i <= n; i++)
            code[i] = (mj_op){.op = MJ_OP_ADD, .dst = (uint16_t)i, .a = (uint16_t)(i - 1)};
        code[n + 1] = (mj_op){.op = MJ_OP_FEATURE, .dst = (uint16_t)(n + 1), .a = MJ_W_DEALER};
        code[n + 2] = (mj_op){.op = MJ_OP_FEATURE, .dst = (uint16_t)(n + 2), .a = MJ_W_DRAWN};
        mj_line line = {.verb = MJ_PAY, .party_account = MJ_OUTSIDE, .other_account = MJ_NONE,
                        .other = (uint16_t)(n + 1), .amount = (uint16_t)n, .when = MJ_NO_REGISTER};
        const mj_flow_spec spec = {
            .firings[MJ_E_HAND_OVER] = {.n_code = n + 2, .n_lines = 1},
            .over = {.code = n + 2, .n_code = 1},
            .is_over = (uint16_t)(n + 2), .dealer_next = MJ_NO_REGISTER,
            .constants = constants, .n_constants = 1,
            .code = code, .n_code = n + 3, .lines = &line, .n_lines = 1, .n_registers = n + 3,
        };
        mj_flows *flows = NULL;
        uint32_t where = 0;
        CHECK(mj_flows_new(&spec, &flows, &where) == (extra ? MJ_BAD_LIMITS : MJ_OK));
        CHECK(where == (extra ? n : 0));
        const mj_game game = game_of(4, 0);
        if (flows != NULL)
            CHECK_TEXT(ledger_of(flows, &game, NULL, 0), "0: x>0 1000\n= 1000 0 0 0, x -1000\n");
        mj_flows_free(flows);
    }
}

static void test_arguments(void)
{
    static flowbook b;
    start_full(&b);
    mj_flows *flows = flows_of(&b), *none = flows;
    uint32_t where;
    CHECK(mj_flows_new(NULL, &none, &where) == MJ_BAD_ARGUMENT);
    CHECK(mj_flows_new(&b.spec, NULL, &where) == MJ_BAD_ARGUMENT);
    CHECK(mj_flows_new(&b.spec, &none, NULL) == MJ_BAD_ARGUMENT);
    b.spec.lines = NULL;
    CHECK(mj_flows_new(&b.spec, &none, &where) == MJ_BAD_ARGUMENT && none == NULL);
    mj_flows_free(NULL);
    CHECK_TEXT(mj_status_name(MJ_TOO_MANY_PARTIES), "too many parties");
    CHECK_TEXT(mj_status_name(MJ_BAD_LINE), "bad line");

    const mj_game game = game_of(4, 0);
    const mj_event event = kong(MJ_E_CONCEALED_KONG, 1, MJ_NONE, 0);
    mj_posting postings[3];
    mj_settlement out;
    CHECK(mj_settle(NULL, &game, &event, 1, postings, 3, &out) == MJ_BAD_ARGUMENT);
    CHECK(mj_settle(flows, NULL, &event, 1, postings, 3, &out) == MJ_BAD_ARGUMENT);
    CHECK(mj_settle(flows, &game, NULL, 1, postings, 3, &out) == MJ_BAD_ARGUMENT);
    CHECK(mj_settle(flows, &game, &event, 1, NULL, 3, &out) == MJ_BAD_ARGUMENT);
    CHECK(mj_settle(flows, &game, &event, 1, postings, 3, NULL) == MJ_BAD_ARGUMENT);
    CHECK(mj_settle(flows, &game, &event, 1, postings, 3, &out) == MJ_OK && out.n_postings == 3);
    CHECK(mj_settle(flows, &game, &event, 1, postings, 2, &out) == MJ_TOO_SMALL && out.n_postings == 0);
    CHECK(out.event == 0 && out.line == 0 && out.deltas[1] == 0);
    CHECK(mj_settle(flows, &game, &event, 1, NULL, 0, &out) == MJ_TOO_SMALL);
    CHECK(mj_settle(flows, &game, NULL, 0, NULL, 0, &out) == MJ_OK && out.n_postings == 0);

    int64_t deltas[8];
    uint8_t good[2];
    const mj_game two[2] = {game, game};
    const uint64_t up[3] = {0, 1, 1}, down[3] = {0, 2, 1};
    CHECK(mj_settle_batch(flows, two, &event, up, 2, 1, deltas, good, NULL, postings, 3) == MJ_OK);
    CHECK(good[0] == MJ_OK && deltas[1] == 6 && deltas[5] == 0);
    CHECK(mj_settle_batch(flows, two, &event, up, 2, 1, deltas, good, NULL, postings, 2) == MJ_OK);
    CHECK(good[0] == MJ_TOO_SMALL && good[1] == MJ_OK && deltas[1] == 0);
    const mj_status refused = MJ_BAD_ARGUMENT;
    CHECK(mj_settle_batch(NULL, two, &event, up, 2, 1, deltas, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, &event, down, 2, 1, deltas, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, &event, up, 2, 2, deltas, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, NULL, &event, up, 2, 1, deltas, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, NULL, up, 2, 1, deltas, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, &event, NULL, 2, 1, deltas, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, &event, up, 2, 1, NULL, good, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, &event, up, 2, 1, deltas, NULL, NULL, postings, 3) == refused);
    CHECK(mj_settle_batch(flows, two, &event, up, 2, 1, deltas, good, NULL, NULL, 3) == refused);
    CHECK(mj_settle_batch(flows, NULL, NULL, up, 0, 0, NULL, NULL, NULL, NULL, 0) == MJ_OK);

    /* What is written where starts are read makes nothing else be read as events. */
    int64_t shared[8] = {0, 1, 1};
    CHECK(mj_settle_batch(flows, two, &event, (const uint64_t *)shared, 2, 1, shared, good, NULL, postings, 3)
          == refused);
    mj_flows_free(flows);
}

/* ---- games ------------------------------------------------------------------------------ */

static void test_games(void)
{
    static flowbook b;
    start_full(&b);
    mj_flows *flows = flows_of(&b);
    const mj_game good = game_of(3, 2);
    mj_game bad = good;
    bad.players = 1;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad argument");
    bad.players = 5;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad argument");
    bad = good, bad.dealer = 3;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad argument");
    bad = good, bad.out = 8;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad argument");
    bad = good, bad.n_horses = 5;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad argument");
    bad = good, bad.n_horses = 2, bad.horses[1] = 3;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad argument");
    bad = good, bad.states[2] = MJ_S_WON + 1;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad state");
    bad = good, bad.best_call[2] = INT64_MAX;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad amount");
    bad = good, bad.least_call[0] = -mj_limit() - 1;
    CHECK_TEXT(ledger_of(flows, &bad, NULL, 0), "bad amount");
    static mj_event many[256];
    for (unsigned i = 0; i < 256; i++)
        many[i] = kong(MJ_E_DIRECT_KONG, 0, 1, 0);
    CHECK_TEXT(ledger_of(flows, &good, many, 256), "bad argument");
    CHECK(strstr(ledger_of(flows, &good, many, 255), "= 510 -510 0 0, dealer 2\n") != NULL);
    mj_flows_free(flows);
}

/* ---- random games -------------------------------------------------------------------------- */

static mj_event random_event(unsigned players)
{
    const unsigned seat = random_below(players), from = (seat + 1 + random_below(players - 1)) % players;
    const unsigned after = random_below(3) == 0 ? MJ_FLAG_AFTER_KONG : 0;
    const int64_t worth = random_below(20);
    const unsigned winners = (1u << seat | random_below(1u << players)) & ~(1u << from);
    switch (random_below(12)) {
    case 0: case 1: return kong(MJ_E_CONCEALED_KONG, seat, MJ_NONE, 0);
    case 2: case 3: return kong(MJ_E_DIRECT_KONG, seat, from, 0);
    case 4: return kong(MJ_E_ADDED_KONG, seat, MJ_NONE, random_below(4));
    case 5: case 6: return self_draw(seat, worth, after);
    case 7: case 8: return win(MJ_E_DISCARD_WIN, from, winners, worth, after);
    case 9: return win(MJ_E_ROBBED_KONG, from, winners, worth, 0);
    case 10: return foul(seat);
    default: return drawn();
    }
}

static mj_game random_game(void)
{
    mj_game game = game_of(2 + random_below(3), 0);
    game.dealer = (uint8_t)random_below(game.players);
    game.n_horses = (uint8_t)random_below(5);
    game.out = (uint8_t)(random_below(4) == 0 ? random_below(1u << game.players) : 0);
    for (unsigned i = 0; i < 4; i++) {
        game.horses[i] = (uint8_t)random_below(game.players);
        game.states[i] = (uint8_t)(MJ_S_READY + random_below(3));
        game.best_call[i] = random_below(20);
        game.least_call[i] = random_below(5);
        game.stances[i][0] = (int32_t)random_below(6) - 1;
    }
    return game;
}

/* Good games come out even, ledger and deltas agree, and nothing is given back or moved twice. */
static void check_settled(const mj_settlement *out, const mj_posting *postings)
{
    int64_t deltas[MJ_ACCOUNTS] = {0}, sum = 0, gone = 0, moved_on = 0;
    bool sound = true;
    for (uint32_t i = 0; i < out->n_postings; i++) {
        const mj_posting *p = &postings[i];
        sound &= p->amount > 0 && p->payer < MJ_ACCOUNTS && p->receiver < MJ_ACCOUNTS && p->payer != p->receiver
                 && p->line < FULL_LINES && (i == 0 || p->event >= postings[i - 1].event);
        deltas[p->payer] -= p->amount;
        deltas[p->receiver] += p->amount;
        gone += p->state == MJ_RETURNED ? p->amount : 0;
        const bool is_refund = p->line == REFUND;
        sound &= !is_refund || (p->tag == 0 && p->state == MJ_STANDING && p->kong == MJ_NONE);
        moved_on += is_refund ? p->amount : 0;
    }
    for (unsigned account = 0; account < MJ_ACCOUNTS; account++)
        sum += out->deltas[account];
    CHECK(sum == 0 && sound && gone == moved_on && memcmp(deltas, out->deltas, sizeof deltas) == 0);
}

/* A batch of random games, good and bad, says of each what it says of it alone. */
static void test_random_games(void)
{
    enum { GAMES = 3000, EVENTS = 12, ROOM = 400 };
    static mj_game games[GAMES];
    static mj_event events[GAMES * EVENTS];
    static uint64_t starts[GAMES + 1];
    static int64_t deltas[GAMES * MJ_SEATS];
    static uint8_t statuses[GAMES], dealers[GAMES];
    static mj_posting postings[ROOM];
    for (unsigned stays = 0; stays <= 1; stays++) {
        static flowbook b;
        start_full(&b);
        b.spec.winners_stay = (uint8_t)stays;
        mj_flows *flows = flows_of(&b);
        unsigned good = 0, seen[64] = {0};
        uint64_t n = 0;
        for (unsigned i = 0; i < GAMES; i++) {
            games[i] = random_game();
            starts[i] = n;
            mj_settlement out;
            /* mostly events that can follow, so that games get long */
            for (unsigned tries = random_below(40); tries > 0 && n < starts[i] + EVENTS; tries--) {
                events[n] = random_event(games[i].players);
                const uint32_t length = (uint32_t)(n + 1 - starts[i]);
                const mj_status status =
                    mj_settle(flows, &games[i], events + starts[i], length, postings, ROOM, &out);
                n += status == MJ_OK || random_below(30) == 0;
            }
        }
        starts[GAMES] = n;
        CHECK(mj_settle_batch(flows, games, events, starts, GAMES, n, deltas, statuses, dealers, postings, ROOM)
              == MJ_OK);
        for (unsigned i = 0; i < GAMES; i++) {
            mj_settlement out;
            const uint32_t length = (uint32_t)(starts[i + 1] - starts[i]);
            const mj_status status =
                mj_settle(flows, &games[i], events + starts[i], length, postings, ROOM, &out);
            CHECK(statuses[i] == status && dealers[i] == out.next_dealer
                  && memcmp(deltas + MJ_SEATS * i, out.deltas, MJ_SEATS * sizeof *deltas) == 0);
            check_settled(&out, postings);
            good += status == MJ_OK;
            seen[status] += 1;
        }
        CHECK(good > GAMES / 2 && seen[MJ_BAD_ORDER] > 0);
        mj_flows_free(flows);
    }
}

/* ---- garbage --------------------------------------------------------------------------------- */

static void random_bytes(void *memory, size_t n)
{
    for (uint8_t *byte = memory; n-- > 0; byte++)
        *byte = (uint8_t)random_below(256);
}

static void spoil_bytes(void *memory, size_t n)
{
    ((uint8_t *)memory)[random_below((uint32_t)n)] = (uint8_t)random_below(random_below(2) ? 256 : 16);
}

static unsigned run_anything(const mj_flows *flows)
{
    static mj_posting postings[64];
    static mj_event events[8];
    mj_game game = random_game();
    mj_settlement out;
    for (unsigned i = 0; i < 8; i++)
        events[i] = random_event(game.players);
    for (unsigned spoilt = random_below(4); spoilt > 0; spoilt--)
        random_below(2) ? spoil_bytes(&game, sizeof game) : spoil_bytes(events, sizeof events);
    const uint32_t n = random_below(9), capacity = random_below(65);
    const mj_status status = mj_settle(flows, &game, events, n, postings, capacity, &out);
    int64_t sum = 0;
    for (unsigned account = 0; account < MJ_ACCOUNTS; account++)
        sum += out.deltas[account];
    CHECK(sum == 0 && out.n_postings <= capacity && (status == MJ_OK || out.n_postings == 0));
    return status == MJ_OK;
}

/* Some bytes of a good spec spoilt: it is refused, or it runs on any game. */
static void test_garbage(void)
{
    static flowbook b;
    unsigned made = 0, settled = 0;
    for (unsigned i = 0; i < 30000; i++) {
        start_full(&b);
        for (unsigned spoilt = 1 + random_below(3); spoilt > 0; spoilt--) {
            switch (random_below(4)) {
            case 0: spoil_bytes(b.lines, b.spec.n_lines * sizeof *b.lines); break;
            case 1: spoil_bytes(b.code, b.spec.n_code * sizeof *b.code); break;
            case 2: spoil_bytes(b.spec.firings, sizeof b.spec.firings); break;
            default: spoil_bytes(b.constants, sizeof b.constants);
            }
        }
        mj_flows *flows = NULL;
        uint32_t where;
        if (make_flows(&b, &flows, &where) != MJ_OK)
            continue;
        made++;
        for (unsigned game = 0; game < 10; game++)
            settled += run_anything(flows);
        mj_flows_free(flows);
    }
    CHECK(made > 1000 && settled > 1000);

    start_full(&b);
    mj_flows *flows = flows_of(&b);
    for (unsigned i = 0; i < 20000; i++) {
        mj_game game;
        mj_event events[3];
        mj_posting postings[8];
        mj_settlement out;
        random_bytes(&game, sizeof game);
        random_bytes(events, sizeof events);
        (void)mj_settle(flows, &game, events, 3, postings, 8, &out);
        game = random_game();
        (void)mj_settle(flows, &game, events, 3, postings, 8, &out);
        uint64_t starts[3];
        random_bytes(starts, sizeof starts);
        for (unsigned s = 0; s < 3; s++)
            starts[s] = random_below(4) ? random_below(5) : starts[s];
        const mj_game games[2] = {game, game};
        int64_t deltas[8];
        uint8_t statuses[2];
        (void)mj_settle_batch(flows, games, events, starts, 2, 3, deltas, statuses, NULL, postings, 8);
    }
    mj_flows_free(flows);

    for (unsigned i = 0; i < 20000; i++) {
        start_full(&b);
        random_bytes(b.code, sizeof b.code);
        random_bytes(b.lines, sizeof b.lines);
        for (unsigned kind = 0; kind < MJ_EVENT_KINDS; kind++)
            b.spec.firings[kind] =
                (mj_firing){random_below(9), random_below(4), random_below(9), random_below(4)};
        flows = NULL;
        uint32_t where;
        CHECK(make_flows(&b, &flows, &where) != MJ_OK || flows != NULL);
        mj_flows_free(flows);
    }
}

void test_hostile_settle(void)
{
    test_refused();
    test_limits();
    test_arguments();
    test_games();
    test_random_games();
    test_garbage();
}
