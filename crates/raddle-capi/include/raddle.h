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

// The number for something that an event does not tell.
#define RADDLE_NOT_TOLD UINT64_MAX

// The most packets that one call of an encoder makes: the open one, and one more.
#define RADDLE_PACKETS_AT_ONCE 2

// The most launches of one packet.
#define RADDLE_LAUNCHES_OF_PACKET 31

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
    // No error: the event breaks a rule, which the report of the check names. The check goes on.
    RADDLE_STATUS_FINDING = 3,
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
typedef enum {
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
    // Raise the flags of a process: `process`, `first_cut`, `cut_count`. A launch that starts leaves if the cut of its
    // stream holds its `sequence`. `Raised` reports that launches see it.
    RADDLE_ACTION_KIND_RAISE = 7,
    // Reset the compute units of a process: `process`. `ResetOver` reports the end; each launch has its `TakeOff`.
    RADDLE_ACTION_KIND_RESET = 8,
    // The preemption of a process is complete: `process`, `how`, `ticks` since it lost the turn. Nothing is to do.
    RADDLE_ACTION_KIND_DRAINED = 9,
    // A launch will never run: `launch`, `cu`, `resource`, `wanted`, `available`. Work that waits for it may go on.
    RADDLE_ACTION_KIND_REFUSE = 10,
    // Send `Woke` at the tick `ticks`.
    RADDLE_ACTION_KIND_WAKE_AT = 11,
    // Lower the flags of a process, before anything that is submitted later starts: `process`. Nothing is reported.
    RADDLE_ACTION_KIND_LOWER = 12,
    // An action that this version does not know.
    RADDLE_ACTION_KIND_OTHER = 255,
} RaddleActionKind;

// The answer to a wish.
typedef enum {
    // The wish is done, or begun.
    RADDLE_ANSWER_BEGUN = 0,
    // A resume that waited is cancelled; the process stays preempted.
    RADDLE_ANSWER_RESUME_CANCELLED = 1,
    // A preemption is under way or complete: nothing has changed.
    RADDLE_ANSWER_ALREADY = 2,
    // The runtime does not have this method.
    RADDLE_ANSWER_MISSING = 3,
    // The process that wishes it is not more urgent, or is the process itself.
    RADDLE_ANSWER_NOT_OUTRANKED = 4,
    // The method takes off no more than the one under way.
    RADDLE_ANSWER_NOT_STRONGER = 5,
    // No preemption is under way, or the process was not preempted.
    RADDLE_ANSWER_NOT_PREEMPTED = 6,
    // The resume takes effect when the preemption is complete.
    RADDLE_ANSWER_WAITS = 7,
    // No reset was wished.
    RADDLE_ANSWER_NOT_ASKED = 8,
    // There is no reset: nothing is in the runtime that may have begun.
    RADDLE_ANSWER_NO_RESET_EMPTY = 9,
    // There is no reset: a launch may not be run again.
    RADDLE_ANSWER_NO_RESET_NOT_IDEMPOTENT = 10,
    // There is no reset: a launch does not leave by the flag.
    RADDLE_ANSWER_NO_RESET_NOT_FLAGGED = 11,
    // There is no reset: a launch was killed as often as allowed.
    RADDLE_ANSWER_NO_RESET_KILLED_OFTEN = 12,
    // There is no reset: it would hit a process that is not being preempted.
    RADDLE_ANSWER_NO_RESET_OTHER_PROCESS = 13,
    // There is no reset, for another reason.
    RADDLE_ANSWER_NO_RESET = 14,
} RaddleAnswer;

// The knowledge whether waves of a workgroup wait for each other.
typedef enum {
    // Unknown, so a barrier is assumed.
    RADDLE_BARRIER_ASSUMED = 0,
    // No wave waits for another one.
    RADDLE_BARRIER_NO = 1,
    // Waves wait for each other.
    RADDLE_BARRIER_YES = 2,
} RaddleBarrier;

// A kind of command.
typedef enum {
    // Give a launch to the runtime; report `Submitted` or `NotSubmitted`.
    RADDLE_COMMAND_KIND_SUBMIT = 1,
    // Raise the flags of a process, by `raddle_controller_cut`; report `raddle_controller_raised`.
    RADDLE_COMMAND_KIND_RAISE = 2,
    // Lower the flags of a process.
    RADDLE_COMMAND_KIND_LOWER = 3,
    // Reset; report each launch as `Killed`, then `raddle_controller_drained`.
    RADDLE_COMMAND_KIND_RESET = 4,
    // Place no further workgroup of a process; report `raddle_controller_drained` when none is on the device.
    RADDLE_COMMAND_KIND_HOLD = 5,
    // Place the workgroups of a process again.
    RADDLE_COMMAND_KIND_RELEASE = 6,
    // Save the work of a process on the device; report `raddle_controller_drained` when none is there.
    RADDLE_COMMAND_KIND_SAVE = 7,
    // Restore the saved work.
    RADDLE_COMMAND_KIND_RESTORE = 8,
    // The preemption is complete. Nothing is to do.
    RADDLE_COMMAND_KIND_DRAINED = 9,
} RaddleCommandKind;

