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

// An action that the host carries out. Behind each stand the fields of `RaddleAction` that count; all others are 0.
typedef enum RaddleActionKind {
    // Take over a launch: `launch`, `packets`, `bytes`, `cost`, `cleanup`. No event reports it.
    RADDLE_ACTION_KIND_SUBMIT = 1,
    // Start workgroups, or waves of them: `launch`, `waves`, the pieces and the places. `WavesEnded` reports each.
    RADDLE_ACTION_KIND_START = 2,
    // Start a copy: `launch`. `CopyEnded` reports its end.
    RADDLE_ACTION_KIND_START_COPY = 3,
    // Bind a workgroup to a compute unit: `launch`, `workgroup`, `cu`.
    RADDLE_ACTION_KIND_ASSIGN = 4,
    // Take a launch off: `launch`, `how`. `TakenOff` reports it.
    RADDLE_ACTION_KIND_TAKE_OFF = 5,
    // Let a launch that was taken off continue: `launch`. `Restored` reports it.
    RADDLE_ACTION_KIND_RESTORE = 6,
    // Raise the flag of a process: `process`. `Raised` reports that launches see it.
    RADDLE_ACTION_KIND_RAISE = 7,
    // Reset the compute units of a process: `process`. `ResetOver` reports the end; each launch has its `TakeOff`.
    RADDLE_ACTION_KIND_RESET = 8,
    // The preemption of a process is complete: `process`, `how`, `ticks` since it lost the turn. Nothing is to do.
    RADDLE_ACTION_KIND_DRAINED = 9,
    // A launch will never run: `launch`, `cu`, `resource`, `wanted`, `available`. Work that waits for it may go on.
    RADDLE_ACTION_KIND_REFUSE = 10,
    // Send `Woke` at the tick `ticks`.
    RADDLE_ACTION_KIND_WAKE_AT = 11,
    // An action that this version does not know.
    RADDLE_ACTION_KIND_OTHER = 255,
} RaddleActionKind;

// The knowledge whether waves of a workgroup wait for each other.
typedef enum RaddleBarrier {
    // Unknown, so a barrier is assumed.
    RADDLE_BARRIER_ASSUMED = 0,
    // No wave waits for another one.
    RADDLE_BARRIER_NO = 1,
    // Waves wait for each other.
    RADDLE_BARRIER_YES = 2,
} RaddleBarrier;

// Something that happened outside of the dispatcher. Behind each stand the fields of `RaddleEvent` that count.
typedef enum RaddleEventKind {
    // A process appeared: `process`, `share` (1 or more).
    RADDLE_EVENT_KIND_PROCESS_JOINED = 1,
    // A process is gone: `process`.
    RADDLE_EVENT_KIND_PROCESS_LEFT = 2,
    // A launch was issued and waits for another one: `issued`. `LaunchReady` follows.
    RADDLE_EVENT_KIND_LAUNCH_ISSUED = 3,
    // A launch was issued and waits for nothing: `issued`.
    RADDLE_EVENT_KIND_LAUNCH_READY = 4,
    // A copy was issued: `launch`, `process`, `stream`, `level`, `lasts`.
    RADDLE_EVENT_KIND_COPY_ISSUED = 5,
    // A copy waits for nothing any more: `launch`.
    RADDLE_EVENT_KIND_COPY_READY = 6,
    // A copy has ended: `launch`.
    RADDLE_EVENT_KIND_COPY_ENDED = 7,
    // Workgroups, or waves of them, ended: `launch`, `waves`, `pieces`, `piece_count`.
    RADDLE_EVENT_KIND_WAVES_ENDED = 8,
    // A launch was taken off as asked: `launch`, `how`, `done`.
    RADDLE_EVENT_KIND_TAKEN_OFF = 9,
    // A launch that was taken off may continue: `launch`.
    RADDLE_EVENT_KIND_RESTORED = 10,
    // Every launch of the process that starts from now on sees its flag: `process`.
    RADDLE_EVENT_KIND_RAISED = 11,
    // The reset of a process is over: `process`.
    RADDLE_EVENT_KIND_RESET_OVER = 12,
    // A program gives a hint: `process`, `hint`, `value`, and `stream` if `of_stream` is not 0.
    RADDLE_EVENT_KIND_HINT = 13,
    // The tick of a `WakeAt` has come.
    RADDLE_EVENT_KIND_WOKE = 14,
} RaddleEventKind;

// The choice among the free runs that are long enough; the lowest blocks of the chosen one are taken.
typedef enum RaddleFit {
    // The lowest one.
    RADDLE_FIT_FIRST = 0,
    // The shortest one, ties to the lowest.
    RADDLE_FIT_BEST = 1,
    // The longest one, ties to the lowest.
    RADDLE_FIT_WORST = 2,
} RaddleFit;

