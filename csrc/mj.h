/* The whole interface of the kernel.
 *
 * The kernel sees no text: tiles are numbers, and a rule file arrives as an
 * mj_spec, a program over whole numbers that is verified before it is run.
 * It has no global state.  Tables and programs are immutable once made and may
 * be shared by threads; scoring writes only to what the caller passes in and
 * allocates nothing.  Every index that comes from outside is checked.
 *
 * The Python binding reads its declarations from this very file, with the
 * lines that start with # and the comments taken away; so everything else here
 * is plain C that cffi understands: no function-like macros, no attributes.
 */
#ifndef MJ_H
#define MJ_H

#include <stddef.h>
#include <stdint.h>

/* ---- sizes and codes --------------------------------------------------- */

enum {
    MJ_KINDS = 34,        /* 0-8 m, 9-17 p, 18-26 s, 27-33 z (E S W N P F C) */
    MJ_SUITS = 4,         /* m p s and the honours */
    MJ_MAX_MELDS = 4,
    MJ_MAX_GROUPS = 14,   /* fourteen single tiles is the longest reading */
    MJ_MAX_FANS = 64,     /* a set of fans is one 64-bit word */
    MJ_MAX_SHAPES = 16,
    MJ_MAX_PARTS = 4,     /* each-of parts and single-tile parts of a shape, of either sort */
    MJ_MAX_FEATURES = 512,
    MJ_MAX_PATTERNS = 64,
    MJ_MAX_CHOICES = 4096, /* ways to choose from all pick-one sets together */
    MJ_MAX_REGISTERS = 4096,
    MJ_MAX_CODE = 16384,
    MJ_MAX_FACTS = 32,
    MJ_MAX_COPIES = 4,
    MJ_PROBE_WORDS = 4,
    MJ_MAX_PROBES = 64 * MJ_PROBE_WORDS,
    MJ_NONE = 255         /* no tile, no suit, no shape */
};

enum { MJ_NO_REGISTER = 65535 };

/* Statuses.  mj_status_name gives the name as text, for exceptions. */
typedef enum mj_status {
    MJ_OK = 0,
    MJ_NO_MEMORY,
    MJ_BAD_ARGUMENT,      /* a null pointer or a size that makes no sense */
    MJ_BAD_COUNT,         /* more copies of a kind than the tile set has */
    MJ_BAD_MELD,          /* a meld that is none */
    MJ_BAD_SIZE,          /* a wrong number of tiles */
    MJ_BAD_WIN_TILE,      /* a winning tile that is not among the concealed tiles */
    MJ_BAD_SUIT,          /* a void suit that is none */
    MJ_BAD_LIMITS,        /* a spec with too much of something */
    MJ_BAD_TILE_SET,      /* copies above four, or a hand size that is none */
    MJ_BAD_SHAPE,         /* a shape whose parts do not make up a hand */
    MJ_BAD_FEATURE,
    MJ_BAD_PATTERN,
    MJ_BAD_OPCODE,
    MJ_BAD_REGISTER,      /* out of range, read before written, or written twice */
    MJ_BAD_TYPE,          /* a truth value where a number is needed, or the reverse */
    MJ_BAD_STAGE,         /* code that reads what is not known yet at its stage */
    MJ_BAD_FAN,
    MJ_BAD_ABSORPTION,    /* out of range, or not in an order that decides absorbers first */
    MJ_BAD_PICK,
    MJ_TOO_SMALL,         /* the caller's buffer does not hold the answer */
    MJ_BAD_EVENT,         /* an event that is none: kind, seats, winners, flags */
    MJ_BAD_ORDER,         /* an event after the end, a win of a seat that has left, a robbed kong without one */
    MJ_BAD_STATE,         /* a seat whose state at a drawn end is not known */
    MJ_BAD_AMOUNT,        /* a negative amount, or one beyond the limit */
    MJ_TOO_MANY_PARTIES,  /* a line that acts has a party without each that holds more than one seat */
    MJ_BAD_LINE,          /* a line of a flow that is none: verb, account, fund, pair code, wrong event */
    MJ_BAD_WORD,          /* a packed word that is no hand */
    MJ_BAD_SITUATION,     /* a way of winning or a set of flags that is none */
    MJ_NO_MOVE            /* the rules leave a seat nothing that it may do */
} mj_status;

/* What a group of a reading is.  The value is a bit number in masks of types. */
typedef enum mj_group_type {
    MJ_RUN = 0,           /* concealed; tile is the lowest */
    MJ_CHOW,              /* exposed run */
    MJ_TRIPLET,           /* concealed, and not completed by another's tile */
    MJ_TRIPLET_CLAIMED,   /* concealed till another's tile completed it */
    MJ_PUNG,
    MJ_DIRECT_KONG,
    MJ_ADDED_KONG,
    MJ_CONCEALED_KONG,
    MJ_PAIR,              /* the pair of the hand */
    MJ_TWIN,              /* two alike in a hand of pairs */
    MJ_SINGLE,            /* a tile of an each-of or single-tile part */
    MJ_GROUP_TYPES
} mj_group_type;

/* How the winning tile completed its group in a reading. */
typedef enum mj_wait {
    MJ_WAIT_NONE = 0,     /* no winning tile was named, or the shape has no such waits */
    MJ_WAIT_EDGE,         /* 12 with 3, 89 with 7 */
    MJ_WAIT_CLOSED,       /* the middle of a run */
    MJ_WAIT_OPEN,         /* a run from either end */
    MJ_WAIT_SINGLE,       /* the pair */
    MJ_WAIT_TWIN          /* a triplet */
} mj_wait;

typedef struct mj_group {
    uint8_t type;         /* mj_group_type */
    uint8_t tile;         /* kind; the lowest of a run */
} mj_group;

/* A hand to be judged.  Fields that a program does not read may be anything valid. */
typedef struct mj_hand {
    uint8_t concealed[34];      /* copies by kind, the winning tile among them */
    uint8_t seen[34];           /* copies by kind on the table: discards and everybody's melds */
    mj_group melds[4];          /* chow, pung and the three kongs only */
    uint8_t n_melds;
    uint8_t win_tile;           /* kind, or MJ_NONE */
    uint8_t void_suit;          /* 0 1 2, or MJ_NONE */
    uint8_t claimed;            /* 1: the winning tile was another's, by discard or from a kong */
    int32_t facts[32];          /* flags and numbers of the win, by slot; the slots are the caller's */
} mj_hand;

/* ---- a rule file as a program ---------------------------------------------- */

