/* Settlement programs and games built by hand, and ledgers as text. */
#ifndef FLOWBOOK_H
#define FLOWBOOK_H

#include "book.h"

/* ---- specs ---------------------------------------------------------------------- */

enum { OVER = MJ_EVENT_KINDS, NEXT_DEALER };   /* whose code, beside the kinds of event */

/* A spec under construction.  Constants are the numbers 0 to 31. */
typedef struct flowbook {
    mj_flow_spec spec;
    int64_t constants[32];
    mj_op code[512];
    mj_line lines[64];
    uint32_t *length;     /* of the code that is being written */
} flowbook;

/* Everything empty; the hand is never over. */
void start_flows(flowbook *b);

/* Code and lines that follow are those of this event; then, of the pair code of this line. */
void on(flowbook *b, unsigned kind);
void for_each_payer(flowbook *b, mj_line *line);

uint16_t calc(flowbook *b, unsigned code, unsigned x, unsigned y, unsigned z);
uint16_t word(flowbook *b, unsigned w);
uint16_t constant(flowbook *b, unsigned n);
uint16_t both(flowbook *b, uint16_t x, uint16_t y);
uint16_t either(flowbook *b, uint16_t x, uint16_t y);
uint16_t not(flowbook *b, uint16_t x);

/* Each of a party, from and to; to be changed afterwards. */
mj_line *pays(flowbook *b, uint16_t party, uint16_t other, uint16_t amount);
mj_line *refunds(flowbook *b, uint16_t party, unsigned fund);
mj_line *forwards(flowbook *b, uint16_t party, uint16_t other, unsigned fund);
mj_line *mirrors(flowbook *b);

mj_status make_flows(flowbook *b, mj_flows **flows, uint32_t *where);
mj_flows *flows_of(flowbook *b);   /* of a spec that must be good */

/* How the kongs' money goes to whoever wins on the discard after a kong. */
typedef enum transfer { TO_EACH, EVENLY, TO_NEAREST, BACK, STAYS } transfer;

enum { KONG_MONEY = 1 };

/* The usual rules.  A kong is paid by everybody in play, 2, 2 by the feeder or 1; a win is worth what the
 * event says; a foul costs 8 to each; at a drawn end a pig pays 16 to each other seat, who is not
 * ready the best call to who is, and both give their kongs' money back.  Three winners end the
 * hand unless they stay.  The next dealer is the first winner, or who discarded to several, or
 * the dealer. */
void start_usual(flowbook *b, transfer transfer, bool winners_stay);

/* ---- games -------------------------------------------------------------------------- */

mj_game game_of(unsigned players, unsigned dealer);
mj_event kong(unsigned kind, unsigned seat, unsigned from, unsigned flags);
mj_event self_draw(unsigned seat, int64_t worth, unsigned flags);
/* The same worth for every winner. */
mj_event win(unsigned kind, unsigned from, unsigned winners, int64_t worth, unsigned flags);
mj_event foul(unsigned seat);
mj_event drawn(void);

/* The ledger: a line for each event with its postings, as "1>0 2" or with - for returned and ~
 * for moved; x is the outside account, h1 the first horse.  Then the deltas of the seats, those
 * of other accounts that have any, the next dealer if there is one, and "over".  An error is its
 * name and where.  A batch must come to the same. */
const char *ledger_of(const mj_flows *flows, const mj_game *game, const mj_event *events, uint32_t n);

#define LEDGER(flows, game, ...) \
    ledger_of(flows, game, (const mj_event[]){__VA_ARGS__}, \
              sizeof((const mj_event[]){__VA_ARGS__}) / sizeof(mj_event))

#endif
