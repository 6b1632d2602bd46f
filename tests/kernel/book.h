/* What the kernel's tests share: checks, hands written as text, specs built by hand. */
#ifndef BOOK_H
#define BOOK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mj.h"

extern unsigned passed, failed;
extern const mj_tables *tables;

#define CHECK(condition) \
    do { \
        if (condition) { \
            passed++; \
        } else { \
            failed++; \
            printf("%s:%d: in %s: %s\n", __FILE__, __LINE__, __func__, #condition); \
        } \
    } while (0)

#define CHECK_TEXT(actual, expected) \
    do { \
        const char *text_ = (actual); \
        if (strcmp(text_, (expected)) == 0) { \
            passed++; \
        } else { \
            failed++; \
            printf("%s:%d: in %s:\n%sinstead of\n%s", __FILE__, __LINE__, __func__, text_, (expected)); \
        } \
    } while (0)

/* The same numbers in every run. */
uint32_t random_below(uint32_t n);

/* ---- hands ------------------------------------------------------------------- */

extern const char suit_letters[];
extern const uint64_t orphans;

unsigned kind_of(char rank, char suit);

/* A hand such as "123m55z"; the winning tile as "5z", or "" for none. */
mj_hand hand_of(const char *tiles, const char *win);
void add_meld(mj_hand *hand, mj_group_type type, const char *tile);
uint64_t kinds_of(const char *tiles);

/* ---- specs --------------------------------------------------------------------- */

enum { SHAPE, FAN, LATE, FINAL, CONSTANTS = 24 };

/* A spec under construction.  Constants are the numbers 0 to 23. */
typedef struct book {
    mj_spec spec;
    mj_shape shapes[8];
    mj_feature features[32];
    mj_alternative alternatives[8];
    int64_t constants[CONSTANTS];
    mj_op code[4][128];
    mj_fan fans[32];
    mj_absorption absorptions[8];
    mj_pick picks[8];
} book;

/* Four melds and a pair, seven pairs, thirteen orphans.  Unless told otherwise, the money
 * is the totals of 番 and 分 together. */
void start(book *b);
uint16_t number(unsigned n);
uint16_t op(book *b, unsigned stage, mj_opcode code, unsigned x, unsigned y, unsigned z);
uint16_t feature(book *b, unsigned stage, mj_feature f);
uint16_t once(book *b, unsigned stage, uint16_t truth);   /* a truth value as a count */
unsigned fan(book *b, uint16_t count, unsigned value, mj_unit unit, bool late);
void absorb(book *b, unsigned absorber, unsigned absorbed, unsigned count);
void pick(book *b, uint64_t fans);

mj_status make(book *b, mj_program **program, uint32_t *where);
mj_program *program_of(book *b);   /* of a spec that must be good */
mj_program *plain_program(void);
mj_result score(const mj_program *program, const mj_hand *hand);

/* ---- the tests ------------------------------------------------------------------- */

void test_scoring(void);
void test_hostile(void);
void test_settle(void);
void test_words(void);
void test_blocks(void);
void test_columns(void);
void test_hostile_settle(void);
void test_prove(void);

#endif