/* Numbers that a program reads from a hand or from one reading of it. */
typedef enum mj_feature_kind {
    /* of the hand */
    MJ_F_TILES = 0,       /* physical tiles (melds, kongs as four) of a kind in `tiles` */
    MJ_F_KINDS,           /* kinds in `tiles` held at least once with copies in low..high (melds included) */
    MJ_F_KINDS_UNKONGED,  /* the same, a kind declared as a kong standing with 0 copies */
    MJ_F_SUITS,           /* suits held, of those whose bit is in `types` (bit 0 m, 1 p, 2 s, 3 honours) */
    MJ_F_CONCEALED,       /* tiles outside melds, the winning tile included */
    MJ_F_MELDS,           /* melds whose type's bit is in `types` */
    MJ_F_VOID_TILES,      /* physical tiles of the void suit, 0 without one */
    MJ_F_WIN_TILE_IN,     /* truth: the winning tile's kind is in `tiles` */
    MJ_F_WIN_TILE_VOID,   /* truth: the winning tile is of the void suit */
    MJ_F_WIN_TILE_OWN,    /* copies of the winning tile in the concealed part before the win */
    MJ_F_WIN_TILE_ALL,    /* the same, the own melds counted as well */
    MJ_F_WAITS,           /* kinds that complete the hand without the winning tile; a kind held in
                             all its copies in that concealed part does not count */
    MJ_F_WAITS_LEFT,      /* over these kinds: copies in the tile set minus copies seen, never below 0 */
    /* of a reading */
    MJ_F_SHAPE,           /* index of the shape */
    MJ_F_WAIT,            /* mj_wait of the winning tile's place */
    MJ_F_GROUPS,          /* groups whose type's bit is in `domain` and that match: the type's bit is in
                             `types`, or all tiles of the group are in `tiles` (low = 0), or
                             some tile of the group is in `tiles` (low = 1) */
    MJ_F_PATTERN,         /* truth: pattern number `low` occurs among the groups in `domain` */
    MJ_FEATURE_KINDS
} mj_feature_kind;

typedef struct mj_feature {
    uint64_t tiles;       /* set of kinds */
    uint16_t domain;      /* set of group types */
    uint16_t types;       /* set of group types, or of suits */
    uint8_t kind;         /* mj_feature_kind */
    uint8_t low;
    uint8_t high;
} mj_feature;

/* One alternative of a pattern: up to MJ_MAX_MELDS + 1 groups that must all be there, each
 * by a group of its own.  type is MJ_RUN (any run), MJ_TRIPLET (any triplet or kong),
 * MJ_DIRECT_KONG (any kong) or MJ_PAIR (a pair or a twin). */
typedef struct mj_alternative {
    mj_group groups[5];
    uint8_t n_groups;
    uint8_t pattern;      /* the number of the pattern that this belongs to; never descending */
} mj_alternative;

/* Instructions.  dst, a, b, c are registers, but for FEATURE and FACT, where a is an index.
 * B are truth values, N are numbers.  Results are held within -MJ_LIMIT .. MJ_LIMIT. */
typedef enum mj_opcode {
    MJ_OP_FEATURE = 0,    /* N or B */
    MJ_OP_FACT,           /* N: the value of slot a */
    MJ_OP_ADD,            /* N N -> N */
    MJ_OP_SUB,
    MJ_OP_MUL,
    MJ_OP_POW,            /* a to the b; a negative exponent gives 0, rounded down as all amounts are */
    MJ_OP_MIN,
    MJ_OP_MAX,
    MJ_OP_EQ,             /* N N -> B */
    MJ_OP_NE,
    MJ_OP_LT,
    MJ_OP_LE,
    MJ_OP_AND,            /* B B -> B */
    MJ_OP_OR,
    MJ_OP_NOT,            /* B -> B */
    MJ_OP_SELECT,         /* B a, N b, N c -> N: b where a holds, else c; or B b, B c -> B */
    MJ_OPCODES
} mj_opcode;

typedef struct mj_op {
    uint16_t op;          /* mj_opcode */
    uint16_t dst;
    uint16_t a;
    uint16_t b;
    uint16_t c;
} mj_op;

/* Registers that the kernel writes; the constants of the spec follow them. */
enum {
    MJ_R_NO_OTHER = 0,    /* B, readable from the late code on: no ordinary fan is left */
    MJ_R_FAN,             /* N, readable in the final code: the four totals */
    MJ_R_TIMES,
    MJ_R_POINT,
    MJ_R_BASE,
    MJ_R_FALSE,           /* B */
    MJ_R_TRUE,            /* B */
    MJ_R_CONSTANTS        /* N: the first constant */
};

/* Units of fans: 番 is added, 倍 is multiplied, 分 and 底 are added. */
typedef enum mj_unit { MJ_FAN = 0, MJ_TIMES, MJ_POINT, MJ_BASE, MJ_UNITS } mj_unit;

/* A winning shape.  Its parts make up hand_size + 1 tiles, a meld or kong counted as three.
 * Twins, each-of and single parts go only with a hand without melds. */
typedef struct mj_shape {
    uint8_t n_melds;      /* runs or triplets */
    uint8_t n_runs;       /* runs only, beside n_melds */
    uint8_t n_triplets;   /* triplets or kongs only, beside n_melds */
    uint8_t n_pairs;      /* 0 or 1 */
    uint8_t n_twins;      /* two alike; four alike are two */
    uint8_t n_each;       /* each-of parts */
    uint8_t n_singles;    /* single-tile parts */
    uint8_t singles[4];   /* tiles in each single-tile part */
    uint64_t each_of[4];  /* one tile of each kind of the set */
    uint64_t single_of[4];
    uint16_t when;        /* B register of the shape code, or MJ_NO_REGISTER */
} mj_shape;

typedef struct mj_fan {
    uint16_t count;       /* N register: how often the fan is there, below 1 is not at all */
    uint16_t value;       /* N register: what one is worth */
    uint8_t unit;         /* mj_unit */
    uint8_t late;         /* 1: judged after the others, when NO_OTHER is known */
    uint8_t limit;        /* 1: raises its unit's total to at least its value instead of joining it */
} mj_fan;

/* `absorber` takes `count` away from each occurrence of `absorbed` per occurrence of itself; 0 takes all. */
typedef struct mj_absorption {
    uint8_t absorber;
    uint8_t absorbed;
    uint16_t count;
} mj_absorption;

/* Only one fan of the set counts; the one that makes the hand worth most. */
typedef struct mj_pick {
    uint64_t fans;
} mj_pick;

/* A rule file's view of a hand.  All arrays belong to the caller and are copied. */
typedef struct mj_spec {
    uint8_t copies[34];   /* the tile set; 0 where a kind is not in it */
    uint8_t hand_size;    /* tiles of a waiting hand: 4 7 10 13 */
    const mj_shape *shapes;             uint32_t n_shapes;
    const mj_feature *features;         uint32_t n_features;
    const mj_alternative *alternatives; uint32_t n_alternatives;
    const int64_t *constants;           uint32_t n_constants;
    const mj_op *shape_code;            uint32_t n_shape_code; /* reads no waits */
    const mj_op *fan_code;              uint32_t n_fan_code;
    const mj_op *late_code;             uint32_t n_late_code;  /* may read MJ_R_NO_OTHER */
    const mj_op *final_code;            uint32_t n_final_code; /* may read the totals */
    const mj_fan *fans;                 uint32_t n_fans;
    const mj_absorption *absorptions;   uint32_t n_absorptions;
    const mj_pick *picks;               uint32_t n_picks;
    uint16_t money;       /* N register after the final code: what one payer pays */
    uint16_t may_win;     /* B register after the final code */
    uint16_t may_wait;    /* B register after the final code: this tile counts as a wait */
    uint32_t n_registers;
    const uint16_t *probes;             /* B registers whose truths are told of the best reading */
    uint32_t n_probes;
} mj_spec;