// Something that happened outside of the dispatcher. Behind each stand the fields of `RaddleEvent` that count.
typedef enum {
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
typedef enum {
    // The lowest one.
    RADDLE_FIT_FIRST = 0,
    // The shortest one, ties to the lowest.
    RADDLE_FIT_BEST = 1,
    // The longest one, ties to the lowest.
    RADDLE_FIT_WORST = 2,
    // The lowest start at or after the end of the run that `raddle_free_map_allocate` gave last by any fit, 0 before
    // the first; else the lowest of all.
    RADDLE_FIT_NEXT = 3,
} RaddleFit;

// The kinds of hints; the value is in `value`.
typedef enum {
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
typedef enum {
    // Unknown: treated as not.
    RADDLE_IDEMPOTENCE_UNKNOWN = 0,
    // Proven idempotent: it may be killed.
    RADDLE_IDEMPOTENCE_IDEMPOTENT = 1,
    // Known not to be.
    RADDLE_IDEMPOTENCE_NOT = 2,
} RaddleIdempotence;

// The cut of the circuit in a period.
typedef enum {
    // One map behind the other.
    RADDLE_LAYOUT_PACKED = 0,
    // Two halves, each for a map of at most half the width; a map alone has the whole width.
    RADDLE_LAYOUT_HALVES = 1,
} RaddleLayout;

// The phase of a process in its preemption.
typedef enum {
    // Launches of the process are submitted.
    RADDLE_PHASE_RUNNING = 0,
    // The process is being preempted.
    RADDLE_PHASE_DRAINING = 1,
    // The device has no work of the process.
    RADDLE_PHASE_PREEMPTED = 2,
} RaddlePhase;

// A way of taking work off a device.
typedef enum {
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

// The kinds of packets that an agent receives.
typedef enum {
    // A packet that stands for launches.
    RADDLE_RECEIVED_LAUNCHES = 0,
    // A barrier.
    RADDLE_RECEIVED_BARRIER = 1,
    // A packet of a type that the format does not have, which is to be handed on.
    RADDLE_RECEIVED_FOREIGN = 2,
} RaddleReceived;

// The rule that says which launches get an entry of the table.
typedef enum {
    // The first ones, for ever.
    RADDLE_REPLACEMENT_FIRST = 0,
    // In the place of the entry that was not used for longest.
    RADDLE_REPLACEMENT_MOST_RECENT = 1,
    // By how often kernels are launched.
    RADDLE_REPLACEMENT_FREQUENCY = 2,
} RaddleReplacement;

// A report about a submission.
typedef enum {
    // The submit call has returned.
    RADDLE_REPORT_SUBMITTED = 0,
    // The runtime refused the launch for now: it waits again.
    RADDLE_REPORT_NOT_SUBMITTED = 1,
    // The launch has started.
    RADDLE_REPORT_STARTED = 2,
    // The launch has run to its end.
    RADDLE_REPORT_FINISHED = 3,
    // The runtime refused the launch for good, or the launch died.
    RADDLE_REPORT_FAILED = 4,
    // The launch leaves without having begun, which the host has made sure of.
    RADDLE_REPORT_CLAIMED = 5,
    // The launch has left by the flag.
    RADDLE_REPORT_EXITED = 6,
    // The launch was killed by the reset.
    RADDLE_REPORT_KILLED = 7,
} RaddleReport;

// The launches that a reset kills.
typedef enum {
    // All that run on the device.
    RADDLE_RESET_SCOPE_DEVICE = 0,
    // All that run in the process's part of the device.
    RADDLE_RESET_SCOPE_PARTITION = 1,
    // All launches of one process.
    RADDLE_RESET_SCOPE_PROCESS = 2,
    // All launches of single streams.
    RADDLE_RESET_SCOPE_QUEUE = 3,
    // Single launches of one process.
    RADDLE_RESET_SCOPE_LAUNCH = 4,
} RaddleResetScope;

// A resource of a compute unit that can lack.
typedef enum {
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

// The way on which a block comes to its SM.
typedef enum {
    // The SM takes whole blocks, and all that they need at once.
    RADDLE_ROUTE_WHOLE = 0,
    // The SM can start one warp of the block.
    RADDLE_ROUTE_FIRST = 1,
    // All work on the SM is of lower priority.
    RADDLE_ROUTE_SECOND = 2,
} RaddleRoute;

// The way in which the waves of a workgroup use its part of a resource.
typedef enum {
    // Equal parts, in the order of their numbers.
    RADDLE_SHARE_PER_WAVE = 0,
    // The whole of it for each.
    RADDLE_SHARE_SHARED = 1,
} RaddleShare;

// The rule by which a slice follows from weights.
typedef enum {
    // As claim 7 of the seed: a larger weight has a shorter slice.
    RADDLE_SLICE_RULE_CLAIM = 0,
    // The smallest slice for each.
    RADDLE_SLICE_RULE_EQUAL = 1,
    // In proportion to the weight, on average the smallest slice.
    RADDLE_SLICE_RULE_MEAN = 2,
    // In proportion to the weight, in a round as long as that of `Claim`.
    RADDLE_SLICE_RULE_INVERSE = 3,
    // In proportion to the weight; the shortest is the smallest slice.
    RADDLE_SLICE_RULE_MIN_ONE = 4,
} RaddleSliceRule;

// The rule by which the starts of a resource are predicted.
typedef enum {
    // No rule: starts are not predicted.
    RADDLE_START_RULE_ANY = 0,
    // The lowest free run that is long enough.
    RADDLE_START_RULE_FIRST = 1,
    // The shortest free run that is long enough, the lowest of several.
    RADDLE_START_RULE_BEST = 2,
    // The longest free run, the lowest of several.
    RADDLE_START_RULE_WORST = 3,
    // The lowest start at or after the end of the part that was placed last, around the end.
    RADDLE_START_RULE_NEXT = 4,
    // The tail of a ring, or 0 where the blocks up to the end are too few; reclaimed in order.
    RADDLE_START_RULE_RING = 5,
} RaddleStartRule;

// The moment at which a process of a more urgent level takes over.
typedef enum {
    // When the running slice has ended.
    RADDLE_TAKE_OVER_SLICE_END = 0,
    // Now.
    RADDLE_TAKE_OVER_AT_ONCE = 1,
    // When the slices of the load are used up.
    RADDLE_TAKE_OVER_BATCH_END = 2,
} RaddleTakeOver;

// The waves of each workgroup that are meant.
typedef enum {
    // All of them; `first` and `count` do not count.
    RADDLE_WAVE_KIND_ALL = 0,
    // `count` waves from `first` on, of a workgroup that starts in parts on one compute unit.
    RADDLE_WAVE_KIND_RANGE = 1,
    // `count` waves from `first` on, of a workgroup that was cut: they act as one of their own.
    RADDLE_WAVE_KIND_CUT = 2,
} RaddleWaveKind;

// A kind of captured work.
typedef enum {
    // A kernel.
    RADDLE_WORK_KIND_KERNEL = 0,
    // A copy or a fill.
    RADDLE_WORK_KIND_COPY = 1,
    // The record of an event.
    RADDLE_WORK_KIND_RECORD = 2,
    // A wait for the work of `after_stream` and `after_order`.
    RADDLE_WORK_KIND_WAIT = 3,
    // A graph of kernels that is submitted as one.
    RADDLE_WORK_KIND_GRAPH = 4,
    // A kernel that waits on the device for its peers.
    RADDLE_WORK_KIND_COLLECTIVE = 5,
} RaddleWorkKind;

// The device's side: makes launches of packets.
typedef struct RaddleAgent RaddleAgent;

// The compute units of a device with every granule that is taken, and by whom.
typedef struct RaddleAllocator RaddleAllocator;

// The global controller and those of all SMs.
typedef struct RaddleBlockWarp RaddleBlockWarp;

// The preemption of processes in software, as a state machine without I/O: the host reports what happens, and asks
// what to do next. A submission is known by its process and its number, which is never used again.
typedef struct RaddleController RaddleController;

// A dispatcher, which takes events and returns actions. Time is in ticks of the caller, and never goes down; the same
// events at the same ticks give the same actions.
typedef struct RaddleDispatcher RaddleDispatcher;

// The host's side: makes packets of launches.
typedef struct RaddleEncoder RaddleEncoder;

// A map of equal blocks, each free or taken. Blocks count from 0.
typedef struct RaddleFreeMap RaddleFreeMap;

// A check of what a dispatcher hands out. First its resources are declared, then it is told events in the order of
// their clocks. Resources are numbered in the order in which they were declared.
typedef struct RaddlePlacementCheck RaddlePlacementCheck;

// A ring of equal blocks. A part begins at the tail, or at 0 where the blocks from the tail to the end are too few; a
// part that is released is reclaimed once all older ones are. Blocks count from 0.
typedef struct RaddleRing RaddleRing;

// A way to find out how long a free run a map holds, as one of the circuits answers.
typedef struct RaddleSearch RaddleSearch;

// A circuit that serves several maps: in each period of a round other ones.
typedef struct RaddleShared RaddleShared;

// The two stages: which processes are loaded, and the slices of each load.
typedef struct RaddleSlices RaddleSlices;

// How much of a map is free.
typedef struct {
    // All blocks.
    uint32_t blocks;
    // Free blocks.
    uint32_t free;
    // Blocks of the longest free run.
    uint32_t longest;
} RaddleFreeBlocks;

// A map that the circuit serves.
typedef struct {
    // The period in which it is served: that of the map before it in the list, or one more; 0 for the first.
    uint32_t period;
    // Blocks of the map.
    uint32_t blocks;
} RaddleSharedMap;

// The resources of one empty compute unit, in the granules in which they are allocated.
typedef struct {
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
typedef struct {
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
typedef struct {
    // Where it was refused, the resource that lacks, one of `RaddleResource`; else 0.
    uint32_t lacks;
    // The SIMD with which a rotation goes on, also where it was refused.
    uint8_t rotation;
} RaddlePlacement;

// The address of one wave on its compute unit: start positions in granules. All waves of a workgroup share one
// start in LDS.
typedef struct {
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
typedef struct {
    // One of `RaddleWaveKind`.
    uint32_t kind;
    // The lowest wave.
    uint16_t first;
    // The number of waves.
    uint16_t count;
} RaddleWaves;

// One kernel launch: a number of equal workgroups. A field of 0 from `barrier` on means that nothing is known.
typedef struct {
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
    RaddleDemand demand;
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
typedef struct {
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
typedef struct {
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
    RaddleWaves waves;
    // The launch that was issued or is ready.
    const RaddleLaunch *issued;
    // The workgroups that ended.
    const RaddlePiece *pieces;
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
typedef struct {
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
    RaddleWaves waves;
    // The first of `RaddleActions.pieces` that start.
    size_t first_piece;
    // The number of pieces that start.
    size_t piece_count;
    // The first of `RaddleActions.places`: one a wave, in the order of the pieces.
    size_t first_place;
    // The number of places; 0 where the policy keeps no addresses.
    size_t place_count;
    // The first of `RaddleActions.cuts`: one a stream that has launches to leave.
    size_t first_cut;
    // The number of cuts.
    size_t cut_count;
    // The number of a submission among those of its process.
    uint64_t sequence;
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

// A raised flag of one stream: launches of it leave when they start if their `sequence` is `from` or more, and below `to`.
typedef struct {
    // The stream.
    uint32_t stream;
    // The first submission that leaves.
    uint64_t from;
    // The first later submission that does not leave.
    uint64_t to;
} RaddleStreamCut;

// The actions of one decision, in the order in which they are carried out. The lists belong to the dispatcher, and
// stand until its next decision, or until it is freed.
typedef struct {
    // The actions.
    const RaddleAction *list;
    // The number of actions.
    size_t count;
    // Pieces, which actions refer to.
    const RaddlePiece *pieces;
    // The number of pieces.
    size_t piece_count;
    // Places, which actions refer to.
    const RaddlePlace *places;
    // The number of places.
    size_t place_count;
    // The cuts of raised flags, which actions refer to.
    const RaddleStreamCut *cuts;
    // The number of cuts.
    size_t cut_count;
} RaddleActions;

// The free resources of a compute unit, in granules.
typedef struct {
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

// The resources of an SM.
typedef struct {
    // Registers.
    uint64_t registers;
    // Hardware warps.
    uint64_t warps;
    // Shared memory.
    uint64_t shared;
} RaddleSmResources;

// The readings of the seed; without one, the defaults are taken.
typedef struct {
    // 1: a first SM must have more than one warp needs. Default 0.
    uint32_t strict;
    // 1: of several SMs the one with most room, instead of the lowest. Default 0.
    uint32_t most_free;
    // 1: the next kernel is tried when the most important one cannot be placed. Default 0.
    uint32_t fall_through;
    // 1: a lower block may take a slot that the highest waiting one cannot use. Default 1.
    uint32_t backfill;
    // 1: a block with a barrier starts as a whole or not at all. Default 1.
    uint32_t whole_blocks_for_barriers;
} RaddleBlockWarpConfig;

// A kernel that arrives.
typedef struct {
    // The id; no other unfinished kernel has it.
    uint32_t id;
    // 1 if the warps of a block meet at a barrier.
    uint32_t barrier;
    // The rank: the smaller, the more urgent.
    uint64_t rank;
    // Blocks, 1 or more.
    uint64_t blocks;
    // Warps of a block, 1 or more.
    uint64_t warps;
    // Registers of a warp.
    uint64_t registers;
    // Shared memory of a block.
    uint64_t shared;
} RaddleKernel;

// A refused kernel: one of its blocks needs more than an SM has.
typedef struct {
    // One of `RaddleResource`.
    uint32_t resource;
    // The amount that a block needs.
    uint64_t wanted;
    // The amount that an SM has.
    uint64_t available;
} RaddleLack;

// Blocks that go to an SM.
typedef struct {
    // One of `RaddleRoute`.
    uint32_t route;
    // The kernel.
    uint32_t kernel;
    // The SM.
    uint16_t sm;
    // The lowest block.
    uint64_t first;
    // The number of blocks.
    uint64_t count;
    // The blocks that the SM could have taken whole.
    uint64_t n1;
} RaddleDistribution;

// Warps that start on an SM.
typedef struct {
    // The kernel.
    uint32_t kernel;
    // 1 if all warps of the block have started with these.
    uint32_t last;
    // The block of the kernel.
    uint64_t block;
    // The first warp of the block.
    uint64_t first;
    // The number of warps.
    uint64_t count;
} RaddleStarted;

// The effects of the end of a warp.
typedef struct {
    // The SM, which is to be served then.
    uint16_t sm;
    // 1 if the warp was the last of its block.
    uint32_t block_done;
    // 1 if the warp was the last of its kernel.
    uint32_t kernel_done;
} RaddleWarpEnd;

// The settings of both stages.
typedef struct {
    // The smallest slice, in ticks, 1 or more.
    uint64_t t0;
    // The longest slice; 0 for none.
    uint64_t longest;
    // Processes that are loaded at most, 1 or more.
    size_t capacity;
    // One of `RaddleSliceRule`.
    uint32_t rule;
    // 1: run times are as shares; 0: a share multiplies the weight, and nothing else.
    uint32_t shares_as_time;
    // 1: the slices of a load come round until all its processes have completed; 0: each comes once.
    uint32_t until_completion;
    // One of `RaddleTakeOver`.
    uint32_t take_over;
    // 1: a load runs in a random order that begins with `seed`; 0: in its own order.
    uint32_t random;
    // The seed of a random order.
    uint64_t seed;
} RaddleSliceConfig;

// A process that can run.
typedef struct {
    // The process, under a number of the host; each is in the pool once.
    uint64_t id;
    // The share, 1 or more.
    uint64_t share;
    // Ticks for which it is alive.
    uint64_t alive;
    // Ticks for which it has run.
    uint64_t ran;
    // The urgency: 0 is the most urgent.
    uint8_t level;
} RaddlePoolEntry;

// A slice to be run.
typedef struct {
    // The process.
    uint64_t id;
    // The length in ticks, 1 or more.
    uint64_t length;
} RaddleSlice;

// Settings for the points that the seed leaves open. Where a function takes them, null means the defaults.
typedef struct {
    // The type of an ordinary packet; 2.
    uint8_t dispatch;
    // The type of a reference packet; 7.
    uint8_t reference;
    // The type of a condensed packet; 6.
    uint8_t condensed;
    // 1: half-words of a value stand with the most significant one first; 0.
    uint8_t half_words_high_first;
    // 1: the number of the entry stands in the highest bits of a header; 0.
    uint8_t header_bits_high_first;
    // 1: the private size has 16 bits; 0.
    uint8_t narrow_private;
    // The type of a barrier that waits for all of its signals, or -1 for none; 3.
    int16_t barrier_and;
    // The type of a barrier that waits for one of its signals, or -1 for none; 5.
    int16_t barrier_or;
    // Entries of the table, 1 to 8; 8.
    uint16_t entries;
} RaddleAqlConfig;

// The fields of a launch, as in an AQL dispatch packet.
typedef struct {
    // Address of the code.
    uint64_t kernel_object;
    // Address of the arguments.
    uint64_t kernarg_address;
    // Signal that the end is reported to; 0 is none.
    uint64_t completion_signal;
    // Work-items of the grid along x.
    uint32_t grid_size_x;
    // Work-items of the grid along y.
    uint32_t grid_size_y;
    // Work-items of the grid along z.
    uint32_t grid_size_z;
    // Scratch memory of a work-item, in bytes.
    uint32_t private_segment_size;
    // LDS of a workgroup, in bytes.
    uint32_t group_segment_size;
    // Dimensions of the grid.
    uint16_t setup;
    // Work-items of a workgroup along x.
    uint16_t workgroup_size_x;
    // Work-items of a workgroup along y.
    uint16_t workgroup_size_y;
    // Work-items of a workgroup along z.
    uint16_t workgroup_size_z;
    // Barrier bit (0), acquire scope (1, 2) and release scope (3, 4).
    uint8_t synch_scopes;
} RaddleKernelDispatch;

// The bytes of an AQL packet.
typedef struct {
    // As they stand in the queue.
    uint8_t bytes[64];
} RaddlePacket;

// The abilities of a runtime, and the settings of a controller. A number that is not 0 is a yes.
typedef struct {
    // Kernels test a flag before they begin.
    uint8_t can_flag;
    // Workgroups that have not started can be held.
    uint8_t can_drain;
    // Running launches can be killed; only with a flag.
    uint8_t can_reset;
    // Resident workgroups can be saved and restored.
    uint8_t can_switch;
    // A launch tests the flag once, before its first workgroup; 0: each workgroup tests it.
    uint8_t latched;
    // Work that does not test the flag can be taken out of the runtime before it begins.
    uint8_t withdraws;
    // One of `RaddleResetScope`.
    uint32_t scope;
    // Launches of one process that are in the runtime at a time, 1 or more; 8 in the seed.
    uint32_t window;
    // Launches of one process that wait in its queues at most; 0 for no bound.
    uint32_t most_waiting;
    // How often a launch is killed at most; 0 for no bound.
    uint32_t most_kills;
} RaddleControllerConfig;

// The next thing to do.
typedef struct {
    // One of `RaddleCommandKind`.
    uint32_t kind;
    // For a submission: a small number below the window, which no other one of the process in the runtime has.
    uint32_t slot;
    // For a submission: the stream.
    uint32_t stream;
    // For `Drained`: 1 if a resume waited for it, and takes effect now.
    uint32_t resumed;
    // For a submission: its number, which the launch compares with the cut of the flag.
    uint64_t sequence;
    // For a submission: the payload of the work.
    uint64_t payload;
    // The process.
    uint16_t process;
} RaddleCommand;

// Work that a host captured.
typedef struct {
    // A number of the host, which comes back with the command to submit the work.
    uint64_t payload;
    // One of `RaddleWorkKind`.
    uint32_t kind;
    // One of `RaddleIdempotence`.
    uint32_t idempotent;
    // Not 0 if the work tests the flag.
    uint32_t tests_flag;
    // For a wait: the stream of the work that it waits for.
    uint32_t after_stream;
    // For a wait: the order of that work, as it was written at its capture.
    uint64_t after_order;
} RaddleWork;

// Where a process stands.
typedef struct {
    // One of `RaddlePhase`.
    uint32_t phase;
    // 1 while its flag is raised.
    uint32_t raised;
    // Launches in its queues.
    size_t buffered;
    // Launches in the runtime.
    size_t in_flight;
    // A number that changes when a launch has ended, or room has come.
    uint64_t generation;
} RaddleProcess;

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
RaddleStatus raddle_free_map_new(uint32_t blocks, RaddleFreeMap **map);

// Makes a map from words: bit `i % 64` of word `i / 64` is block `i`, 1 is free, and bits past the last block are 0.
// There are `blocks / 64` words, rounded up.
RaddleStatus raddle_free_map_from_words(const uint64_t *words,
                                        size_t count,
                                        uint32_t blocks,
                                        RaddleFreeMap **map);

// Writes the map as words, as `raddle_free_map_from_words` reads them, and their number to `count`.
RaddleStatus raddle_free_map_words(const RaddleFreeMap *map, uint64_t *words, size_t capacity, size_t *count);

// Counts the blocks of a map.
RaddleStatus raddle_free_map_count(const RaddleFreeMap *map, RaddleFreeBlocks *free);

// Finds a free run of `want` blocks by one of `RaddleFit`, and takes nothing. A run of 0 blocks starts at 0.
// Answers `Refused` where there is none.
RaddleStatus raddle_free_map_find(const RaddleFreeMap *map, uint32_t fit, uint32_t want, uint32_t *start);

// Finds a free run as `raddle_free_map_find` does, and takes it.
RaddleStatus raddle_free_map_allocate(RaddleFreeMap *map, uint32_t fit, uint32_t want, uint32_t *start);

// Takes exactly these blocks. `Refused` where one of them is taken; an error where they lie past the end.
RaddleStatus raddle_free_map_take(RaddleFreeMap *map, uint32_t start, uint32_t len);

// Gives back `len` blocks from `start`, which need not have been taken in one piece.
RaddleStatus raddle_free_map_release(RaddleFreeMap *map, uint32_t start, uint32_t len);

// Adds free blocks behind the last one.
RaddleStatus raddle_free_map_grow(RaddleFreeMap *map, uint32_t by);

// Makes an empty ring of 1 or more blocks.
RaddleStatus raddle_ring_new(uint32_t blocks, RaddleRing **ring);

// Finds where a part of `want` blocks would begin, and takes nothing. A part of 0 blocks begins at 0. Answers `Refused`
// where there is no room.
RaddleStatus raddle_ring_find(const RaddleRing *ring,
                              uint32_t want,
                              uint32_t *start);

// Finds as `raddle_ring_find` does, and takes the part.
RaddleStatus raddle_ring_allocate(RaddleRing *ring, uint32_t want, uint32_t *start);

// Gives back the part of 1 or more blocks that begins at `start`.
RaddleStatus raddle_ring_release(RaddleRing *ring, uint32_t start);

// Makes the search that reports the longest run exactly, for maps of every size.
RaddleStatus raddle_search_full(RaddleSearch **search);

// Makes the search that cuts a map of `blocks` blocks into so many equal groups, and reports a multiple of the size of
// a group: a lower bound.
RaddleStatus raddle_search_grouped(uint32_t blocks,
                                   uint32_t groups,
                                   RaddleSearch **search);

// Makes the search that looks for runs of k + 1 blocks for each k of a list, in maps of `blocks` blocks, and reports
// the longest of them: a lower bound. The list rises, and stays below `blocks`.
RaddleStatus raddle_search_sampled(uint32_t blocks,
                                   const uint32_t *k,
                                   size_t count,
                                   RaddleSearch **search);

// Reports how long a free run a map holds, in blocks. An error where the search is for maps of another size.
RaddleStatus raddle_search_longest(const RaddleSearch *search, const RaddleFreeMap *map, uint32_t *longest);

// Makes a circuit `width` blocks wide, where no period has more than `bound` blocks. `layout` is one of
// `RaddleLayout`.
RaddleStatus raddle_shared_new(uint32_t width,
                               uint32_t bound,
                               const RaddleSharedMap *maps,
                               size_t count,
                               uint32_t layout,
                               RaddleShared **shared);

// Writes the longest free run of each map of a period, in their order. There are as many maps as the period has, and
// as many places.
RaddleStatus raddle_shared_longest(const RaddleShared *shared,
                                   uint32_t period,
                                   const RaddleFreeMap *const *maps,
                                   size_t count,
                                   uint32_t *longest);

// Makes an allocator of `cus` empty compute units, 1 or more, of one shape.
RaddleStatus raddle_allocator_new(const RaddleCuShape *shape, uint16_t cus, RaddleAllocator **allocator);

// Places a workgroup on a compute unit and takes its places, one a wave, in the order of the waves.
//
// `simd` says who gets the first wave: -1 for the SIMD with room for most further ones; else the first that takes
// it, counted around from this one, and the next wave one further. `placement` and `places` may be null, the latter
// with a capacity of 0; otherwise there must be room for all waves, and `Room` has changed nothing. Answers
// `Refused` where the workgroup does not fit.
RaddleStatus raddle_allocator_allocate(RaddleAllocator *allocator,
                                       uint16_t cu,
                                       const RaddleDemand *demand,
                                       int32_t simd,
                                       uint32_t launch,
                                       uint64_t workgroup,
                                       RaddlePlacement *placement,
                                       RaddlePlace *places,
                                       size_t capacity);

// Gives back everything that a workgroup holds on a compute unit.
RaddleStatus raddle_allocator_release(RaddleAllocator *allocator,
                                      uint16_t cu,
                                      uint32_t launch,
                                      uint64_t workgroup);

// Gives back everything that a launch holds, and remembers where it lay.
RaddleStatus raddle_allocator_save(RaddleAllocator *allocator, uint32_t launch);

// Takes again exactly the places that a launch has saved. `displaced` is the number of workgroups that found a place
// of theirs taken: they lie nowhere, and their compute units take nothing new until they have been released.
RaddleStatus raddle_allocator_restore(RaddleAllocator *allocator,
                                      uint32_t launch,
                                      size_t *displaced);

// Counts the workgroups that lie on the device.
RaddleStatus raddle_allocator_count(const RaddleAllocator *allocator, size_t *workgroups);

// Makes a check of 1 to 65536 units without resources. `wave_slots` are the most waves of a unit at once, 0 is any
// number. `lag` is the number of clocks between the choice of a start and its event, mostly 0: a predicted start is
// right if the rule gives it at any moment in between. With a lag, and no rule for any resource, the first event is an
// error.
RaddleStatus raddle_placement_check_new(uint32_t units,
                                        uint32_t wave_slots,
                                        uint64_t lag,
                                        RaddlePlacementCheck **check);

// Declares a resource of every unit: 1 or more blocks, one of `RaddleShare`, and one of `RaddleStartRule`.
RaddleStatus raddle_placement_check_resource(RaddlePlacementCheck *check,
                                             const char *name,
                                             uint32_t blocks,
                                             uint32_t share,
                                             uint32_t starts);

// Tells that a workgroup waits for a place. `sizes` has the blocks of each resource. Here and in all events, `Finding`
// says that a rule is broken, `RADDLE_NOT_TOLD` stands for a number that is not known, and numbers go up to 2^62 - 1.
RaddleStatus raddle_placement_check_request(RaddlePlacementCheck *check,
                                            uint64_t clock,
                                            uint64_t workgroup,
                                            uint64_t waves,
                                            const uint64_t *sizes,
                                            size_t count);

// Tells that a workgroup gets a part of a unit. `starts` and `sizes` have `count` numbers each; a resource of which it
// gets nothing has size 0, and any start.
RaddleStatus raddle_placement_check_place(RaddlePlacementCheck *check,
                                          uint64_t clock,
                                          uint64_t unit,
                                          uint64_t workgroup,
                                          uint64_t waves,
                                          const uint64_t *starts,
                                          const uint64_t *sizes,
                                          size_t count);

// Tells that a wave starts: its number within the workgroup, from 0, what the unit calls it, and where its part of each
// resource begins.
RaddleStatus raddle_placement_check_wave(RaddlePlacementCheck *check,
                                         uint64_t clock,
                                         uint64_t unit,
                                         uint64_t workgroup,
                                         uint64_t wave,
                                         uint64_t tag,
                                         const uint64_t *bases,
                                         size_t count);

// Tells that a wave ends; all of its workgroup, where neither `wave` nor `tag` is told.
RaddleStatus raddle_placement_check_end(RaddlePlacementCheck *check,
                                        uint64_t clock,
                                        uint64_t unit,
                                        uint64_t workgroup,
                                        uint64_t wave,
                                        uint64_t tag);

// Tells that a workgroup gives its part back.
RaddleStatus raddle_placement_check_free(RaddlePlacementCheck *check,
                                         uint64_t clock,
                                         uint64_t unit,
                                         uint64_t workgroup);

// Ends the check, where requests that are open may be a finding, and writes the number of all findings. Further events
// are errors.
RaddleStatus raddle_placement_check_finish(RaddlePlacementCheck *check,
                                           uint64_t *findings);

// Lends the report so far, as `raddle check-placement` prints it: `line` is the number of the event, from 1. The text
// stands until the next call for a text of this check, or until the check is freed.
RaddleStatus raddle_placement_check_text(RaddlePlacementCheck *check,
                                         const char **text);

// Makes a dispatcher from the text of a recipe (TOML, or JSON where it begins with `{`) for `cus` empty compute units
// of one shape. `log` is the name of a file for the decision log, or null: `raddle log FILE --check` and
// `raddle log FILE --replay` read it. A file of this name is written over.
RaddleStatus raddle_dispatcher_new(const char *recipe,
                                   const RaddleCuShape *shape,
                                   uint16_t cus,
                                   const char *log,
                                   RaddleDispatcher **dispatcher);

// Ends the decision log, which has lost its end where this is not called before the dispatcher is freed. Does nothing
// without one.
RaddleStatus raddle_dispatcher_finish(RaddleDispatcher *dispatcher);

// Tells an event. All known events of one tick are told first; then one decision is asked for.
RaddleStatus raddle_dispatcher_event(RaddleDispatcher *dispatcher, uint64_t now, const RaddleEvent *event);

// Decides what to do now, which is nothing where no event was told since the last decision. After an error, which is
// a policy that broke its law, the run cannot go on.
RaddleStatus raddle_dispatcher_decide(RaddleDispatcher *dispatcher,
                                      uint64_t now,
                                      RaddleActions *actions);

// Writes 1 if the dispatcher wants to hear of launches that wait for others, and of copies; else 0. It does where
// its recipe has a `window`.
RaddleStatus raddle_dispatcher_looks_ahead(const RaddleDispatcher *dispatcher,
                                           uint32_t *ahead);

// Tells what is free on a compute unit in the account of the dispatcher.
RaddleStatus raddle_dispatcher_free(const RaddleDispatcher *dispatcher, uint16_t cu, RaddleFreeAmounts *free);

// Makes the controllers of `sms` equal SMs, 1 or more. `config` may be null: the defaults.
RaddleStatus raddle_block_warp_new(uint16_t sms,
                                   const RaddleSmResources *each,
                                   const RaddleBlockWarpConfig *config,
                                   RaddleBlockWarp **block_warp);

// Enters a kernel. `Refused`, and what lacks, where a block of it never fits; `lack` may be null.
RaddleStatus raddle_block_warp_arrive(RaddleBlockWarp *block_warp,
                                      const RaddleKernel *kernel,
                                      RaddleLack *lack);

// Makes one decision of the global controller; `Empty` when nothing can be distributed. The SM is to be served at
// once, before the next decision.
RaddleStatus raddle_block_warp_decide(RaddleBlockWarp *block_warp,
                                      RaddleDistribution *distribution);

// Makes one step of the controller of an SM: starts warps of a block. `Empty` when none can start now.
RaddleStatus raddle_block_warp_serve(RaddleBlockWarp *block_warp, uint16_t sm, RaddleStarted *started);

// Reports that one warp of a block has ended.
RaddleStatus raddle_block_warp_ended(RaddleBlockWarp *block_warp,
                                     uint32_t kernel,
                                     uint64_t block,
                                     RaddleWarpEnd *end);

// Tells what is left on an SM.
RaddleStatus raddle_block_warp_remaining(const RaddleBlockWarp *block_warp,
                                         uint16_t sm,
                                         RaddleSmResources *remaining);

// Makes both stages, with nothing loaded.
RaddleStatus raddle_slices_new(const RaddleSliceConfig *config, RaddleSlices **slices);

// Tells the next slice, where the processes of the pool can run now. `Empty` for an empty pool.
RaddleStatus raddle_slices_next(RaddleSlices *slices,
                                const RaddlePoolEntry *pool,
                                size_t count,
                                RaddleSlice *slice);

// Writes 1 if a process of the pool ends the running slice now, which is of this level; else 0.
RaddleStatus raddle_slices_cuts(const RaddleSlices *slices,
                                uint8_t running,
                                const RaddlePoolEntry *pool,
                                size_t count,
                                uint32_t *cuts);

// Makes an encoder for an agent with an empty table. `replacement` is one of `RaddleReplacement`; an entry is near to
// a launch that differs from it by up to `near` half-words, of which 9 are usual.
RaddleStatus raddle_encoder_new(const RaddleAqlConfig *config,
                                uint32_t replacement,
                                uint16_t near,
                                RaddleEncoder **encoder);

// Takes a launch, and writes the packets that are complete by it. There must be room for
// `RADDLE_PACKETS_AT_ONCE` of them; `Room` has changed nothing.
RaddleStatus raddle_encoder_launch(RaddleEncoder *encoder,
                                   const RaddleKernelDispatch *dispatch,
                                   RaddlePacket *packets,
                                   size_t capacity,
                                   size_t *count);

// Takes a packet that keeps the order, such as a barrier, and writes the packets that are complete by it, itself among
// them. Room as for a launch.
RaddleStatus raddle_encoder_barrier(RaddleEncoder *encoder,
                                    const RaddlePacket *barrier,
                                    RaddlePacket *packets,
                                    size_t capacity,
                                    size_t *count);

// Writes the open packet, if there is one. Room as for a launch.
RaddleStatus raddle_encoder_flush(RaddleEncoder *encoder,
                                  RaddlePacket *packets,
                                  size_t capacity,
                                  size_t *count);

// Makes an agent with an empty table.
RaddleStatus raddle_agent_new(const RaddleAqlConfig *config, RaddleAgent **agent);

// Takes a packet, writes one of `RaddleReceived` to `kind`, and its launches. There must be room for
// `RADDLE_LAUNCHES_OF_PACKET` of them. A packet that is malformed, or names an empty entry, is an error and has
// changed nothing.
RaddleStatus raddle_agent_receive(RaddleAgent *agent,
                                  const RaddlePacket *packet,
                                  uint32_t *kind,
                                  RaddleKernelDispatch *launches,
                                  size_t capacity,
                                  size_t *count);

// Makes a controller without processes.
RaddleStatus raddle_controller_new(const RaddleControllerConfig *config, RaddleController **controller);

// Tells the next command for any process; `Empty` until something is reported. Commands are carried out in order.
RaddleStatus raddle_controller_next(RaddleController *controller,
                                    RaddleCommand *command);

// Reports one of `RaddleReport` about a submission. `payload` is written where the submission has ended for good, and
// may be null. `Refused` is the answer to an exit that no flag asked for: launches behind it may have run before it.
RaddleStatus raddle_controller_report(RaddleController *controller,
                                      uint32_t report,
                                      uint16_t process,
                                      uint64_t sequence,
                                      uint64_t *payload);

// Reports that every launch of the process that starts from now on sees its flag. Writes one of `RaddleAnswer`: whether
// a reset follows.
RaddleStatus raddle_controller_raised(RaddleController *controller,
                                      uint16_t process,
                                      uint32_t *answer);

// Reports that a reset is over, or that held or saved work is off the device.
RaddleStatus raddle_controller_drained(RaddleController *controller, uint16_t process);

// Tells the raised flag of a stream: submissions `from` up to, but not, `to` leave when they start. `Empty` where none
// is raised. Read it at the command to raise it.
RaddleStatus raddle_controller_cut(const RaddleController *controller,
                                   uint16_t process,
                                   uint32_t stream,
                                   uint64_t *from,
                                   uint64_t *to);

// Writes 1 if a commanded reset kills this submission where it runs; else 0.
RaddleStatus raddle_controller_is_hit(const RaddleController *controller,
                                      uint16_t process,
                                      uint64_t sequence,
                                      uint32_t *hit);

// Adds a process of this level, and writes its id: the lowest that no process has.
RaddleStatus raddle_controller_join(RaddleController *controller, uint8_t level, uint16_t *process);

// Removes a process that has nothing in the runtime and is not preempted. Its waiting launches are dropped.
RaddleStatus raddle_controller_leave(RaddleController *controller, uint16_t process);

// Removes a process that has died, and writes the payloads of its unfinished work, in the order of capture. Where
// there is too little room, `count` is the number and nothing has changed.
RaddleStatus raddle_controller_lost(RaddleController *controller,
                                    uint16_t process,
                                    uint64_t *payloads,
                                    size_t capacity,
                                    size_t *count);

// Sets the part of the device that a process has, 0 by default, where the scope of a reset is a partition.
RaddleStatus raddle_controller_place(RaddleController *controller, uint16_t process, uint16_t part);

// Opens a stream of a process, and writes its id: the lowest that is not in use.
RaddleStatus raddle_controller_open(RaddleController *controller, uint16_t process, uint32_t *stream);

// Closes a stream: nothing more is captured in it; the work in it runs.
RaddleStatus raddle_controller_close(RaddleController *controller, uint16_t process, uint32_t stream);

// Holds back the work of a stream that was captured from this order on.
RaddleStatus raddle_controller_hold(RaddleController *controller,
                                    uint16_t process,
                                    uint32_t stream,
                                    uint64_t from);

// Removes the hold of this order.
RaddleStatus raddle_controller_release(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t stream,
                                       uint64_t from);

// Adds captured work at the end of its stream, and writes its place in the order of capture. `Refused` where the
// queues are full: capture it again when the generation of the process has changed.
RaddleStatus raddle_controller_captured(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t stream,
                                        const RaddleWork *work,
                                        uint64_t *order);

// Writes 1 if all work of a process that was captured up to `order` has finished; else 0.
RaddleStatus raddle_controller_reached(const RaddleController *controller,
                                       uint16_t process,
                                       uint64_t order,
                                       uint32_t *reached);

// Tells where a process stands.
RaddleStatus raddle_controller_process(const RaddleController *controller,
                                       uint16_t process,
                                       RaddleProcess *state);

// Takes the work of a process off the device by one of `RaddlePreemption`; `by` is the process that wants it, or -1.
// Writes one of `RaddleAnswer`.
RaddleStatus raddle_controller_preempt(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t how,
                                       int32_t by,
                                       uint32_t *answer);

// Replaces the method of a preemption under way by a stronger one. Writes one of `RaddleAnswer`.
RaddleStatus raddle_controller_escalate(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t how,
                                        uint32_t *answer);

// Submits nothing more of a process until it is resumed.
RaddleStatus raddle_controller_pause(RaddleController *controller, uint16_t process);

// Ends the preemption of a process. Writes one of `RaddleAnswer`.
RaddleStatus raddle_controller_resume(RaddleController *controller, uint16_t process, uint32_t *answer);

// Adds a process of this level, and writes its id: the lowest that no process has.
RaddleStatus raddle_controller_join(RaddleController *controller, uint8_t level, uint16_t *process);

// Removes a process that has nothing in the runtime and is not preempted. Its waiting launches are dropped.
RaddleStatus raddle_controller_leave(RaddleController *controller, uint16_t process);

// Removes a process that has died, and writes the payloads of its unfinished work, in the order of capture. Where
// there is too little room, `count` is the number and nothing has changed.
RaddleStatus raddle_controller_lost(RaddleController *controller,
                                    uint16_t process,
                                    uint64_t *payloads,
                                    size_t capacity,
                                    size_t *count);

// Sets the part of the device that a process has, 0 by default, where the scope of a reset is a partition.
RaddleStatus raddle_controller_place(RaddleController *controller, uint16_t process, uint16_t part);

// Opens a stream of a process, and writes its id: the lowest that is not in use.
RaddleStatus raddle_controller_open(RaddleController *controller, uint16_t process, uint32_t *stream);

// Closes a stream: nothing more is captured in it; the work in it runs.
RaddleStatus raddle_controller_close(RaddleController *controller, uint16_t process, uint32_t stream);

// Holds back the work of a stream that was captured from this order on.
RaddleStatus raddle_controller_hold(RaddleController *controller,
                                    uint16_t process,
                                    uint32_t stream,
                                    uint64_t from);

// Removes the hold of this order.
RaddleStatus raddle_controller_release(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t stream,
                                       uint64_t from);

// Adds captured work at the end of its stream, and writes its place in the order of capture. `Refused` where the
// queues are full: capture it again when the generation of the process has changed.
RaddleStatus raddle_controller_captured(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t stream,
                                        const RaddleWork *work,
                                        uint64_t *order);

// Writes 1 if all work of a process that was captured up to `order` has finished; else 0.
RaddleStatus raddle_controller_reached(const RaddleController *controller,
                                       uint16_t process,
                                       uint64_t order,
                                       uint32_t *reached);

// Tells where a process stands.
RaddleStatus raddle_controller_process(const RaddleController *controller,
                                       uint16_t process,
                                       RaddleProcess *state);

// Takes the work of a process off the device by one of `RaddlePreemption`; `by` is the process that wants it, or -1.
// Writes one of `RaddleAnswer`.
RaddleStatus raddle_controller_preempt(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t how,
                                       int32_t by,
                                       uint32_t *answer);

// Replaces the method of a preemption under way by a stronger one. Writes one of `RaddleAnswer`.
RaddleStatus raddle_controller_escalate(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t how,
                                        uint32_t *answer);

// Submits nothing more of a process until it is resumed.
RaddleStatus raddle_controller_pause(RaddleController *controller, uint16_t process);

// Ends the preemption of a process. Writes one of `RaddleAnswer`.
RaddleStatus raddle_controller_resume(RaddleController *controller, uint16_t process, uint32_t *answer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RADDLE_H */
