/* Does every function answer as its documentation says? */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raddle.h"

#define IS(call, expected)                                                                         \
    do {                                                                                           \
        RaddleStatus got = (call);                                                                 \
        if (got != (expected)) {                                                                   \
            printf("line %d: %s is %d, not %d: %s\n", __LINE__, #call, got, (int)(expected),       \
                   raddle_last_error());                                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(call) IS(call, RADDLE_STATUS_OK)
#define HOLDS(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("line %d: %s does not hold: %s\n", __LINE__, #what, raddle_last_error());       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void statuses(void) {
    HOLDS(strcmp(raddle_version(), RADDLE_VERSION) == 0);
    HOLDS(strcmp(raddle_last_error(), "") == 0);
    HOLDS(strcmp(raddle_status_text(RADDLE_STATUS_OK), "done") == 0);
    HOLDS(strcmp(raddle_status_text(77), "no status of raddle") == 0);
    OK(raddle_free(NULL));
}

static void maps(void) {
    RaddleFreeMap *map, *other;
    uint32_t start;
    RaddleFreeBlocks free;
    IS(raddle_free_map_new(0, &map), RADDLE_STATUS_INVALID);
    IS(raddle_free_map_new(8, NULL), RADDLE_STATUS_NULL);
    OK(raddle_free_map_new(70, &map));
    OK(raddle_free_map_allocate(map, RADDLE_FIT_FIRST, 6, &start));
    HOLDS(start == 0);
    OK(raddle_free_map_take(map, 10, 2));
    IS(raddle_free_map_take(map, 11, 2), RADDLE_STATUS_REFUSED);
    IS(raddle_free_map_take(map, 69, 2), RADDLE_STATUS_INVALID);
    OK(raddle_free_map_find(map, RADDLE_FIT_BEST, 3, &start));
    HOLDS(start == 6);
    OK(raddle_free_map_find(map, RADDLE_FIT_WORST, 3, &start));
    HOLDS(start == 12);
    IS(raddle_free_map_find(map, RADDLE_FIT_FIRST, 59, &start), RADDLE_STATUS_REFUSED);
    IS(raddle_free_map_find(map, 3, 1, &start), RADDLE_STATUS_ARGUMENT);
    OK(raddle_free_map_count(map, &free));
    HOLDS(free.blocks == 70 && free.free == 62 && free.longest == 58);

    uint64_t words[2];
    size_t count = 0;
    IS(raddle_free_map_words(map, words, 1, &count), RADDLE_STATUS_ROOM);
    HOLDS(count == 2);
    OK(raddle_free_map_words(map, words, 2, &count));
    HOLDS(words[0] == ~(uint64_t)0xc3f && words[1] == 0x3f);
    OK(raddle_free_map_from_words(words, 2, 70, &other));
    IS(raddle_free_map_from_words(words, 2, 64, &other), RADDLE_STATUS_INVALID);
    IS(raddle_free_map_from_words(words, SIZE_MAX, 64, &other), RADDLE_STATUS_ARGUMENT);
    OK(raddle_free_map_count(other, &free));
    HOLDS(free.free == 62);
    OK(raddle_free_map_grow(other, 10));
    OK(raddle_free_map_release(other, 0, 6));
    IS(raddle_free_map_release(other, 0, 6), RADDLE_STATUS_INVALID);
    OK(raddle_free_map_count(other, &free));
    HOLDS(free.blocks == 80 && free.free == 78);

    RaddleSearch *full, *grouped, *sampled;
    const uint32_t k[] = {0, 3, 7, 31};
    uint32_t longest;
    OK(raddle_search_full(&full));
    OK(raddle_search_grouped(70, 7, &grouped));
    IS(raddle_search_grouped(70, 9, &sampled), RADDLE_STATUS_INVALID);
    OK(raddle_search_sampled(70, k, 4, &sampled));
    OK(raddle_search_longest(full, map, &longest));
    HOLDS(longest == 58);
    OK(raddle_search_longest(grouped, map, &longest));
    HOLDS(longest == 50);
    OK(raddle_search_longest(sampled, map, &longest));
    HOLDS(longest == 32);
    IS(raddle_search_longest(sampled, other, &longest), RADDLE_STATUS_INVALID);
    IS(raddle_search_longest((RaddleSearch *)map, other, &longest), RADDLE_STATUS_HANDLE);
    HOLDS(strstr(raddle_last_error(), "another kind"));
    OK(raddle_free(full));
    OK(raddle_free(grouped));
    OK(raddle_free(sampled));
    OK(raddle_free(other));
    OK(raddle_free(map));
    IS(raddle_free(map), RADDLE_STATUS_HANDLE);
    IS(raddle_free_map_count(map, &free), RADDLE_STATUS_HANDLE);
    HOLDS(strstr(raddle_last_error(), "freed"));
}

static const RaddleCuShape SHAPE = {.simds = 2,
                                    .waves_per_simd = 4,
                                    .vgpr_per_simd = 16,
                                    .sgpr = 32,
                                    .lds = 16,
                                    .workgroups = 8,
                                    .barriers = 8};

static void allocators(void) {
    RaddleAllocator *allocator;
    const RaddleDemand demand = {.waves = 2, .vgpr = 8, .sgpr = 4, .lds = 4, .barriers = 1};
    RaddlePlacement placement;
    RaddlePlace places[2];
    size_t number;
    OK(raddle_allocator_new(&SHAPE, 2, &allocator));
    OK(raddle_allocator_allocate(allocator, 0, &demand, -1, 7, 0, &placement, places, 2));
    HOLDS(places[0].simd == 0 && places[1].simd == 1 && places[1].sgpr == 4);
    IS(raddle_allocator_allocate(allocator, 0, &demand, -1, 7, 0, NULL, NULL, 0),
       RADDLE_STATUS_INVALID);
    IS(raddle_allocator_allocate(allocator, 0, &demand, -1, 7, 1, NULL, places, 1),
       RADDLE_STATUS_ROOM);
    OK(raddle_allocator_allocate(allocator, 0, &demand, 1, 7, 1, &placement, places, 2));
    HOLDS(places[0].simd == 1 && places[0].vgpr == 8 && placement.rotation == 1);
    IS(raddle_allocator_allocate(allocator, 0, &demand, -1, 7, 2, &placement, places, 2),
       RADDLE_STATUS_REFUSED);
    HOLDS(placement.lacks == RADDLE_RESOURCE_VGPR);
    IS(raddle_allocator_allocate(allocator, 2, &demand, -1, 7, 2, NULL, NULL, 0),
       RADDLE_STATUS_ARGUMENT);
    IS(raddle_allocator_allocate(allocator, 1, &demand, 2, 7, 2, NULL, NULL, 0),
       RADDLE_STATUS_ARGUMENT);
    OK(raddle_allocator_count(allocator, &number));
    HOLDS(number == 2);
    OK(raddle_allocator_save(allocator, 7));
    OK(raddle_allocator_count(allocator, &number));
    HOLDS(number == 0);
    OK(raddle_allocator_restore(allocator, 7, &number));
    HOLDS(number == 0);
    OK(raddle_allocator_release(allocator, 0, 7, 0));
    IS(raddle_allocator_release(allocator, 0, 7, 0), RADDLE_STATUS_INVALID);
    OK(raddle_free(allocator));
}

/* A handle goes from one thread to another; the text of an error stays in its thread. */
static void *elsewhere(void *map) {
    RaddleFreeBlocks free;
    HOLDS(strcmp(raddle_last_error(), "") == 0);
    OK(raddle_free_map_count(map, &free));
    IS(raddle_free_map_release(map, 0, 1), RADDLE_STATUS_INVALID);
    OK(raddle_free(map));
    return NULL;
}

static void threads(void) {
    RaddleFreeMap *map;
    pthread_t thread;
    OK(raddle_free_map_new(8, &map));
    IS(raddle_free_map_new(0, &map), RADDLE_STATUS_INVALID);
    char before[200];
    snprintf(before, sizeof before, "%s", raddle_last_error());
    HOLDS(pthread_create(&thread, NULL, elsewhere, map) == 0);
    HOLDS(pthread_join(thread, NULL) == 0);
    HOLDS(strcmp(before, raddle_last_error()) == 0);
    IS(raddle_free(map), RADDLE_STATUS_HANDLE);
}

int main(void) {
    statuses();
    maps();
    allocators();
    threads();
    puts("all as they should be");
    return 0;
}
