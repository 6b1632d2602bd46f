/* Items of one size, each once, found again by hash. */
#include <stdlib.h>
#include <string.h>

#include "fold.h"

bool mj_pool_start(mj_pool *pool, uint32_t size)
{
    *pool = (mj_pool){.size = size, .capacity = 256, .mask = 1023};
    pool->items = malloc((size_t)pool->capacity * size);
    pool->slots = calloc(pool->mask + 1, sizeof *pool->slots);
    return pool->items != NULL && pool->slots != NULL;
}

void mj_pool_free(mj_pool *pool)
{
    free(pool->items);
    free(pool->slots);
    *pool = (mj_pool){0};
}

static uint32_t hash_of(const uint8_t *item, uint32_t size)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        if (size - i >= 8)
            memcpy(&word, item + i, 8);
        else
            memcpy(&word, item + i, size - i);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return (uint32_t)(hash ^ hash >> 29);
}

static bool grow(mj_pool *pool)
{
    uint8_t *items = realloc(pool->items, 2 * (size_t)pool->capacity * pool->size);
    if (items == NULL)
        return false;
    pool->items = items;
    const uint32_t mask = 2 * pool->mask + 1;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (slots == NULL)
        return false;
    free(pool->slots);
    pool->slots = slots;
    pool->mask = mask;
    pool->capacity *= 2;
    for (uint32_t i = 0; i < pool->n; i++) {
        uint32_t place = hash_of(mj_pool_get(pool, i), pool->size) & mask;
        while (slots[place] != 0)
            place = (place + 1) & mask;
        slots[place] = i + 1;
    }
    return true;
}

uint32_t mj_pool_put(mj_pool *pool, const void *item)
{
    uint32_t place = hash_of(item, pool->size) & pool->mask;
    for (; pool->slots[place] != 0; place = (place + 1) & pool->mask)
        if (memcmp(mj_pool_get(pool, pool->slots[place] - 1), item, pool->size) == 0)
            return pool->slots[place] - 1;
    if (pool->n == pool->capacity) {
        if (!grow(pool))
            return UINT32_MAX;
        return mj_pool_put(pool, item);
    }
    memcpy(pool->items + (size_t)pool->n * pool->size, item, pool->size);
    pool->slots[place] = ++pool->n;
    return pool->n - 1;
}