// The kinds of hints; the value is in `value`.
typedef enum RaddleHint {
    // The urgency, a level.
    RADDLE_HINT_PRIORITY = 0,
    // Ticks in which the work should have ended.
    RADDLE_HINT_DEADLINE = 1,
    // Ticks for which the work may wait before it is urgent.
    RADDLE_HINT_LAXITY = 2,
    // The part of the device, in percent.
    RADDLE_HINT_UTILISATION = 3,
    // A number that a policy and its programs agree on.
    RADDLE_HINT_CUSTOM = 4,
} RaddleHint;

// The verdict whether a launch may be killed part-way and run again.
typedef enum RaddleIdempotence {
    // Unknown: treated as not.
    RADDLE_IDEMPOTENCE_UNKNOWN = 0,
    // Proven idempotent: it may be killed.
    RADDLE_IDEMPOTENCE_IDEMPOTENT = 1,
    // Known not to be.
    RADDLE_IDEMPOTENCE_NOT = 2,
} RaddleIdempotence;

// A way of taking work off a device.
typedef enum RaddlePreemption {
    // All submitted launches run to their end.
    RADDLE_PREEMPTION_WAIT = 0,
    // Launches that have not started go back to the buffer.
    RADDLE_PREEMPTION_FLAG = 1,
    // Resident workgroups finish, everything else is held.
    RADDLE_PREEMPTION_DRAIN = 2,
    // Resident workgroups are killed, and the launch starts again.
    RADDLE_PREEMPTION_RESET = 3,
    // Resident workgroups are saved, and later restored.
    RADDLE_PREEMPTION_SWITCH = 4,
} RaddlePreemption;

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

// The waves of each workgroup that are meant.
typedef enum RaddleWaveKind {
    // All of them; `first` and `count` do not count.
    RADDLE_WAVE_KIND_ALL = 0,
    // `count` waves from `first` on, of a workgroup that starts in parts on one compute unit.
    RADDLE_WAVE_KIND_RANGE = 1,
    // `count` waves from `first` on, of a workgroup that was cut: they act as one of their own.
    RADDLE_WAVE_KIND_CUT = 2,
} RaddleWaveKind;

// The compute units of a device with every granule that is taken, and by whom.
typedef struct RaddleAllocator RaddleAllocator;

// A dispatcher, which takes events and returns actions. Time is in ticks of the caller, and never goes down; the same
// events at the same ticks give the same actions.
typedef struct RaddleDispatcher RaddleDispatcher;

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

// The waves of each workgroup that start or end.
typedef struct RaddleWaves {
    // One of `RaddleWaveKind`.
    uint32_t kind;
    // The lowest wave.
    uint16_t first;
    // The number of waves.
    uint16_t count;
} RaddleWaves;

// One kernel launch: a number of equal workgroups. A field of 0 from `barrier` on means that nothing is known.
typedef struct RaddleLaunch {
    // The id of the launch, unique in the run.
    uint32_t id;
    // The stream of the process.
    uint32_t stream;
    // The process.
    uint16_t process;
    // The urgency: 0 is the most urgent, 255 is best effort.
    uint8_t level;
    // Workgroups of the grid, numbered from 0.
    uint64_t workgroups;
    // The resources that each workgroup takes.
    struct RaddleDemand demand;
    // One of `RaddleBarrier`.
    uint32_t barrier;
    // One of `RaddleIdempotence`.
    uint32_t idempotent;
    // The ticks that the launch is expected to take alone on the device.
    uint64_t estimate;
    // Instructions that one wave issues in 1,000 ticks: moves and arithmetic, loads, stores, matrix, compares, jumps.
    uint32_t activity[6];
    // The number of the kernel within its process, from 1.
    uint32_t kernel;
    // The grid, in workgroups along x, y and z; as all fields below, it counts only with a `kernel`.
    uint32_t grid[3];
    // Work-items of a workgroup.
    uint32_t threads;
    // LDS of a workgroup, in bytes.
    uint32_t lds_bytes;
    // 1 if a copy or a fill lies between the launch and the one before it in its stream.
    uint32_t behind_copy;
} RaddleLaunch;

// Workgroups `first`, `first + stride`, .. of one launch on one compute unit.
typedef struct RaddlePiece {
    // The lowest workgroup.
    uint64_t first;
    // The distance of neighbouring workgroups, 1 or more.
    uint32_t stride;
    // The number of workgroups, 1 or more.
    uint32_t count;
    // The compute unit.
    uint16_t cu;
} RaddlePiece;

