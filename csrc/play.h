/* What the files of play share.
 *
 *   distance.c  how many tiles suits lack
 *   book.c      is this a book of play at all? and a copy of it
 *   shorten.c   its questions about moves made short
 *   ask.c       what the rule file says about a move: code over sets of kinds
 *   legal.c     what may be done at a table
 *   table.c     what moves do
 *   outside.c   tables from outside
 *   value.c     what a hand at a table is worth
 *   ending.c    how seats stand when a hand is drawn, and what it comes to
 *   simulate.c  hands dealt and played out
 *
 * What tiles allow is found with sets of kinds and the distance of suits; whether a hand wins and what
 * it is worth is asked of score.c, and only where the tiles complete it.
 */
#ifndef MJ_PLAY_H
#define MJ_PLAY_H

#include <string.h>

#include "fold.h"

/* ---- distances ---------------------------------------------------------------- */

enum {
    MJ_WANTS = 10,              /* n melds (n), and with a pair (5 + n) */
    MJ_ROW_LENGTH = 16,         /* tiles lacking for each of these */
    MJ_MAX_ROW_IDS = 256,
    MJ_MAX_HEADS = 2048,
    MJ_REST_SIZE = 128,         /* MJ_REST, and room */
    MJ_FAR = 40
};

struct mj_distances {
    uint16_t heads[MJ_SUIT_INDICES / MJ_REST];   /* the first ranks of a number suit: a line of `rests` */
    uint8_t rests[MJ_MAX_HEADS][MJ_REST_SIZE];   /* rows by the last three ranks */
    uint8_t honour_ids[MJ_HONOUR_INDICES];
    uint32_t n_rows;
    uint32_t n_joined;
    uint8_t rows[MJ_MAX_ROW_IDS][MJ_ROW_LENGTH];
    uint8_t joined_rows[MJ_MAX_ROW_IDS][MJ_ROW_LENGTH];
    uint8_t joined[MJ_MAX_ROW_IDS][MJ_MAX_ROW_IDS];            /* two rows as one */
    uint8_t lacks[MJ_WANTS][MJ_MAX_ROW_IDS][MJ_MAX_ROW_IDS];   /* what two joined rows lack together */
};

/* ---- questions ------------------------------------------------------------------- */

enum { MJ_Q_AND_NOT = MJ_ASKS };   /* set dst: of those in a the ones that are not in b */

bool mj_writes_set(unsigned op);

/* A question made short: the set of `kinds` where there is no code left, else a set or what it leaves out. */
typedef struct mj_rule {
    mj_op *ops;
    uint32_t n;
    uint16_t set;
    bool negated;
    bool is_there;
    bool is_class;              /* the code is but one THIS_IN */
    uint16_t guard;             /* a class, unless `without` is NULL: the rule for hands that hold nothing of it */
    struct mj_rule *without;
    uint64_t kinds;
} mj_rule;

/* shorten.c.  False for want of memory. */
bool mj_shorten(const mj_book_spec *spec, const mj_question *question, mj_rule *rule);
void mj_forget_rule(mj_rule *rule);

/* ---- a book ---------------------------------------------------------------------- */

enum {
    MJ_VOIDS = 4,
    MJ_WITH_DRAWN = 63,   /* bit of the kinds of a class: and the kind that was just drawn */
};

struct mj_book {
    mj_book_spec spec;
    const mj_tables *tables;
    const mj_distances *distances;
    const mj_program *program;
    const mj_program *static_program;
    const mj_flows *flows;
    mj_known known;             /* NULL in all of it: each hand is judged by itself */
    /* What shapes want at least: rows of `lacks` by the melds that are declared, and of hands without melds
       numbers of twins, and kinds of which one of each is asked. */
    uint8_t n_wants[MJ_MAX_MELDS + 1], wants[MJ_MAX_MELDS + 1][MJ_WANTS];
    uint8_t n_twins, twins[MJ_MAX_SHAPES];
    uint8_t n_each;
    uint64_t each[MJ_MAX_SHAPES];
    bool plain;                 /* being no tile short is being complete: shapes have no other conditions */
    mj_rule may[MJ_ACTS], must[MJ_ACTS];
    uint64_t (*class_kinds)[MJ_VOIDS];   /* of each class by void suit, MJ_NONE being the last */
    int64_t *constants;
    mj_op *code;
    uint8_t tiles[MJ_MAX_WALL];
    unsigned n_tiles;
    uint64_t all_kinds;
    uint64_t void_kinds[3];
    bool asks_changing[MJ_ACTS]; /* whether a kong changes the waits; dear, and asked by few */
};

static inline uint8_t mj_row_of(const mj_distances *distances, unsigned suit, uint32_t index)
{
    return suit < MJ_HONOURS ? distances->rests[distances->heads[index / MJ_REST]][index % MJ_REST]
                             : distances->honour_ids[index];
}