/* ---- results ------------------------------------------------------------------ */

/* One way to take a complete hand apart, the place of the winning tile included. */
typedef struct mj_reading {
    mj_group groups[14];  /* the melds as declared, then the concealed groups by tile */
    uint8_t n_groups;
    uint8_t shape;
    uint8_t wait;         /* mj_wait */
    uint8_t win_group;    /* index of the group that the winning tile completed, or MJ_NONE */
} mj_reading;

typedef struct mj_result {
    uint8_t win;          /* 1: some reading may win; everything below is of the best one */
    uint8_t complete;     /* 1: the tiles make a shape, whether or not that may win */
    uint8_t may_wait;     /* 1: the winning tile counts as a wait */
    uint8_t n_fans;
    uint32_t n_readings;  /* readings that were weighed */
    int64_t money;
    int64_t totals[4];    /* by mj_unit */
    int32_t counts[64];   /* fans that count, after picks and absorption */
    int32_t found[64];    /* fans that are there, before both */
    int64_t values[64];   /* what one of each is worth */
    mj_reading reading;
    uint32_t tied;        /* 1: another reading or choice has the same money and totals, but other fans */
    uint64_t probes[4];   /* truths of the probes, a bit each */
    uint64_t ever[4];     /* those that hold of some reading that may win */
} mj_result;

/* ---- functions ------------------------------------------------------------------- */

typedef struct mj_tables mj_tables;
typedef struct mj_program mj_program;

const char *mj_status_name(mj_status status);

/* Results are never outside -limit .. limit, and are held there when they would be. */
int64_t mj_limit(void);

/* The readings of every complete suit: about five megabytes, made in a few milliseconds. */
mj_status mj_tables_new(mj_tables **out);
void mj_tables_free(mj_tables *tables);

/* Verifies the spec and copies it.  On an error, *where is the index of the offending
 * element in its array (code is counted through the four blocks). */
mj_status mj_program_new(const mj_spec *spec, mj_program **out, uint32_t *where);
void mj_program_free(mj_program *program);

/* The best reading of a hand of hand_size + 1 tiles.  A hand that does not win is MJ_OK with
 * win = 0.  The winning tile may stand one copy above the tile set (see MJ_BAD_COUNT): such a
 * hand exists only as a question about a wait.
 *
 * Best: most money, then the highest totals in the order of mj_unit, then the fewest
 * fans (repeats counted), then more of the fan that stands first in the file where two sets
 * differ, then the reading that comes first.  Readings come by shape, then by kind from the
 * lowest: with a triplet before without, then with fewer pairs (and of these, a pair before a
 * twin), the rest being runs; then by the winning tile's group from the first. */
mj_status mj_score(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                   mj_result *result);

/* All readings of a hand in that order, whether or not they may win; *n is how many there are,
 * also when `capacity` was too small for them (MJ_TOO_SMALL). */
mj_status mj_readings(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                      mj_reading *readings, uint32_t capacity, uint32_t *n);

/* Kinds of the tile set that complete a hand of hand_size tiles, a fifth copy included.
 * win_tile is ignored. */
mj_status mj_waits(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                   uint64_t *kinds);

/* Tiles still needed to complete the hand, minus one: -1 is complete, 0 is waiting.  For
 * hands of hand_size or hand_size + 1 tiles; conditions of shapes are not looked at, win_tile
 * is ignored.  A tile of which the tile set has no more beside the concealed ones is not
 * waited for.  MJ_NONE where no shape goes with the melds. */
mj_status mj_shanten(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                     int *shanten);

/* ---- settlement ---------------------------------------------------------------------- */

/* A settlement program is run over seats: each register holds four numbers, one for each seat
 * (truths are 0 and 1).  What does not differ between seats stands in all four.  Everything an event
 * asks is computed once when it starts, before anybody's state changes; then its lines post. */

enum {
    MJ_SEATS = 4,
    MJ_OUTSIDE = 4,        /* the account outside the four seats */
    MJ_FIRST_HORSE = 5,    /* accounts of horses follow */
    MJ_MAX_HORSES = 4,
    MJ_ACCOUNTS = 9,
    MJ_MAX_EVENTS = 255,
    MJ_MAX_LINES = 512,
    MJ_MAX_STANCES = 8,
    MJ_MAX_SEAT_NUMBERS = 1000, /* constants and numbers that the code of one event works out */
    MJ_THIS_KONG = 255     /* as a fund: the postings of the owner's latest kong */
};

typedef enum mj_event_kind {
    MJ_E_CONCEALED_KONG = 0,
    MJ_E_DIRECT_KONG,
    MJ_E_ADDED_KONG,
    MJ_E_SELF_DRAW,
    MJ_E_DISCARD_WIN,
    MJ_E_ROBBED_KONG,
    MJ_E_FALSE_WIN,
    MJ_E_DRAWN,
    MJ_E_HAND_OVER,        /* fired by mj_settle itself when the events end */
    MJ_EVENT_KINDS
} mj_event_kind;

/* Flags of an event. */
enum {
    MJ_FLAG_LATE = 1,         /* the fourth tile of an added kong was not drawn this turn */
    MJ_FLAG_ROBBED = 2,       /* the added kong is robbed: its event is not fired */
    MJ_FLAG_AFTER_KONG = 4,
    MJ_FLAG_KONG_CHAIN = 8,
    MJ_FLAG_LAST_TILE = 16,
    MJ_FLAG_FIRST_TURN = 32,
    MJ_FLAG_STATED = 64       /* `worth` is the value of each winner's hand (to be turned into money
                                 by the program), not the money itself */
};

typedef struct mj_event {
    uint8_t kind;          /* mj_event_kind, never MJ_E_HAND_OVER */
    uint8_t seat;          /* the konger, or who fouled; MJ_NONE otherwise */
    uint8_t from;          /* who discarded, or whose kong was robbed; MJ_NONE otherwise */
    uint8_t winners;       /* set of seats */
    uint16_t flags;
    uint16_t spare;        /* 0 */
    int64_t worth[4];      /* by seat, of the winners */
} mj_event;

/* How a seat stands at a drawn end. */
typedef enum mj_seat_state { MJ_S_UNKNOWN = 0, MJ_S_READY, MJ_S_NOT_READY, MJ_S_PIG, MJ_S_WON } mj_seat_state;

typedef struct mj_game {
    uint8_t players;       /* 2 3 4; seats from there on are nobody's */
    uint8_t dealer;
    uint8_t out;           /* set of seats that had won before the first event */
    uint8_t n_horses;
    uint8_t horses[4];     /* the seat that each horse is bound to */
    uint8_t states[4];     /* mj_seat_state, read by MJ_E_DRAWN and MJ_E_HAND_OVER */
    uint8_t spare[4];      /* 0 */
    int32_t stances[4][8]; /* by seat and slot */
    int64_t best_call[4];
    int64_t least_call[4];
} mj_game;

