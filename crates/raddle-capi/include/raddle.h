/* The interface of raddle for C. Made of its source by cbindgen: a test compares the two, and
   `cargo xtask bless -p raddle-capi` writes it anew.

   A handle is made by a function with `new` in its name, and is freed by `raddle_free`. One thread at a time uses a
   handle; a handle may go from one thread to another. Arguments are copied. Nothing that raddle allocates is left to
   the caller, but handles. Numbers of kinds and rules are those of the enums here. A status below 0 is an error, and
   `raddle_last_error` has its text. */

#ifndef RADDLE_H
#define RADDLE_H

#include <stddef.h>
#include <stdint.h>

#define RADDLE_VERSION "0.1.0"

// The answer of a call: 0 is done, above 0 is a result that is no error, below 0 is an error. A call that
// answers an error has changed nothing, unless its documentation says otherwise.
enum RaddleStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Done.
    RADDLE_STATUS_OK = 0,
    // No error: there is no room, or no such run, and nothing has changed.
    RADDLE_STATUS_REFUSED = 1,
    // No error: there is nothing to tell now.
    RADDLE_STATUS_EMPTY = 2,
    // A pointer or a handle is null that must not be.
    RADDLE_STATUS_NULL = -1,
    // The handle names nothing: it was freed, or never was one, or is of another kind.
    RADDLE_STATUS_HANDLE = -2,
    // A call on this handle is under way in another thread, or in this call itself.
    RADDLE_STATUS_BUSY = -3,
    // A text is not UTF-8.
    RADDLE_STATUS_UTF8 = -4,
    // An argument is outside its range, or a pointer is misaligned.
    RADDLE_STATUS_ARGUMENT = -5,
    // A buffer is too small; where the call has a count, it says how many elements are needed.
    RADDLE_STATUS_ROOM = -6,
    // The arguments contradict each other, or earlier calls, or a recipe cannot be read: the text says how.
    RADDLE_STATUS_INVALID = -7,
    // A fault of raddle: please report its text. The handles of the call can only be freed.
    RADDLE_STATUS_FAULT = -8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum RaddleStatus RaddleStatus;
#else
typedef int32_t RaddleStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The choice among the free runs that are long enough; the lowest blocks of the chosen one are taken.
typedef enum RaddleFit {
    // The lowest one.
    RADDLE_FIT_FIRST = 0,
    // The shortest one, ties to the lowest.
    RADDLE_FIT_BEST = 1,
    // The longest one, ties to the lowest.
    RADDLE_FIT_WORST = 2,
} RaddleFit;

// A resource of a compute unit that can lack.
typedef enum RaddleResource {
    // Wave slots.
    RADDLE_RESOURCE_WAVES = 0,
    // Vector registers.
    RADDLE_RESOURCE_VGPR = 1,
    // Scalar registers.
    RADDLE_RESOURCE_SGPR = 2,
    // Shared memory.
    RADDLE_RESOURCE_LDS = 3,
    // Hardware barriers.
    RADDLE_RESOURCE_BARRIERS = 4,
    // Workgroup slots.
    RADDLE_RESOURCE_WORKGROUPS = 5,
    // Workgroups of the grid: an empty grid lacks one.
    RADDLE_RESOURCE_GRID = 6,
    // A compute unit that the policy lets this process use.
    RADDLE_RESOURCE_CUS = 7,
    // One that this version does not know.
    RADDLE_RESOURCE_OTHER = 255,
} RaddleResource;

// The compute units of a device with every granule that is taken, and by whom.
typedef struct RaddleAllocator RaddleAllocator;

// A map of equal blocks, each free or taken. Blocks count from 0.
typedef struct RaddleFreeMap RaddleFreeMap;

// A way to find out how long a free run a map holds, as one of the circuits answers.
typedef struct RaddleSearch RaddleSearch;

// How much of a map is free.
typedef struct RaddleFreeBlocks {
    // All blocks.
    uint32_t blocks;
    // Free blocks.
    uint32_t free;
    // Blocks of the longest free run.
    uint32_t longest;
} RaddleFreeBlocks;

// The resources of one empty compute unit, in the granules in which they are allocated.
typedef struct RaddleCuShape {
    // SIMDs (SM sub-partitions), 1 to 8.
    uint8_t simds;
    // Wave slots of one SIMD, 1 or more.
    uint16_t waves_per_simd;
    // Vector-register granules of one SIMD.
    uint16_t vgpr_per_simd;
    // Scalar-register granules; 65535 if they never limit.
    uint16_t sgpr;
    // Shared-memory (LDS) granules.
    uint32_t lds;
    // Workgroup slots, 1 or more.
    uint16_t workgroups;
    // Hardware barriers.
    uint16_t barriers;
} RaddleCuShape;

// The resources that one workgroup takes, in granules. All its waves are equal.
typedef struct RaddleDemand {
    // Waves of the workgroup, 1 or more.
    uint16_t waves;
    // Vector-register granules of one wave.
    uint16_t vgpr;
    // Scalar-register granules of one wave.
    uint16_t sgpr;
    // LDS granules of the workgroup.
    uint32_t lds;
    // Barriers of the workgroup.
    uint16_t barriers;
} RaddleDemand;

// A workgroup that was placed, or why it was not.
typedef struct RaddlePlacement {
    // Where it was refused, the resource that lacks, one of `RaddleResource`; else 0.
    uint32_t lacks;
    // The SIMD with which a rotation goes on, also where it was refused.
    uint8_t rotation;
} RaddlePlacement;