// Something that happened outside of the dispatcher. Fields that the kind does not name are not read.
typedef struct RaddleEvent {
    // One of `RaddleEventKind`.
    uint32_t kind;
    // The id of a launch or of a copy.
    uint32_t launch;
    // The stream of the process.
    uint32_t stream;
    // The share of a process, 1 or more.
    uint32_t share;
    // The process.
    uint16_t process;
    // The level of a copy.
    uint8_t level;
    // Not 0 for a hint about one stream.
    uint8_t of_stream;
    // One of `RaddlePreemption`.
    uint32_t how;
    // The waves that ended.
    struct RaddleWaves waves;
    // The launch that was issued or is ready.
    const struct RaddleLaunch *issued;
    // The workgroups that ended.
    const struct RaddlePiece *pieces;
    // The number of pieces.
    size_t piece_count;
    // The ticks that a copy takes.
    uint64_t lasts;
    // The workgroups of a launch that have ended before it was taken off.
    uint64_t done;
    // One of `RaddleHint`.
    uint32_t hint;
    // The value of the hint.
    uint64_t value;
} RaddleEvent;

// An action that the host carries out.
typedef struct RaddleAction {
    // One of `RaddleActionKind`.
    uint32_t kind;
    // The id of a launch or of a copy.
    uint32_t launch;
    // The process.
    uint16_t process;
    // One of `RaddlePreemption`.
    uint32_t how;
    // The compute unit; -1 where a refusal concerns all of them.
    int32_t cu;
    // One of `RaddleResource`: the one that lacks.
    uint32_t resource;
    // The waves that start.
    struct RaddleWaves waves;
    // The first of `RaddleActions.pieces` that start.
    size_t first_piece;
    // The number of pieces that start.
    size_t piece_count;
    // The first of `RaddleActions.places`: one a wave, in the order of the pieces.
    size_t first_place;
    // The number of places; 0 where the policy keeps no addresses.
    size_t place_count;
    // The workgroup that is bound.
    uint64_t workgroup;
    // Packets written to the queue of the device.
    uint32_t packets;
    // Bytes written to the queue.
    uint64_t bytes;
    // Ticks until the device can start the launch.
    uint64_t cost;
    // Ticks from the end of the launch until its end is known.
    uint64_t cleanup;
    // A span of ticks, or a tick.
    uint64_t ticks;
    // The amount that one workgroup needs, in granules.
    uint64_t wanted;
    // The amount that is there.
    uint64_t available;
} RaddleAction;

// The actions of one decision, in the order in which they are carried out. The lists belong to the dispatcher, and
// stand until its next decision, or until it is freed.
typedef struct RaddleActions {
    // The actions.
    const struct RaddleAction *list;
    // The number of actions.
    size_t count;
    // Pieces, which actions refer to.
    const struct RaddlePiece *pieces;
    // The number of pieces.
    size_t piece_count;
    // Places, which actions refer to.
    const struct RaddlePlace *places;
    // The number of places.
    size_t place_count;
} RaddleActions;

// The free resources of a compute unit, in granules.
typedef struct RaddleFreeAmounts {
    // Wave slots.
    uint64_t waves;
    // Vector-register granules.
    uint64_t vgpr;
    // Scalar-register granules.
    uint64_t sgpr;
    // LDS granules.
    uint64_t lds;
    // Workgroup slots.
    uint64_t workgroups;
    // Barriers.
    uint64_t barriers;
} RaddleFreeAmounts;

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

// Makes a dispatcher from the text of a recipe (TOML, or JSON where it begins with `{`) for `cus` empty compute units
// of one shape. `log` is the name of a file for the decision log, or null: `raddle log FILE --check` and
// `raddle log FILE --replay` read it. A file of this name is written over.
RaddleStatus raddle_dispatcher_new(const char *recipe,
                                   const struct RaddleCuShape *shape,
                                   uint16_t cus,
                                   const char *log,
                                   struct RaddleDispatcher **dispatcher);

// Ends the decision log, which has lost its end where this is not called before the dispatcher is freed. Does nothing
// without one.
RaddleStatus raddle_dispatcher_finish(struct RaddleDispatcher *dispatcher);

// Tells an event. All known events of one tick are told first; then one decision is asked for.
RaddleStatus raddle_dispatcher_event(struct RaddleDispatcher *dispatcher,
                                     uint64_t now,
                                     const struct RaddleEvent *event);

// Decides what to do now, which is nothing where no event was told since the last decision. After an error, which is
// a policy that broke its law, the run cannot go on.
RaddleStatus raddle_dispatcher_decide(struct RaddleDispatcher *dispatcher,
                                      uint64_t now,
                                      struct RaddleActions *actions);

// Writes 1 if the dispatcher wants to hear of launches that wait for others, and of copies; else 0. It does where
// its recipe has a `window`.
RaddleStatus raddle_dispatcher_looks_ahead(const struct RaddleDispatcher *dispatcher,
                                           uint32_t *ahead);

// Tells what is free on a compute unit in the account of the dispatcher.
RaddleStatus raddle_dispatcher_free(const struct RaddleDispatcher *dispatcher,
                                    uint16_t cu,
                                    struct RaddleFreeAmounts *free);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RADDLE_H */