/* What a register of a settlement program can be loaded with. */
typedef enum mj_seat_word {
    /* truths by seat */
    MJ_W_WINNER = 0, MJ_W_DISCARDER, MJ_W_KONGER, MJ_W_FEEDER, MJ_W_OFFENDER, MJ_W_NEAREST,
    MJ_W_FIRST_WINNER, MJ_W_FIRST_DISCARDER, MJ_W_DEALER,
    MJ_W_PREV_SEAT, MJ_W_ACROSS_SEAT, MJ_W_NEXT_SEAT,      /* seen from the dealer */
    MJ_W_UNWON, MJ_W_WON, MJ_W_IN_PLAY, MJ_W_READY, MJ_W_NOT_READY, MJ_W_PIG,
    /* truths of the event, the same for all seats */
    MJ_W_SELF_DRAW, MJ_W_DISCARD_WIN, MJ_W_ROBBED_KONG, MJ_W_AFTER_KONG, MJ_W_KONG_CHAIN,
    MJ_W_LAST_TILE, MJ_W_FIRST_TURN, MJ_W_AT_ONCE, MJ_W_DRAWN,
    MJ_W_STATED,           /* `worth` of this event is a value, not money */
    /* numbers */
    MJ_W_KONG_KIND,        /* 0 none, 1 direct, 2 added, 3 concealed: the kong of this event, or after one the kong before */
    MJ_W_BEST_CALL, MJ_W_LEAST_CALL,
    MJ_W_WORTH,            /* worth[seat] of this event, 0 for who does not win */
    MJ_W_STANCE,           /* + slot */
    MJ_SEAT_WORDS = MJ_W_STANCE + 8
} mj_seat_word;

/* Instructions are those of mj_opcode, done for each seat by itself, with two changes: MJ_OP_FEATURE
 * loads the word in `a`, MJ_OP_FACT loads constant number `a` into all seats; and these are added. */
enum {
    MJ_OP_COUNT = 16,      /* B -> N: for how many seats at the table it holds, in all four */
    MJ_OP_PAYER            /* X -> X: the payer's, in all four, and where the outside account pays
                              everybody's own; only in the pair code of a line */
};

typedef enum mj_verb { MJ_PAY = 0, MJ_REFUND, MJ_FORWARD, MJ_MIRROR, MJ_VERBS } mj_verb;

/* One line of a flow.
 *
 * PAY      party pays other `amount` as seen from the receiver, under `when` seen from the receiver
 * REFUND   each party gives what is standing of `fund` back to who paid it
 * FORWARD  party hands what is standing of `fund` on: to each other in full, or `evenly`
 * MIRROR   each horse takes the net of the seat it is bound to; party and other are not read
 *
 * `when` of REFUND and FORWARD is seen from the party, of MIRROR from the bound seat. */
typedef struct mj_line {
    uint8_t verb;
    uint8_t party_account; /* MJ_NONE: seats by register; else MJ_OUTSIDE */
    uint8_t other_account;
    uint8_t each_party;    /* 0: the set may hold one seat at most when the line acts */
    uint8_t each_other;
    uint8_t tag;           /* PAY: 1 to 254, or 0 for none; REFUND, FORWARD: the fund, a tag or MJ_THIS_KONG */
    uint8_t moved;         /* REFUND: what was forwarded is given back, too, from the party's pocket */
    uint8_t evenly;
    uint16_t party;        /* B registers */
    uint16_t other;
    uint16_t when;         /* or MJ_NO_REGISTER: always */
    uint16_t amount;       /* N register */
    uint32_t pair_code;    /* PAY: code run again for each payer: begin and length; 0 0 for none */
    uint32_t n_pair_code;
} mj_line;

/* The code and lines of one event, as ranges of the arrays of the spec.  The code of each event
 * stands for itself: it reads only registers that it wrote.  With all pair code of its lines it is
 * no longer than MJ_MAX_CODE. */
typedef struct mj_firing {
    uint32_t code, n_code;
    uint32_t lines, n_lines;
} mj_firing;

typedef struct mj_flow_spec {
    uint8_t winners_stay;  /* a winner stays at the table and may win again */
    uint8_t first_win_ends;
    mj_firing firings[9];  /* by mj_event_kind */
    mj_firing over;        /* after each event, whose own words are gone: `is_over`; no lines */
    mj_firing next_dealer; /* at the end; no lines */
    uint16_t is_over;      /* B register after `over`: the hand ends where it holds for seat 0 */
    uint16_t dealer_next;  /* B register after `next_dealer`, or MJ_NO_REGISTER */
    const int64_t *constants; uint32_t n_constants;
    const mj_op *code;        uint32_t n_code;
    const mj_line *lines;     uint32_t n_lines;
    uint32_t n_registers;
} mj_flow_spec;

typedef struct mj_flows mj_flows;

typedef enum mj_posting_state { MJ_STANDING = 0, MJ_RETURNED, MJ_MOVED } mj_posting_state;

typedef struct mj_posting {
    int64_t amount;        /* above 0 */
    uint16_t line;         /* in the spec's lines */
    uint8_t payer;         /* accounts */
    uint8_t receiver;
    uint8_t tag;
    uint8_t state;         /* mj_posting_state, as it was when the game ended */
    uint8_t event;         /* number of the event; n_events for MJ_E_HAND_OVER */
    uint8_t kong;          /* number of the kong event that it was paid for, or MJ_NONE */
} mj_posting;

typedef struct mj_settlement {
    int64_t deltas[9];     /* by account; they add up to 0 */
    uint32_t n_postings;
    uint8_t next_dealer;   /* seat, or MJ_NONE where the rules do not name exactly one */
    uint8_t is_over;       /* whether the rules end the hand after the last event */
    uint16_t status;       /* mj_status: what made the game unusable; then nothing is settled */
    uint16_t event;        /* where, or MJ_NO_REGISTER for the game itself */
    uint16_t line;         /* where, or MJ_NO_REGISTER */
} mj_settlement;

/* Verifies and copies.  *where is the index of the offending firing (`over` and `next_dealer` come
 * after those of the events), constant, instruction or line in its array, or 0. */
mj_status mj_flows_new(const mj_flow_spec *spec, mj_flows **out, uint32_t *where);
void mj_flows_free(mj_flows *flows);

/* Settles one game.  On a status other than MJ_OK the settlement holds no posting and no delta. */
mj_status mj_settle(const mj_flows *flows, const mj_game *game, const mj_event *events,
                    uint32_t n_events, mj_posting *postings, uint32_t capacity,
                    mj_settlement *out);

/* Settles n games; the events of game i are events[starts[i]] up to events[starts[i + 1]], and
 * starts never descend nor pass starts[n] = n_events.  deltas is n rows of 4 seats, statuses one
 * per game (a game with a status has no deltas), next_dealers one per game or NULL.  postings is
 * room to work in. */
mj_status mj_settle_batch(const mj_flows *flows, const mj_game *games, const mj_event *events,
                          const uint64_t *starts, uint64_t n, uint64_t n_events, int64_t *deltas,
                          uint8_t *statuses, uint8_t *next_dealers, mj_posting *postings,
                          uint32_t capacity);

/* ---- many hands ---------------------------------------------------------------------- */