// The address of one wave on its compute unit: start positions in granules. All waves of a workgroup share one
// start in LDS.
typedef struct RaddlePlace {
    // The SIMD of the compute unit.
    uint8_t simd;
    // First vector-register granule, counted within the SIMD.
    uint16_t vgpr;
    // First scalar-register granule, counted within the compute unit.
    uint16_t sgpr;
    // First LDS granule, counted within the compute unit.
    uint32_t lds;
} RaddlePlace;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The text of the last error in this thread; empty before the first one. It stands until the next error in this
// thread, or the end of the thread. Answers that are no errors do not change it.
const char *raddle_last_error(void);

// A few words on what a status means, for every number. The text stands for ever.
const char *raddle_status_text(int32_t status);

// The version of the library, as "0.1.0". Below 1.0.0, functions and structs may change with the second number:
// compare it with that of the header, `RADDLE_VERSION`. The text stands for ever.
const char *raddle_version(void);

// Frees the object of a handle, of any kind. The handle names nothing afterwards, for ever. Null is no error,
// and does nothing.
RaddleStatus raddle_free(void *handle);

// Makes a map of 1 or more blocks, all free.
RaddleStatus raddle_free_map_new(uint32_t blocks, struct RaddleFreeMap **map);

// Makes a map from words: bit `i % 64` of word `i / 64` is block `i`, 1 is free, and bits past the last block are 0.
// There are `blocks / 64` words, rounded up.
RaddleStatus raddle_free_map_from_words(const uint64_t *words,
                                        size_t count,
                                        uint32_t blocks,
                                        struct RaddleFreeMap **map);

// Writes the map as words, as `raddle_free_map_from_words` reads them, and their number to `count`.
RaddleStatus raddle_free_map_words(const struct RaddleFreeMap *map,
                                   uint64_t *words,
                                   size_t capacity,
                                   size_t *count);

// Counts the blocks of a map.
RaddleStatus raddle_free_map_count(const struct RaddleFreeMap *map, struct RaddleFreeBlocks *free);

// Finds a free run of `want` blocks by one of `RaddleFit`, and takes nothing. A run of 0 blocks starts at 0.
// Answers `Refused` where there is none.
RaddleStatus raddle_free_map_find(const struct RaddleFreeMap *map,
                                  uint32_t fit,
                                  uint32_t want,
                                  uint32_t *start);

// Finds a free run as `raddle_free_map_find` does, and takes it.
RaddleStatus raddle_free_map_allocate(struct RaddleFreeMap *map,
                                      uint32_t fit,
                                      uint32_t want,
                                      uint32_t *start);

// Takes exactly these blocks. `Refused` where one of them is taken; an error where they lie past the end.
RaddleStatus raddle_free_map_take(struct RaddleFreeMap *map, uint32_t start, uint32_t len);

// Gives back `len` blocks from `start`, which need not have been taken in one piece.
RaddleStatus raddle_free_map_release(struct RaddleFreeMap *map, uint32_t start, uint32_t len);

// Adds free blocks behind the last one.
RaddleStatus raddle_free_map_grow(struct RaddleFreeMap *map, uint32_t by);

// Makes the search that reports the longest run exactly, for maps of every size.
RaddleStatus raddle_search_full(struct RaddleSearch **search);

// Makes the search that cuts a map of `blocks` blocks into so many equal groups, and reports a multiple of the size of
// a group: a lower bound.
RaddleStatus raddle_search_grouped(uint32_t blocks,
                                   uint32_t groups,
                                   struct RaddleSearch **search);

// Makes the search that looks for runs of k + 1 blocks for each k of a list, in maps of `blocks` blocks, and reports
// the longest of them: a lower bound. The list rises, and stays below `blocks`.
RaddleStatus raddle_search_sampled(uint32_t blocks,
                                   const uint32_t *k,
                                   size_t count,
                                   struct RaddleSearch **search);

// Reports how long a free run a map holds, in blocks. An error where the search is for maps of another size.
RaddleStatus raddle_search_longest(const struct RaddleSearch *search,
                                   const struct RaddleFreeMap *map,
                                   uint32_t *longest);

// Makes an allocator of `cus` empty compute units, 1 or more, of one shape.
RaddleStatus raddle_allocator_new(const struct RaddleCuShape *shape,
                                  uint16_t cus,
                                  struct RaddleAllocator **allocator);

// Places a workgroup on a compute unit and takes its places, one a wave, in the order of the waves.
//
// `simd` says who gets the first wave: -1 for the SIMD with room for most further ones; else the first that takes
// it, counted around from this one, and the next wave one further. `placement` and `places` may be null, the latter
// with a capacity of 0; otherwise there must be room for all waves, and `Room` has changed nothing. Answers
// `Refused` where the workgroup does not fit.
RaddleStatus raddle_allocator_allocate(struct RaddleAllocator *allocator,
                                       uint16_t cu,
                                       const struct RaddleDemand *demand,
                                       int32_t simd,
                                       uint32_t launch,
                                       uint64_t workgroup,
                                       struct RaddlePlacement *placement,
                                       struct RaddlePlace *places,
                                       size_t capacity);

// Gives back everything that a workgroup holds on a compute unit.
RaddleStatus raddle_allocator_release(struct RaddleAllocator *allocator,
                                      uint16_t cu,
                                      uint32_t launch,
                                      uint64_t workgroup);

// Gives back everything that a launch holds, and remembers where it lay.
RaddleStatus raddle_allocator_save(struct RaddleAllocator *allocator, uint32_t launch);

// Takes again exactly the places that a launch has saved. `displaced` is the number of workgroups that found a place
// of theirs taken: they lie nowhere, and their compute units take nothing new until they have been released.
RaddleStatus raddle_allocator_restore(struct RaddleAllocator *allocator,
                                      uint32_t launch,
                                      size_t *displaced);

// Counts the workgroups that lie on the device.
RaddleStatus raddle_allocator_count(const struct RaddleAllocator *allocator, size_t *workgroups);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RADDLE_H */