/* Tiles that a hand lacks; a lower bound where shapes ask for more than melds. */
unsigned mj_lacking(const mj_book *book, const mj_place *seat);
/* What it lacks with one tile of a kind less. */
unsigned mj_lacking_without(const mj_book *book, const mj_place *seat, unsigned kind);
/* Kinds that complete a waiting hand, where all shapes are plain; a fifth copy is none. */
uint64_t mj_completed_by(const mj_book *book, const mj_place *seat);

/* ---- asking --------------------------------------------------------------------------- */

/* Who asks, and about what. */
typedef struct mj_asker {
    const mj_book *book;
    const mj_table *table;
    unsigned seat;
    unsigned source;            /* whose tile it is about, or MJ_NONE */
    unsigned act;               /* mj_act, or MJ_ACTS where a hand is valued and no move is made */
    unsigned event;             /* mj_event_kind, or MJ_EVENT_KINDS */
    unsigned flags;             /* of a win */
    unsigned winners;
    unsigned win_tile;          /* or MJ_NONE */
    unsigned left;              /* tiles in the wall */
    uint64_t changing;          /* kinds whose kong would change the waits */
    bool judging;               /* a win is valued: words of seats are those of settlement */
    bool alone;                 /* a hand is valued by itself */
    const mj_worth *worth;      /* of a win, once it is known */
    int64_t numbers[MJ_MAX_PLACES];
    uint64_t sets[MJ_MAX_PLACES];
} mj_asker;

/* The kinds of a class for a seat. */
static inline uint64_t mj_class_kinds(const mj_book *book, const mj_place *seat, unsigned class)
{
    const uint64_t kinds = book->class_kinds[class][seat->void_suit % MJ_VOIDS];
    const bool drawn = kinds >> MJ_WITH_DRAWN && seat->drawn != MJ_NONE;
    return (kinds | (drawn ? mj_bit(seat->drawn) : 0)) & MJ_ALL_KINDS;
}

/* The kinds of the asker's hand, melds and a winning tile that is another's among them. */
uint64_t mj_asked_kinds(const mj_asker *asker);
void mj_answer(mj_asker *asker, const mj_op *ops, uint32_t n);
void mj_ask_code(mj_asker *asker, const mj_question *question);
/* Of the kong that was made, or after which the tile of a win was drawn or discarded: 1 2 3, or 0. */
unsigned mj_kong_kind(const mj_asker *asker);

/* ---- the table ------------------------------------------------------------------------ */