/* A packed hand.  A suit is a number of nine digits in base 5, its copies by rank with rank 1 as
 * the highest digit; m p s stand in bits 0-20, 21-41, 42-62 of the first word, the seven honours
 * likewise in a second word.  So adding a tile is adding a constant.
 *
 * A word of melds.  A byte for each of up to four melds, from the lowest: 0 where there are no
 * more, else 1 + 34 * n + kind, where n is 0 for a chow (kind is its lowest), 1 pung, 2 direct,
 * 3 added, 4 concealed kong.
 *
 * A situation is 128 * by + flags: `by` is 0 own draw, 1 discard, 2 robbed kong; flags 1 after a
 * kong, 2 kong chain, 4 last tile, 8 first turn, 16 dealer, and 32 times the kong before (0 none,
 * 1 direct, 2 added, 3 concealed). */
enum {
    MJ_SITUATIONS = 384,
    MJ_BY_OWN_DRAW = 0,
    MJ_BY_DISCARD = 1,
    MJ_BY_ROBBED_KONG = 2
};

/* Columns of a batch.  Where a column is NULL, the value beside it stands for every hand. */
typedef struct mj_batch {
    uint64_t n;
    const uint64_t *words;      /* packed hands, or NULL: then `rows` */
    const uint8_t *rows;        /* copies by kind */
    uint32_t kinds;             /* 27 or 34: bytes of a row; one or two words */
    uint32_t unit;              /* mj_unit of the totals that are given back */
    const uint32_t *melds;      /* NULL: no melds */
    const uint8_t *win;         /* kinds of the winning tiles, or MJ_NONE */
    const uint8_t *voids;       /* 0 1 2, or MJ_NONE */
    const uint8_t *by;
    const uint8_t *flags;
    const uint8_t *seen;        /* rows like `rows`; own melds are seen in any case */
    uint8_t all_win;
    uint8_t all_voids;
    uint8_t all_by;
    uint8_t all_flags;
    const int32_t *facts;       /* by situation, 32 numbers each: as in mj_hand */
} mj_batch;

/* What scored hands are worth; NULL columns are not wanted.  A hand that does not win has zeros. */
typedef struct mj_worths {
    uint8_t *win;
    int32_t *totals;            /* of the batch's unit, held within an int32_t */
    int64_t *points;
    uint64_t *fans;             /* which fans count */
} mj_worths;

/* The states of one suit that are part of a complete hand, which all folds share. */
typedef struct mj_states mj_states;
mj_status mj_states_new(const mj_tables *tables, mj_states **out);
void mj_states_free(mj_states *states);

/* A program folded into tables, by which a hand is scored with a few look-ups. */
typedef struct mj_folds mj_folds;

/* What folds are for, beside concealed hands without a void suit.  Those of a program for waits give the
 * values of waits and nothing else.  Those for won hands are for programs that ask how the winning tile came
 * in (sees_win), and for no hands but such that tell it. */
enum { MJ_FOR_MELDS = 1, MJ_FOR_VOIDS = 2, MJ_FOR_WAITS = 4, MJ_FOR_WON = 8 };

/* Why a program is not folded. */
typedef enum mj_fold_reason {
    MJ_FOLDED = 0,
    MJ_SEES_SUITS_TOGETHER, /* a pattern stands over several suits */
    MJ_SEES_TOO_MUCH,       /* more conditions or classes than the budget has room for */
    MJ_ODD_SHAPE,           /* a shape has parts that are not taken suit by suit */
    MJ_ODD_TILES            /* the tile set has other than four of a kind */
} mj_fold_reason;

typedef struct mj_fold_info {
    uint32_t reason;        /* mj_fold_reason */
    uint32_t sees_win;      /* 1: how the winning tile came in is asked, not its copies only */
    uint32_t n_features;    /* counts that the program reads of a part of a hand */
    uint32_t n_atoms;
    uint32_t n_suit_classes;
    uint32_t n_joined;      /* classes of all suits together */
    uint32_t n_meld_classes;
    uint32_t n_contexts;
    uint32_t n_worths;      /* distinct results */
    uint64_t bytes;
} mj_fold_info;

/* How near the states of suits are to being part of a hand, whatever the rules: about sixteen megabytes,
 * made in some tens of milliseconds. */
typedef struct mj_near mj_near;
mj_status mj_near_new(const mj_tables *tables, const mj_states *states, mj_near **out);
void mj_near_free(mj_near *near);

/* Folds a program for the facts of each situation (as in mj_batch), within a fixed budget of time and
 * memory.  Where it cannot be, *out is NULL and the info says why; that is MJ_OK.  `near` is kept by the
 * folds; it may be NULL but for won hands of programs that ask for waits. */
mj_status mj_folds_new(const mj_tables *tables, const mj_states *states, const mj_near *near,
                       const mj_program *program, const int32_t *facts, uint32_t unit, uint32_t uses,
                       mj_folds **out, mj_fold_info *info);
void mj_folds_free(mj_folds *folds);

/* Packs rows of 27 or 34 copies; *row is the first with more than four of a kind (MJ_BAD_COUNT). */
mj_status mj_pack(const uint8_t *rows, uint32_t kinds, uint64_t n, uint64_t *words, uint64_t *row);

/* Scores the hands from row `start` up to `stop`, into the same rows of the columns; so do the functions
 * below.  The first row that is no hand ends the work: *row is its number.  Unlike mj_score,
 * no hand may hold more of a kind than the tile set has.  `folds` may be NULL, or must be those of the
 * program, of the batch's facts and of its unit. */
mj_status mj_score_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                         const mj_batch *batch, uint64_t start, uint64_t stop, const mj_worths *worths, uint64_t *row);

/* How often each fan counts in some rows of a batch: as many numbers for each of the n rows as the program has
 * fans, zeros for a hand that does not win. */
mj_status mj_count_batch(const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                         const uint64_t *rows, uint64_t n, int32_t *counts, uint64_t *row);


/* Kinds that complete each hand of hand_size tiles, as mj_waits.  `states` and `near` may be NULL. */
mj_status mj_waits_batch(const mj_tables *tables, const mj_program *program, const mj_states *states,
                         const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                         uint64_t *kinds, uint64_t *row);

/* What each of those kinds makes the hand worth, won by discard, or where only an own draw may win,
 * by that: rows of batch->kinds numbers, -1 where the kind does not complete the hand, may not win
 * or does not count as a wait.  `folds` may be NULL, or must be those for waits of the program. */
mj_status mj_values_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                          const mj_batch *batch, uint64_t start, uint64_t stop,
                          const uint64_t *kinds, int64_t *points, uint64_t *row);

/* mj_shanten of each hand, states and near as above; 127 where no shape goes with the melds. */
mj_status mj_shanten_batch(const mj_tables *tables, const mj_program *program, const mj_states *states,
                           const mj_near *near, const mj_batch *batch, uint64_t start, uint64_t stop,
                           int8_t *shanten, uint64_t *row);

/* ---- one hand as text ------------------------------------------------------------------- */

/* A fan that counts. */
typedef struct mj_counted {
    int64_t value;        /* what one is worth */
    int32_t count;
    uint32_t fan;
} mj_counted;

/* What is mostly read of a result: the reading, of which there are many, and behind it what many hands have in
 * common.  A hand that does not win has no fans here. */
typedef struct mj_summary {
    mj_reading reading;
    int64_t money;
    int64_t totals[4];
    uint8_t win;
    uint8_t complete;
    uint8_t n_counted;
    uint8_t spare[5];     /* 0 */
    mj_counted counted[64]; /* in the order of the fans; no more than n_counted of them are written */
} mj_summary;

/* mj_score of a closed hand in the compact notation (`123m55p`), which holds no more of a kind than the tile
 * set.  `facts` are 32 numbers as in mj_hand.  How many bytes of the summary are written; 0 where it is no
 * such hand. */
uint32_t mj_score_text(const mj_tables *tables, const mj_program *program, const char *text, uint32_t length,
                       uint8_t win_tile, uint8_t void_suit, uint8_t claimed, const int32_t *facts,
                       mj_summary *summary);

/* What one payer pays for it, won without flags: 0 where it does not win, and below any amount where it is
 * no hand or is not looked up. */
int64_t mj_points_of_text(const mj_folds *folds, const char *text, uint32_t length, uint8_t win_tile, uint8_t by);

/* ---- every hand there is ---------------------------------------------------------- */

typedef struct mj_counts {
    uint64_t suit_vectors;          /* one suit, at most fourteen tiles */
    uint64_t suit_complete;         /* of these: melds, with or without a pair */
    uint64_t standard;              /* 14 tiles, four melds and a pair, at most two of m p s */
    uint64_t seven_pairs;           /* 14 tiles, seven pairs, at most two of m p s */
    uint64_t closed;                /* either of the two */
    uint64_t merged_kongs;          /* standard, with 0 to 4 exposed pungs and kongs, kinds of kong merged */
    uint64_t standard_all_kinds;    /* 14 tiles of 34 kinds, four melds and a pair */
} mj_counts;

/* Counts by enumeration from the tables, not by formula. */
mj_status mj_count_hands(const mj_tables *tables, mj_counts *counts);

/* Writes the closed hands of mj_counts.closed, each once, in a fixed order: from number `first`
 * on, at most `capacity` of them, as rows of 27 copies.  *n is how many were written. */
mj_status mj_closed_hands(const mj_tables *tables, uint64_t first, uint32_t capacity,
                          uint8_t *rows, uint32_t *n);

/* ---- a hand being played ---------------------------------------------------------------- */

/* A move is a number: a verb's first number plus a kind of tile, a suit or a value. */
typedef enum mj_move {
    MJ_M_DISCARD = 0,          /* + kind */
    MJ_M_CONCEALED_KONG = 34,  /* + kind */
    MJ_M_ADDED_KONG = 68,      /* + kind */
    MJ_M_WIN = 102,
    MJ_M_PASS = 103,
    MJ_M_PUNG = 104,
    MJ_M_DIRECT_KONG = 105,
    MJ_M_CHOW = 106,           /* + 0 1 2: the claimed tile is the lowest, middle, highest of the run */
    MJ_M_SWAP = 109,           /* + kind */
    MJ_M_VOID = 143,           /* + suit */
    MJ_M_DECLARE = 146,        /* + number of the value, below 64 */
    MJ_M_DRAW = 210,           /* + kind */
    MJ_MOVES = 244,
    MJ_MOVE_WORDS = 4          /* a set of moves is so many words of 64 bits */
} mj_move;

enum {
    MJ_MAX_STEPS = 8,          /* of the opening */
    MJ_MAX_VALUES = 64,        /* of a stance that is declared */
    MJ_MAX_TILE_CLASSES = 128,
    MJ_MAX_PLACES = 256,       /* sets, and as many numbers, of one piece of code */
    MJ_MAX_WALL = 136,
    MJ_MAX_LOG = 1024          /* moves of a hand that are kept */
};

/* What the rule file speaks of with 许 禁 必. */
typedef enum mj_act {
    MJ_A_DISCARD = 0, MJ_A_PASS, MJ_A_CHOW, MJ_A_PUNG, MJ_A_DIRECT_KONG, MJ_A_CONCEALED_KONG,
    MJ_A_ADDED_KONG, MJ_A_SELF_DRAW, MJ_A_DISCARD_WIN, MJ_A_ROB, MJ_ACTS
} mj_act;

typedef enum mj_phase {
    MJ_P_SWAP = 0, MJ_P_VOID, MJ_P_DECLARE, MJ_P_DRAW, MJ_P_TURN, MJ_P_CLAIM, MJ_P_OVER
} mj_phase;

/* Words of the table as a seat sees it.  Truths first. */
typedef enum mj_table_word {
    MJ_T_SELF_DRAW = 0, MJ_T_DISCARD_WIN, MJ_T_ROBBED_KONG, MJ_T_AFTER_KONG, MJ_T_KONG_CHAIN,
    MJ_T_LAST_TILE, MJ_T_FIRST_TURN, MJ_T_AT_ONCE,
    MJ_T_JUST_PONGED, MJ_T_PASSED_PUNG, MJ_T_PASSED_WIN, MJ_T_CHANGES_WAITS, MJ_T_ALL_VOID,
    MJ_T_WINNER, MJ_T_DISCARDER, MJ_T_KONGER, MJ_T_FEEDER, MJ_T_NEAREST, MJ_T_FIRST_WINNER,
    MJ_T_FIRST_DISCARDER, MJ_T_DEALER, MJ_T_PREV_SEAT, MJ_T_ACROSS_SEAT, MJ_T_NEXT_SEAT,
    MJ_T_UNWON, MJ_T_WON, MJ_T_IN_PLAY, MJ_T_CLOSED, MJ_T_NOBODY,
    MJ_T_RECEIVER, MJ_T_PAYER,
    MJ_T_TRUTHS,
    MJ_T_WALL_LEFT = MJ_T_TRUTHS, MJ_T_PASSED_FAN, MJ_T_PASSED_MONEY,
    MJ_T_SUIT_COUNT, MJ_T_CONCEALED, MJ_T_EXPOSED, MJ_T_KONGS, MJ_T_VOID_COUNT, MJ_T_ROOTS,
    MJ_T_FAN, MJ_T_TIMES, MJ_T_POINT, MJ_T_BASE, MJ_T_OWN_WIN, MJ_T_OWN_WIN_ALL, MJ_T_KONG_KIND,
    MJ_T_ZERO,
    MJ_TABLE_WORDS
} mj_table_word;

/* Instructions about the table.  A truth is a set of kinds: those for which it holds when they are the
 * tile that a move is about.  A seat is told as how many places it comes after the own one. */