/* As mj_size, without the library's help where the processor has no instruction for it. */
static inline unsigned mj_count(uint64_t set)
{
    set -= set >> 1 & UINT64_C(0x5555555555555555);
    set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
    set = (set + (set >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(set * UINT64_C(0x0101010101010101) >> 56);
}

static inline bool mj_plays(const mj_book *book, const mj_table *table, unsigned seat)
{
    return book->spec.winners_stay || !(table->won >> seat & 1);
}

static inline unsigned mj_left(const mj_table *table)
{
    return (unsigned)(table->back - table->front);
}

/* The seat so many places after another, fewer than there are. */
static inline unsigned mj_seat_after(const mj_book *book, unsigned seat, unsigned places)
{
    seat += places;
    return seat < book->spec.players ? seat : seat - book->spec.players;
}

/* A tile more, the suit's row left as it was. */
static inline void mj_add_tile(mj_place *seat, unsigned kind)
{
    seat->held[seat->tiles[kind]++] |= mj_bit(kind);
    seat->twins = (uint8_t)(seat->twins + (seat->tiles[kind] % 2 == 0));
    seat->index[mj_suit_of(kind)] += mj_digits[kind];
}

static inline void mj_find_row(const mj_book *book, mj_place *seat, unsigned suit)
{
    seat->rows[suit] = mj_row_of(book->distances, suit, seat->index[suit]);
}

static inline void mj_give(const mj_book *book, mj_place *seat, unsigned kind)
{
    mj_add_tile(seat, kind);
    mj_find_row(book, seat, mj_suit_of(kind));
}

static inline void mj_take(const mj_book *book, mj_place *seat, unsigned kind)
{
    const unsigned suit = mj_suit_of(kind);
    seat->twins = (uint8_t)(seat->twins - (seat->tiles[kind] % 2 == 0));
    seat->held[--seat->tiles[kind]] &= ~mj_bit(kind);
    seat->index[suit] -= mj_digits[kind];
    mj_find_row(book, seat, suit);
}

/* Concealed tiles of a suit.  The bytes are added up in one word, which has room for them. */
static inline unsigned mj_suit_size(const mj_place *seat, unsigned suit)
{
    uint64_t copies = 0;
    memcpy(&copies, seat->tiles + MJ_RANKS * suit, suit < MJ_HONOURS ? sizeof copies : MJ_HONOUR_KINDS);
    const unsigned last = suit < MJ_HONOURS ? seat->tiles[MJ_RANKS * suit + MJ_RANKS - 1] : 0;
    return last + (unsigned)(copies * UINT64_C(0x0101010101010101) >> 56);
}

/* Places (bit 0 lowest, 1 middle, 2 highest) that a tile can take in a run with two own tiles. */
static inline unsigned mj_chow_places(const mj_place *seat, unsigned tile)
{
    if (tile >= MJ_NUMBER_KINDS)
        return 0;
    const unsigned suit = mj_suit_of(tile), rank = tile - MJ_RANKS * suit;
    /* The suit with two empty places on either side: bits 0 to 4 are two below up to two above. */
    const unsigned near = (unsigned)((seat->held[0] >> MJ_RANKS * suit & 0x1ff) << 2 >> rank);
    const unsigned lowest = near >> 3 & near >> 4, middle = near >> 1 & near >> 3, highest = near & near >> 1;
    return (lowest & 1) | (middle & 1) << 1 | (highest & 1) << 2;
}

/* legal.c */
enum { MJ_MANY_TILES = 1000 };   /* as settlement has it: the wall is not empty before the hand is drawn */
unsigned mj_concealed(const mj_place *seat);
/* Kinds that complete the waiting hand of a seat; those that no tile is left of do not. */
uint64_t mj_find_waits(const mj_book *book, mj_table *table, unsigned seat);

static inline uint64_t mj_waits_of(const mj_book *book, mj_table *table, unsigned number)
{
    mj_place *seat = &table->seats[number];
    if (!seat->waits_known) {
        seat->waits = mj_find_waits(book, table, number);
        seat->waits_known = 1;
    }
    return seat->waits;
}

/* The flags of a win now, mj_event_kind `kind`. */
unsigned mj_flags_of(const mj_book *book, const mj_table *table, unsigned kind);
/* Who asks about a move, or about what a win is worth. */
void mj_start_asker(const mj_book *book, const mj_table *table, unsigned seat, unsigned act, mj_asker *asker);
void mj_win_asker(const mj_book *book, const mj_table *table, unsigned seat, mj_asker *asker);
/* The best win of the asker's seat now; false where there is none.  The winning tile is left in the asker. */
bool mj_best_win(const mj_book *book, mj_table *table, mj_asker *asker, mj_worth *worth);
void mj_note_win(mj_place *seat, const mj_asker *asker, const mj_worth *worth);
/* What a seat may answer to the tile on the table. */
void mj_claim_moves(const mj_book *book, mj_table *table, unsigned seat, uint64_t *moves);
uint64_t mj_added_kongs(const mj_place *seat);
/* Whether the next tile comes from the front of the wall. */
bool mj_from_front(const mj_book *book, const mj_table *table);

/* table.c */
void mj_open_step(const mj_book *book, mj_table *table, unsigned step);
unsigned mj_playing(const mj_book *book, const mj_table *table);
/* The moves of the seat whose turn it is. */
mj_status mj_turn_moves(const mj_book *book, mj_table *table, uint64_t *moves);
mj_status mj_legal(const mj_book *book, mj_table *table, unsigned seat, uint64_t *moves);
mj_status mj_apply(const mj_book *book, mj_table *table, unsigned seat, unsigned move);

/* The awaited tile is drawn. */
void mj_draw(const mj_book *book, mj_table *table);

/* outside.c.  Deals from the wall that is in the table: n tiles, the whole set. */
void mj_deal(const mj_book *book, unsigned n, unsigned dealer, unsigned direction, mj_table *table);

/* value.c */
/* A seat's concealed tiles, melds and void suit, with one more tile unless that is MJ_NONE, which then is the
 * winning one. */
void mj_as_hand(const mj_table *table, unsigned seat, unsigned extra, mj_hand *hand);
/* What the hand of the asker's seat is worth, won with its winning tile; whether it wins.  `joins`: that is not
 * among its tiles yet. */
bool mj_judge(mj_asker *asker, bool joins, mj_worth *worth);
/* What a tile would make the waiting hand of a seat worth: by discard, or where only an own draw may win,
 * by that.  Below 0 where it does not count as a wait. */
int64_t mj_worth_of_wait(const mj_book *book, const mj_table *table, unsigned seat, unsigned kind);
/* Questions about a seat by itself: nobody acts and no tile came from anywhere. */
void mj_seat_asker(const mj_book *book, const mj_table *table, unsigned seat, mj_asker *asker);

/* ending.c */
mj_status mj_tell_states(const mj_book *book, mj_table *table);

#endif