typedef enum mj_ask {
    MJ_Q_NUMBER = 0,   /* number dst: constant a */
    MJ_Q_TRUTH,        /* set dst: every kind where a is 1, none where it is 0 */
    MJ_Q_WORD,         /* set dst: word a of seat b */
    MJ_Q_WORD_OF,      /* set dst: word a of any seat that has the role c, seen from seat b */
    MJ_Q_VALUE,        /* number dst: word a of seat b */
    MJ_Q_VALUE_OF,     /* number dst: the largest of word a among the seats that have the role c */
    MJ_Q_STANCE,       /* number dst: stance a of seat b */
    MJ_Q_STANCE_OF,    /* number dst: stance a of the first seat that has the role c, else of seat b */
    MJ_Q_THIS_IN,      /* set dst: the kinds of class a */
    MJ_Q_WIN_IN,       /* set dst: every kind where the winning tile is of class a */
    MJ_Q_FROM,         /* set dst: the tile comes from a seat of a: bit 0 next, 1 across, 2 the one before */
    MJ_Q_KONG_KIND,    /* set dst: the kong is of a kind of a: bit 1 direct, 2 added, 3 concealed */
    MJ_Q_SOME,         /* set dst: some tile of the hand is of class a */
    MJ_Q_ALL,          /* set dst: there are tiles, and all are */
    MJ_Q_TILES,        /* number dst: how many tiles are of class a */
    MJ_Q_KINDS,        /* number dst: how many kinds are */
    MJ_Q_SUITS,        /* number dst: how many suits are held, of those in a (bit 0 m 1 p 2 s) */
    MJ_Q_SEATS,        /* number dst: for how many seats word a holds */
    MJ_Q_COPIES,       /* number dst: kinds whose copies (a 0; 1: of those not konged) compare by b
                          (0 = 1 != 2 < 3 <= 4 > 5 >=) with number c */
    MJ_Q_ADD, MJ_Q_SUB, MJ_Q_MUL, MJ_Q_POW, MJ_Q_MIN, MJ_Q_MAX, /* number dst: of numbers a b */
    MJ_Q_EQ, MJ_Q_NE, MJ_Q_LT, MJ_Q_LE,                         /* set dst: of numbers a b */
    MJ_Q_AND, MJ_Q_OR, MJ_Q_NOT,                                /* set dst: of sets a b */
    MJ_Q_SELECT,       /* number dst: b where set a is not empty, else c */
    MJ_Q_SELECT_SET,   /* set dst: of b those in a, of c the others */
    MJ_Q_ONE,          /* number dst: 1 where set a is not empty, else 0 */
    MJ_ASKS
} mj_ask;

typedef struct mj_class {
    uint64_t kinds;
    uint8_t with_void;    /* and the tiles of the own void suit */
    uint8_t with_drawn;   /* and the kind that was just drawn */
} mj_class;

/* A piece of code with the set (or numbers) that it works out. */
typedef struct mj_question {
    uint32_t code, n_code;
    uint16_t set;         /* or MJ_NO_REGISTER */
} mj_question;

typedef struct mj_book_spec {
    uint8_t players;
    uint8_t swap;              /* 0 none, 1 of one suit, 2 any three */
    uint8_t replaces_front;    /* the tile after a kong comes from the front of the wall */
    uint8_t nearest_wins;
    uint8_t after_discarder;   /* who draws after a win on another's tile */
    uint8_t winners_stay;
    uint8_t first_win_ends;
    uint8_t horses;
    uint8_t over_asks_wall;    /* `hand_over` may hold because of how many tiles are left */
    uint8_t n_steps;
    uint8_t steps[8];          /* 0 swap, 1 void, 2 + slot of a stance */
    uint8_t n_values[8];       /* of the stance in each slot */
    int32_t values[8][64];
    int32_t defaults[8];
    uint8_t n_stances;
    uint8_t n_directions;
    uint8_t directions[3];     /* steps that swapped tiles go: 1 next, 2 across, 3 before */
    uint8_t ranks[4];          /* of win, direct kong, pung, chow; lower comes first */
    uint16_t n_facts;          /* of the scoring program, and of the static one */
    uint16_t n_static_facts;
    uint16_t facts[32];        /* numbers that the code of `scoring` works out */
    uint16_t static_facts[32];
    mj_question may[10];       /* by mj_act: where it may be done; without set: nowhere */
    mj_question must[10];
    mj_question scoring;
    mj_question static_scoring;
    mj_question hand_over;
    mj_question pig;
    const mj_class *classes;    uint32_t n_classes;
    const int64_t *constants;   uint32_t n_constants;
    const mj_op *code;          uint32_t n_code;
} mj_book_spec;

typedef struct mj_place {
    uint64_t held[4];                 /* kinds with 1 2 3 4 concealed copies or more */
    uint64_t melded;                  /* kinds in melds */
    uint64_t fresh;                   /* kinds drawn in this turn */
    uint64_t passed_pungs;
    uint64_t waits;                   /* kinds that complete the hand that waits, once known */
    int64_t passed_fan;
    int64_t passed_money;
    int64_t asked_fan;                /* of the win that was found for it last: 番数, 胡分, fans */
    int64_t asked_money;
    uint64_t asked_fans;
    int32_t stances[8];
    uint32_t index[4];                /* the concealed tiles of each suit in base 5, */
    uint8_t rows[4];                  /* by that what the suit lacks, as a number that is the kernel's own, */
    uint8_t twins;                    /* and how many twos alike there are */
    uint8_t tiles[34];
    mj_group melds[4];
    uint8_t n_melds;
    uint8_t void_suit;
    uint8_t drawn;
    uint8_t draws;
    uint8_t n_discards;
    uint8_t all_void;                 /* every discard was of the void suit */
    uint8_t just_ponged;
    uint8_t n_given;
    uint8_t given[3];
    uint8_t waits_known;
    uint8_t kong_kind;                /* of the latest kong: 1 2 3, or 0 */
    uint8_t kong_feeder;              /* or MJ_NONE */
    uint8_t answer;                   /* to a tile: a move */
    uint8_t asked_tile;               /* the winning tile of that win */
} mj_place;

/* A hand under way: plain data, copied by assignment; so a copy undoes what comes after it. */
typedef struct mj_table {
    mj_place seats[4];
    uint64_t asked[4][2];             /* what each seat may answer: moves from 64 on */
    uint8_t shown[34];                /* copies on the table */
    uint8_t wall[136];
    uint8_t front, back;              /* what is left of it: from front up to back */
    uint8_t dealer, direction;
    uint8_t phase, step, actor, chain;
    uint8_t waiting;                  /* set of seats that have to answer */
    uint8_t had;                      /* set of seats that were asked */
    uint8_t won;
    uint8_t first_winners, first_discarders;
    uint8_t has_won;
    uint8_t claimed_any;
    uint8_t source, tile, robbing;    /* what may be claimed; source MJ_NONE: nothing */
    uint8_t n_horses;
    uint8_t horses[4];
    uint8_t is_drawn;
    uint8_t states[4];
    int64_t best_call[4], least_call[4];
    uint64_t fans;                    /* that counted in some win */
    uint32_t n_events;
    uint32_t n_log;
    mj_event events[255];
    uint16_t log[1024];               /* seat << 8 | move */
} mj_table;

typedef struct mj_book mj_book;
typedef struct mj_distances mj_distances;

/* How far suits are from melds and a pair: a few megabytes, made in a tenth of a second. */
mj_status mj_distances_new(const mj_tables *tables, mj_distances **out);
void mj_distances_free(mj_distances *distances);

/* Verifies and copies; the programs, flows and distances stay the caller's and must outlive the book. */
mj_status mj_book_new(const mj_book_spec *spec, const mj_tables *tables, const mj_distances *distances,
                      const mj_program *program, const mj_program *static_program,
                      const mj_flows *flows, mj_book **out, uint32_t *where);
void mj_book_free(mj_book *book);

/* A hand dealt from a whole wall (n tiles, the whole set).  `direction` is 1 2 3. */
mj_status mj_table_deal(const mj_book *book, const uint8_t *wall, uint32_t n, uint32_t dealer,
                        uint32_t direction, mj_table *table);

/* Legal moves of an awaited seat, MJ_MOVE_WORDS words; none for who is not awaited. */
mj_status mj_table_legal(const mj_book *book, const mj_table *table, uint32_t seat, uint64_t *moves);

/* Makes a move: MJ_BAD_ARGUMENT where it is not legal, and then nothing has changed. */
mj_status mj_table_apply(const mj_book *book, mj_table *table, uint32_t seat, uint32_t move);

/* Settles a hand that is over. */
mj_status mj_table_settle(const mj_book *book, const mj_table *table, mj_posting *postings,
                          uint32_t capacity, mj_settlement *out);

typedef enum mj_policy { MJ_RANDOM = 0, MJ_GREEDY, MJ_POLICIES } mj_policy;

/* What hands came to, one row a hand. */
typedef struct mj_played {
    int64_t deltas[4];
    uint64_t fans;            /* that counted in some win */
    uint16_t n_moves;
    uint8_t dealer;
    uint8_t next_dealer;      /* or MJ_NONE */
    uint8_t wins[4];          /* by seat */
    uint8_t self_draws;
    uint8_t kongs;
    uint8_t is_drawn;
    uint8_t first_winners;    /* set */
    uint8_t won;              /* set */
    uint8_t left;             /* tiles in the wall at the end */
    uint8_t spare[2];
} mj_played;

/* Tables by which wins and waits are valued at a table: folds of the book's program and of its static program
 * (that for waits), and the facts for which they were made.  Each may be NULL: then hands are judged one by one. */
typedef struct mj_known {
    const mj_folds *folds;
    const int32_t *facts;
    const mj_folds *wait_folds;
    const int32_t *wait_facts;
} mj_known;

/* Plays n hands; hand i has the seed `seed` + i, which gives its wall, dealer and direction under any
 * rules with the same tiles and players.  Where `finished` is not NULL, it holds n finished tables.  `known` may
 * be NULL. */
mj_status mj_simulate(const mj_book *book, const mj_known *known, mj_policy policy, uint64_t seed, uint64_t n,
                      mj_played *played, mj_table *finished, mj_posting *postings, uint32_t capacity);

/* ---- every hand there is, as classes ------------------------------------------------ */

/* The space of hands: a concealed part of any shape, beside it any set of melds of the allowed types, and
 * optionally a void suit.  The winning tile is not told, so what a program may not ask is how it came in.
 * Hands that no program of a space can tell apart, nor the facts of a win that go with their melds, are one
 * class.  A class has an exact count, a smallest hand and a print.
 *
 * Smallest: fewest melds, then fewest kinds of tiles, then, suit by suit from m to z, the lowest: more
 * copies of the lowest concealed rank in which two hands differ, then the lower meld (by tile, then in the
 * order chow, pung, direct, added, concealed kong; any before none).  Classes come by their smallest hands.
 *
 * Print: the sum over the hands of a class of the product of a number for each suit, modulo 2^61 - 1, for
 * two families of numbers that depend on tiles and melds alone.  Two sets of hands with the same prints are
 * the same set but for a chance of about one in 2^120; prints of disjoint sets add up. */
enum {
    MJ_MAX_SIDES = 2,
    MJ_MELD_KEYS = 32,
    MJ_KEY_MELDS = 1,         /* what of the melds decides which facts of a win may go with them: any at all; */
    MJ_KEY_DIRECT = 2,        /* kongs of each kind; */
    MJ_KEY_ADDED = 4,
    MJ_KEY_CONCEALED = 8,
    MJ_KEY_TWO_KONGS = 16     /* two kongs or more */
};

/* A rule set in a space: its program and the contexts that a hand may be won in. */
typedef struct mj_side {
    const mj_program *program;
    const int32_t *facts;     /* by context, 32 numbers each: as in mj_hand */
} mj_side;

typedef struct mj_space_spec {
    mj_side sides[2];
    uint32_t n_sides;
    uint32_t n_contexts;
    const uint8_t *legal;     /* by context, MJ_MELD_KEYS truths: whether a hand with such melds is won so */
    uint32_t meld_types;      /* bits of mj_group_type: which are declared */
    uint32_t voids;           /* 1: also hands that have a void suit, where a program asks for it */
    uint32_t prints;          /* 1: classes are to have prints; else these are 0 */
} mj_space_spec;

typedef struct mj_space mj_space;

typedef struct mj_space_info {
    uint32_t reason;          /* mj_fold_reason of the first side that is not folded */
    uint32_t sees_win;        /* 1: a side asks how the winning tile came in; then there is no space */
    uint32_t n_items;         /* suits with their melds */
    uint32_t n_atoms;         /* of the first side */
    uint32_t n_suit_classes;  /* of the first suit */
    uint32_t n_classes;
    uint32_t n_verdicts[2];   /* distinct ones, by side */
} mj_space_info;

/* What hands of a class are worth in a context. */
typedef struct mj_proof {
    int64_t points;
    int64_t totals[4];
    uint64_t fans;            /* that count */
    uint64_t found;           /* that are there, before choice and absorption */
    uint64_t probes[4];       /* as in mj_result; and `ever` */
    uint64_t ever[4];
    uint32_t win;
    uint32_t tied;            /* as in mj_result */
} mj_proof;

/* One class.  Its smallest hand in the form of a batch: copies of 34 kinds, a word of melds, a void suit. */
typedef struct mj_hand_class {
    uint64_t count;
    uint64_t prints[2];
    uint32_t melds;
    uint8_t void_suit;
    uint8_t key;              /* MJ_KEY_… */
    uint8_t copies[34];
} mj_hand_class;

/* Verdicts by class and context, as numbers into the side's list; number 0 is that of a win that cannot be. */
mj_status mj_space_new(const mj_tables *tables, const mj_states *states, const mj_space_spec *spec,
                       mj_space **out, mj_space_info *info);
void mj_space_free(mj_space *space);
mj_status mj_space_classes(const mj_space *space, mj_hand_class *classes, uint32_t capacity);
mj_status mj_space_verdicts(const mj_space *space, uint32_t side, mj_proof *proofs, uint32_t n_proofs,
                            uint32_t *numbers, uint64_t n_numbers);

/* Every complete hand of melds and a pair or of pairs, one by one in a fixed order that is not that of the
 * classes: `first` are passed over, at most `capacity` are written as packed words and words of melds (the
 * honours' words are not written for a tile set without them).  `suits` is how many of m p s a hand may
 * have at most.  *n is how many were written, *total how many there are. */
typedef struct mj_parts mj_parts;
mj_status mj_parts_new(const mj_tables *tables, const mj_states *states, const mj_program *program,
                       uint32_t meld_types, mj_parts **out);
void mj_parts_free(mj_parts *parts);
mj_status mj_parts_hands(const mj_parts *parts, uint32_t suits, uint64_t first, uint32_t capacity,
                         uint64_t *words, uint64_t *honours, uint32_t *melds, uint32_t *n, uint64_t *total);

#endif
