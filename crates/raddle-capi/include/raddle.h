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

// Number that means that an event does not report the value.
#define RADDLE_NOT_TOLD UINT64_MAX

// Most packets that one call of an encoder makes: the condensed packet that was being filled, and
// one more.
#define RADDLE_PACKETS_AT_ONCE 2

// Most launches that one packet of any type stands for.
#define RADDLE_LAUNCHES_OF_PACKET 31

// Answer of a call: 0 is success, above 0 is a result that is no error, below 0 is an error. A
// call that answers an error has changed nothing, unless its documentation says otherwise.
enum RaddleStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The call has succeeded.
    RADDLE_STATUS_OK = 0,
    // There is no room, or no such run of blocks, which is no error: nothing has changed.
    // `raddle_controller_report` alone answers this for a report that has taken effect.
    RADDLE_STATUS_REFUSED = 1,
    // There is nothing to write now, such as no command or no slice, which is no error.
    RADDLE_STATUS_EMPTY = 2,
    // The event breaks a rule, which the report of the placement check names. The call itself met
    // no error, and the check goes on.
    RADDLE_STATUS_FINDING = 3,
    // A pointer or a handle that must not be null is null.
    RADDLE_STATUS_NULL = -1,
    // The handle names no object: it was freed, or never was a handle, or the object is of another
    // kind.
    RADDLE_STATUS_HANDLE = -2,
    // A call on this handle is under way in another thread, or the handle stands twice in one
    // call.
    RADDLE_STATUS_BUSY = -3,
    // A text that the caller gave is not UTF-8.
    RADDLE_STATUS_UTF8 = -4,
    // An argument is outside its range, or a pointer is misaligned.
    RADDLE_STATUS_ARGUMENT = -5,
    // A buffer is too small; where the call has a count, it says how many elements are needed.
    RADDLE_STATUS_ROOM = -6,
    // The arguments contradict each other or earlier calls, or a recipe cannot be read; the text
    // of the error says how.
    RADDLE_STATUS_INVALID = -7,
    // A fault of raddle stopped the call: please report the text of the error. The handles of the
    // call can only be freed.
    RADDLE_STATUS_FAULT = -8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum RaddleStatus RaddleStatus;
#else
typedef int32_t RaddleStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kinds of actions that the host carries out. The text of each kind names the fields of
// `RaddleAction` that it uses; all others are 0.
typedef enum {
    // Gives a launch to the device, which may start it from then on. Fields: `launch`, `sequence`,
    // `packets`, `bytes`, `cost`, `cleanup`. No event reports that it is done.
    RADDLE_ACTION_KIND_SUBMIT = 1,
    // Starts workgroups, or some waves of each. Fields: `launch`, `waves`, `first_piece`,
    // `piece_count`, `first_place`, `place_count`. The event `WavesEnded` reports the end of each.
    RADDLE_ACTION_KIND_START = 2,
    // Starts a copy. Field: `launch`. The event `CopyEnded` reports its end.
    RADDLE_ACTION_KIND_START_COPY = 3,
    // Assigns a workgroup to a compute unit before its waves start. Fields: `launch`, `workgroup`,
    // `cu`.
    RADDLE_ACTION_KIND_ASSIGN = 4,
    // Takes a launch off the device. Fields: `launch`, `how`. The event `TakenOff` reports when
    // the launch is off.
    RADDLE_ACTION_KIND_TAKE_OFF = 5,
    // Lets a launch that was taken off the device continue. Field: `launch`. The event `Restored`
    // reports when it continues.
    RADDLE_ACTION_KIND_RESTORE = 6,
    // Raises the preemption flags of a process. Fields: `process`, `first_cut`, `cut_count`. A
    // launch leaves at its start if its `sequence` is in the range (cut) of its stream. The event
    // `Raised` reports that launches see the flags.
    RADDLE_ACTION_KIND_RAISE = 7,
    // Resets the compute units of a process. Field: `process`. The event `ResetOver` reports the
    // end; each launch that is killed has its own action `TakeOff`.
    RADDLE_ACTION_KIND_RESET = 8,
    // Says that the preemption of a process is complete; the host has nothing to do. Fields:
    // `process`, `how`, and `ticks`, the time since the process lost the turn (the right to issue
    // launches).
    RADDLE_ACTION_KIND_DRAINED = 9,
    // Says that a launch will never run; work that waits for it may go on. Fields: `launch`, `cu`,
    // `resource`, `wanted`, `available`.
    RADDLE_ACTION_KIND_REFUSE = 10,
    // Asks for the event `Woke` at a tick. Field: `ticks`, that tick.
    RADDLE_ACTION_KIND_WAKE_AT = 11,
    // Lowers the preemption flags (tested by each launch at its start) of a process, before any
    // launch that is submitted later starts. Field: `process`. No event reports it.
    RADDLE_ACTION_KIND_LOWER = 12,
    // An action that this version of the C interface does not know.
    RADDLE_ACTION_KIND_OTHER = 255,
} RaddleActionKind;

// Answer of a controller of preemptions to a call that preempts, escalates or resumes, or to a
// raised preemption flag (which each launch tests at its start).
typedef enum {
    // The call has taken effect: the preemption, the reset or the resume has begun.
    RADDLE_ANSWER_BEGUN = 0,
    // A resume, which waited for the end of the preemption, is cancelled; the process stays
    // preempted.
    RADDLE_ANSWER_RESUME_CANCELLED = 1,
    // A preemption is already under way or complete, so nothing has changed.
    RADDLE_ANSWER_ALREADY = 2,
    // The runtime does not have the wanted method of preemption: nothing has changed.
    RADDLE_ANSWER_MISSING = 3,
    // The process for which the work should leave is not more urgent, or is the same process:
    // nothing has changed.
    RADDLE_ANSWER_NOT_OUTRANKED = 4,
    // The wanted method takes no more work off the device than the method under way, so nothing
    // changes.
    RADDLE_ANSWER_NOT_STRONGER = 5,
    // No preemption is under way, and the process was neither preempted nor paused, so nothing has
    // changed.
    RADDLE_ANSWER_NOT_PREEMPTED = 6,
    // The process is still being preempted: the resume takes effect when that is complete.
    RADDLE_ANSWER_WAITS = 7,
    // No reset was asked for: launches only leave by the raised preemption flags, which they see
    // now.
    RADDLE_ANSWER_NOT_ASKED = 8,
    // There is no reset: the process has no launch in the runtime that may have begun.
    RADDLE_ANSWER_NO_RESET_EMPTY = 9,
    // There is no reset: a launch may not be run again.
    RADDLE_ANSWER_NO_RESET_NOT_IDEMPOTENT = 10,
    // There is no reset: a launch that does not leave by the preemption flag would stay, and run
    // before the killed ones.
    RADDLE_ANSWER_NO_RESET_NOT_FLAGGED = 11,
    // There is no reset: a launch was killed as often as allowed.
    RADDLE_ANSWER_NO_RESET_KILLED_OFTEN = 12,
    // There is no reset: it would also kill launches of a process that is not being preempted.
    RADDLE_ANSWER_NO_RESET_OTHER_PROCESS = 13,
    // There is no reset, for a reason that this version of the C interface does not know.
    RADDLE_ANSWER_NO_RESET = 14,
} RaddleAnswer;

// Knowledge whether waves of a workgroup wait for each other at a barrier.
typedef enum {
    // Nobody knows whether waves wait for each other, so it is assumed that they do.
    RADDLE_BARRIER_ASSUMED = 0,
    // No wave waits for another wave of its workgroup.
    RADDLE_BARRIER_NO = 1,
    // Waves of a workgroup wait for each other.
    RADDLE_BARRIER_YES = 2,
} RaddleBarrier;

// Kind of command that a controller of preemptions gives to the host.
typedef enum {
    // Gives a launch to the runtime; the host reports `Submitted` or `NotSubmitted`.
    RADDLE_COMMAND_KIND_SUBMIT = 1,
    // Raises the preemption flags (tested by each launch at its start) of a process, for the
    // submissions that `raddle_controller_cut` gives; the host reports `raddle_controller_raised`.
    RADDLE_COMMAND_KIND_RAISE = 2,
    // Lowers the preemption flags (tested by each launch at its start) of a process.
    RADDLE_COMMAND_KIND_LOWER = 3,
    // Resets the compute units of a process; the host reports each killed launch as `Killed`, then
    // `raddle_controller_drained`.
    RADDLE_COMMAND_KIND_RESET = 4,
    // Keeps further workgroups of a process from being placed; the host reports
    // `raddle_controller_drained` when none of its workgroups is on the device.
    RADDLE_COMMAND_KIND_HOLD = 5,
    // Lets the workgroups of a process start that `Hold` kept from starting.
    RADDLE_COMMAND_KIND_RELEASE = 6,
    // Saves the work of a process that is on the device; the host reports
    // `raddle_controller_drained` when none of it is on the device.
    RADDLE_COMMAND_KIND_SAVE = 7,
    // Restores the saved work of a process, which then runs on.
    RADDLE_COMMAND_KIND_RESTORE = 8,
    // Says that the preemption of the process is complete. The host has nothing to do.
    RADDLE_COMMAND_KIND_DRAINED = 9,
} RaddleCommandKind;

// Kinds of events that a host reports to a dispatcher. The text of each kind names the fields of
// `RaddleEvent` that it uses.
typedef enum {
    // A process has joined. Fields: `process`, `share` (1 or more).
    RADDLE_EVENT_KIND_PROCESS_JOINED = 1,
    // A process is gone. Field: `process`.
    RADDLE_EVENT_KIND_PROCESS_LEFT = 2,
    // A launch was issued and waits for the end of another launch. Field: `issued`, the launch.
    // The event `LaunchReady` follows.
    RADDLE_EVENT_KIND_LAUNCH_ISSUED = 3,
    // A launch was issued and waits for no other launch. Field: `issued`, the launch.
    RADDLE_EVENT_KIND_LAUNCH_READY = 4,
    // A copy was issued. Fields: `launch` (the id of the copy), `process`, `stream`, `level`,
    // `lasts`.
    RADDLE_EVENT_KIND_COPY_ISSUED = 5,
    // A copy waits for no other work any more. Field: `launch`, the id of the copy.
    RADDLE_EVENT_KIND_COPY_READY = 6,
    // A copy has ended. Field: `launch`, the id of the copy.
    RADDLE_EVENT_KIND_COPY_ENDED = 7,
    // Workgroups ended, or some waves of each. Fields: `launch`, `waves`, `pieces`, `piece_count`.
    RADDLE_EVENT_KIND_WAVES_ENDED = 8,
    // A launch was taken off the device as the dispatcher asked. Fields: `launch`, `how`, `done`.
    RADDLE_EVENT_KIND_TAKEN_OFF = 9,
    // A launch that was taken off the device may continue. Field: `launch`.
    RADDLE_EVENT_KIND_RESTORED = 10,
    // Every launch of a process that starts from now on sees the raised preemption flag of the
    // process. Field: `process`.
    RADDLE_EVENT_KIND_RAISED = 11,
    // The reset of a process's compute units is over. Field: `process`.
    RADDLE_EVENT_KIND_RESET_OVER = 12,
    // A program gives a hint. Fields: `process`, `hint`, `value`, and `stream` if `of_stream` is
    // not 0.
    RADDLE_EVENT_KIND_HINT = 13,
    // The tick has come that an action `WakeAt` named. No fields.
    RADDLE_EVENT_KIND_WOKE = 14,
} RaddleEventKind;

// Choice among the free runs (free blocks in a row) that are long enough; the lowest blocks of the
// chosen run are taken.
typedef enum {
    // Chooses the lowest free run (free blocks in a row) that is long enough.
    RADDLE_FIT_FIRST = 0,
    // Chooses the shortest free run (free blocks in a row) that is long enough, of equal ones the
    // lowest.
    RADDLE_FIT_BEST = 1,
    // Chooses the longest free run (free blocks in a row), of equal ones the lowest.
    RADDLE_FIT_WORST = 2,
    // Chooses the run with the lowest start at or after the end of the run that
    // `raddle_free_map_allocate` gave last by any fit (0 before the first); else the lowest run of
    // all.
    RADDLE_FIT_NEXT = 3,
} RaddleFit;

// Kinds of hints of a program about its work; the field `value` of the event has the number.
typedef enum {
    // The hint is the urgency of the work, as a level: 0 is the most urgent, 255 best effort.
    RADDLE_HINT_PRIORITY = 0,
    // The hint is the time in ticks after which the work should have ended, counted from when the
    // work became ready.
    RADDLE_HINT_DEADLINE = 1,
    // The hint is the time in ticks for which the work may wait before it becomes urgent, counted
    // from when the work became ready.
    RADDLE_HINT_LAXITY = 2,
    // The hint is the part of the device that the work is to have, in percent of the whole.
    RADDLE_HINT_UTILISATION = 3,
    // The hint is a number that a policy and its programs agree on.
    RADDLE_HINT_CUSTOM = 4,
} RaddleHint;

// Verdict whether a launch may be killed part-way and run again.
typedef enum {
    // Nobody knows whether the launch may be run again, so it is treated as one that may not.
    RADDLE_IDEMPOTENCE_UNKNOWN = 0,
    // The launch is proven idempotent: it may be killed and run again.
    RADDLE_IDEMPOTENCE_IDEMPOTENT = 1,
    // The launch is known not to be idempotent: it may not be run again.
    RADDLE_IDEMPOTENCE_NOT = 2,
} RaddleIdempotence;

// Division of the width of the circuit among the maps that one period searches.
typedef enum {
    // The maps are placed one behind the other, without gaps.
    RADDLE_LAYOUT_PACKED = 0,
    // The width has two halves, each for a map of at most half the width; a map that is alone in
    // its period has the whole width.
    RADDLE_LAYOUT_HALVES = 1,
} RaddleLayout;

// Properties of a running program that the policies of the daemon see; the value of a hint has the
// number.
typedef enum {
    // The urgency of the program to policies that read this hint, as a level: 0 is the most urgent.
    RADDLE_LIVE_HINT_PRIORITY = 0,
    // The time in nanoseconds after which work should have ended, counted from when the program got
    // work.
    RADDLE_LIVE_HINT_DEADLINE = 1,
    // The time in nanoseconds for which work may wait before it becomes urgent, counted from when the
    // program got work.
    RADDLE_LIVE_HINT_LAXITY = 2,
    // The part of the device that the program is to have, in percent of the whole.
    RADDLE_LIVE_HINT_UTILISATION = 3,
    // A number that a policy and its programs agree on.
    RADDLE_LIVE_HINT_CUSTOM = 4,
    // The urgency (level) that the daemon uses for the program: 0 is the most urgent; never more
    // urgent than the level that the program was granted.
    RADDLE_LIVE_HINT_LEVEL = 5,
    // The share of the program, an integer multiple of its weight, 1 or more.
    RADDLE_LIVE_HINT_SHARE = 6,
} RaddleLiveHint;

// Phase of a process with respect to preemption.
typedef enum {
    // The process is not preempted: its launches are submitted.
    RADDLE_PHASE_RUNNING = 0,
    // A preemption of the process is under way: its work is leaving the device.
    RADDLE_PHASE_DRAINING = 1,
    // The preemption of the process is complete: none of its work is on the device.
    RADDLE_PHASE_PREEMPTED = 2,
} RaddlePhase;

// Method of taking work off a device.
typedef enum {
    // No work is taken off: all submitted launches run to their end.
    RADDLE_PREEMPTION_WAIT = 0,
    // Launches that have not started go back to the buffer of their process; launches that run go
    // on to their end.
    RADDLE_PREEMPTION_FLAG = 1,
    // Workgroups that are on the device run to their end, and all that have not started are held
    // back.
    RADDLE_PREEMPTION_DRAIN = 2,
    // Workgroups that are on the device are killed, and their launch starts again.
    RADDLE_PREEMPTION_RESET = 3,
    // Workgroups that are on the device are saved, and later restored.
    RADDLE_PREEMPTION_SWITCH = 4,
} RaddlePreemption;

// Kind of packet that an agent (packet processor) received.
typedef enum {
    // The packet stands for one or more launches.
    RADDLE_RECEIVED_LAUNCHES = 0,
    // The packet is a barrier, which stands for no launch.
    RADDLE_RECEIVED_BARRIER = 1,
    // The packet is of a type that the format does not have; the host hands it on.
    RADDLE_RECEIVED_FOREIGN = 2,
} RaddleReceived;

// Rule that says which launches get an entry of the agent's table of stored launches.
typedef enum {
    // The first launches get an entry of the agent's table and keep it for ever.
    RADDLE_REPLACEMENT_FIRST = 0,
    // A new launch replaces the least recently used entry of the agent's table.
    RADDLE_REPLACEMENT_MOST_RECENT = 1,
    // Launches of the kernels that are launched most often get an entry of the agent's table.
    RADDLE_REPLACEMENT_FREQUENCY = 2,
} RaddleReplacement;

// Report of the host about a submission, by `raddle_controller_report`.
typedef enum {
    // The submit call of the launch has returned.
    RADDLE_REPORT_SUBMITTED = 0,
    // The runtime refused the launch for now, so the launch waits again to be submitted.
    RADDLE_REPORT_NOT_SUBMITTED = 1,
    // The launch has started, or at least tests the preemption flag now.
    RADDLE_REPORT_STARTED = 2,
    // The launch has run to its end.
    RADDLE_REPORT_FINISHED = 3,
    // The runtime refused the launch for good, or the launch died.
    RADDLE_REPORT_FAILED = 4,
    // The host has made sure that the launch leaves without having begun.
    RADDLE_REPORT_CLAIMED = 5,
    // The launch has left without doing its work, as the preemption flag that it tests at its
    // start was raised.
    RADDLE_REPORT_EXITED = 6,
    // The launch was killed by a reset.
    RADDLE_REPORT_KILLED = 7,
} RaddleReport;

// Extent of a reset: which running launches it kills.
typedef enum {
    // A reset kills all launches that run on the device.
    RADDLE_RESET_SCOPE_DEVICE = 0,
    // A reset kills all launches that run in the part of the device (a partition) that the process
    // has.
    RADDLE_RESET_SCOPE_PARTITION = 1,
    // A reset kills all running launches of one process.
    RADDLE_RESET_SCOPE_PROCESS = 2,
    // A reset kills the running launches of single streams of one process.
    RADDLE_RESET_SCOPE_QUEUE = 3,
    // A reset kills single launches of one process.
    RADDLE_RESET_SCOPE_LAUNCH = 4,
} RaddleResetScope;

// Resource of which a launch may need more than there is, as a number for C.
typedef enum {
    // The launch lacks wave slots of a compute unit.
    RADDLE_RESOURCE_WAVES = 0,
    // The launch lacks vector registers of a compute unit.
    RADDLE_RESOURCE_VGPR = 1,
    // The launch lacks scalar registers of a compute unit.
    RADDLE_RESOURCE_SGPR = 2,
    // The launch lacks shared memory (LDS) of a compute unit.
    RADDLE_RESOURCE_LDS = 3,
    // The launch lacks hardware barriers of a compute unit.
    RADDLE_RESOURCE_BARRIERS = 4,
    // The launch lacks workgroup slots of a compute unit.
    RADDLE_RESOURCE_WORKGROUPS = 5,
    // The launch lacks workgroups: its grid is empty.
    RADDLE_RESOURCE_GRID = 6,
    // The launch lacks compute units that the policy lets its process use.
    RADDLE_RESOURCE_CUS = 7,
    // The launch lacks a resource that this version of the C interface does not know.
    RADDLE_RESOURCE_OTHER = 255,
} RaddleResource;

// Reason why an SM gets a block: room for the whole block, room for some of its warps, or less
// urgent work on the SM.
typedef enum {
    // The SM takes whole blocks: it has all resources of every block that it gets.
    RADDLE_ROUTE_WHOLE = 0,
    // The SM can start one warp of the block at least, but does not have the resources of the
    // whole block.
    RADDLE_ROUTE_FIRST = 1,
    // All work on the SM is of lower priority than the block, which waits on the SM for warp
    // slots.
    RADDLE_ROUTE_SECOND = 2,
} RaddleRoute;

// Use of the part of a resource that a workgroup holds: by all its waves together, or by each wave
// for itself.
typedef enum {
    // Each wave uses an equal share of what the workgroup holds, in the order of the waves'
    // numbers.
    RADDLE_SHARE_PER_WAVE = 0,
    // Every wave uses all that the workgroup holds of the resource.
    RADDLE_SHARE_SHARED = 1,
} RaddleShare;

// Rule by which the length of a slice follows from the weights of the processes that were chosen
// to run.
typedef enum {
    // Gives slices as claim 7 of seed 004 (a patent) has them: a larger weight has a shorter
    // slice.
    RADDLE_SLICE_RULE_CLAIM = 0,
    // Gives every process the smallest slice, `t0`.
    RADDLE_SLICE_RULE_EQUAL = 1,
    // Gives slices in proportion to the weight; the average of the slices is the smallest slice,
    // `t0`.
    RADDLE_SLICE_RULE_MEAN = 2,
    // Gives slices in proportion to the weight; the slices of all processes together are as long
    // as under `Claim`.
    RADDLE_SLICE_RULE_INVERSE = 3,
    // Gives slices in proportion to the weight; the shortest of the slices is the smallest slice,
    // `t0`.
    RADDLE_SLICE_RULE_MIN_ONE = 4,
} RaddleSliceRule;

// Rule by which the check predicts where the run of blocks starts that a workgroup gets of a
// resource.
typedef enum {
    // Predicts no start: any free place is right.
    RADDLE_START_RULE_ANY = 0,
    // Predicts the start of the lowest run of free blocks that is long enough.
    RADDLE_START_RULE_FIRST = 1,
    // Predicts the start of the shortest run of free blocks that is long enough, of equal ones the
    // lowest.
    RADDLE_START_RULE_BEST = 2,
    // Predicts the start of the longest run of free blocks, of equal ones the lowest.
    RADDLE_START_RULE_WORST = 3,
    // Predicts the lowest start at or after the end of the part that was placed last; behind the
    // last block the search goes on at block 0.
    RADDLE_START_RULE_NEXT = 4,
    // Predicts a start at the end of the run placed last (a ring), or at 0 where the blocks up to
    // the end are too few; runs come back in the order in which they were placed.
    RADDLE_START_RULE_RING = 5,
} RaddleStartRule;

// Moment at which a process of a more urgent level takes over.
typedef enum {
    // The more urgent process starts when the running slice has ended.
    RADDLE_TAKE_OVER_SLICE_END = 0,
    // The more urgent process starts immediately, and the rest of the running slice is lost.
    RADDLE_TAKE_OVER_AT_ONCE = 1,
    // The more urgent process starts when all slices of the present load (the processes chosen to
    // run next) are used up.
    RADDLE_TAKE_OVER_BATCH_END = 2,
} RaddleTakeOver;

// Choice of the waves of each workgroup that start or end.
typedef enum {
    // All waves of each workgroup start or end; the fields `first` and `count` are not read.
    RADDLE_WAVE_KIND_ALL = 0,
    // Only `count` waves from the wave `first` on start or end, of a workgroup whose waves start
    // one part after the other on one compute unit.
    RADDLE_WAVE_KIND_RANGE = 1,
    // Only `count` waves from the wave `first` on start or end, of a workgroup that was cut into
    // waves, so that these waves are placed like a workgroup of their own.
    RADDLE_WAVE_KIND_CUT = 2,
} RaddleWaveKind;

// Kind of work that a host captures.
typedef enum {
    // The work is a kernel launch.
    RADDLE_WORK_KIND_KERNEL = 0,
    // The work is a copy or a fill of memory.
    RADDLE_WORK_KIND_COPY = 1,
    // The work is the record of an event, which finishes when all work before it in its stream
    // has.
    RADDLE_WORK_KIND_RECORD = 2,
    // The work is a wait for the end of other work, which the fields `after_stream` and
    // `after_order` name.
    RADDLE_WORK_KIND_WAIT = 3,
    // The work is a graph of kernels that is submitted as one launch.
    RADDLE_WORK_KIND_GRAPH = 4,
    // The work is a kernel that waits on the device for its peers on other devices or in other
    // processes.
    RADDLE_WORK_KIND_COLLECTIVE = 5,
} RaddleWorkKind;

// Agent on the side of the device, which makes launches of packets, with the help of a table of
// launches that it has stored.
typedef struct RaddleAgent RaddleAgent;

// Compute units of a device, with each granule of their resources free or taken by a workgroup.
typedef struct RaddleAllocator RaddleAllocator;

// Controllers that give blocks to streaming multiprocessors (SMs) and start their warps there
// (seed 003): a global one, and one for each SM.
typedef struct RaddleBlockWarp RaddleBlockWarp;

// Controller that preempts processes in software, a state machine without I/O: the host reports
// what happens, and asks what to do next. A submission is named by its process and its number,
// which is never used again.
typedef struct RaddleController RaddleController;

// Dispatcher, which takes events and returns actions. Time is in ticks of the caller, and never
// goes down; equal events at equal ticks give equal actions.
typedef struct RaddleDispatcher RaddleDispatcher;

// Encoder on the side of the host, which makes packets of launches.
typedef struct RaddleEncoder RaddleEncoder;

// Map of equal blocks of a resource, each free or taken. Blocks count from 0.
typedef struct RaddleFreeMap RaddleFreeMap;

// Checker of the parts of resources that a dispatcher hands out. First the resources are declared,
// then events are reported in the order of their clocks. Resources are numbered in the order in
// which they were declared.
typedef struct RaddlePlacementCheck RaddlePlacementCheck;

// Ring of equal blocks, handed out in runs of neighbouring blocks. A run begins at the tail, or at
// 0 where the blocks from the tail to the end are too few; a released run is reclaimed once all
// runs handed out before it are. Blocks count from 0.
typedef struct RaddleRing RaddleRing;

// Search for the length of the longest free run (free blocks in a row) of a map, with the answer
// that a search circuit of one kind gives (seed 000).
typedef struct RaddleSearch RaddleSearch;

// Circuit that searches several free maps one after the other: a round is made of periods, and
// each map is searched in one of them.
typedef struct RaddleShared RaddleShared;

// Two stages of time slicing: the first chooses the processes that run next, the second computes
// the length of the slice of each.
typedef struct RaddleSlices RaddleSlices;

// Counts of blocks of a map: all blocks, the free ones, and those in the longest free run (free
// blocks in a row).
typedef struct {
    // Number of all blocks of the map.
    uint32_t blocks;
    // Number of free blocks of the map.
    uint32_t free;
    // Length of the longest free run (free blocks in a row), in blocks.
    uint32_t longest;
} RaddleFreeBlocks;

// Free map that the circuit searches once in each round.
typedef struct {
    // Period in which the map is searched: that of the map before it in the list, or one more; 0
    // for the first map.
    uint32_t period;
    // Number of blocks of the map, free and taken.
    uint32_t blocks;
} RaddleSharedMap;

// Resources of one empty compute unit, in the granules in which they are allocated.
typedef struct {
    // Number of SIMDs (SM sub-partitions), 1 to 8.
    uint8_t simds;
    // Number of wave slots of one SIMD, 1 or more.
    uint16_t waves_per_simd;
    // Number of vector-register granules of one SIMD.
    uint16_t vgpr_per_simd;
    // Number of scalar-register granules of the compute unit; 65535 if scalar registers never
    // limit.
    uint16_t sgpr;
    // Number of granules of shared memory (LDS) of the compute unit.
    uint32_t lds;
    // Number of workgroup slots of the compute unit, 1 or more.
    uint16_t workgroups;
    // Number of hardware barriers of the compute unit.
    uint16_t barriers;
} RaddleCuShape;

// Resources that one workgroup takes, in granules. All its waves are equal.
typedef struct {
    // Number of waves of the workgroup, 1 or more.
    uint16_t waves;
    // Number of vector-register granules of one wave.
    uint16_t vgpr;
    // Number of scalar-register granules of one wave.
    uint16_t sgpr;
    // Number of granules of shared memory (LDS) of the workgroup.
    uint32_t lds;
    // Number of hardware barriers of the workgroup.
    uint16_t barriers;
} RaddleDemand;

// Result of a request to place a workgroup.
typedef struct {
    // Resource of which too little was free if the workgroup was refused, one of `RaddleResource`;
    // else 0.
    uint32_t lacks;
    // SIMD to pass as `simd` in the next request, if workgroups are to begin on one SIMD after the
    // other; also set where this request was refused.
    uint8_t rotation;
} RaddlePlacement;

// Place of one wave on its compute unit: where its part of each resource begins, in granules. All
// waves of a workgroup share one start in LDS.
typedef struct {
    // SIMD of the compute unit that runs the wave, from 0.
    uint8_t simd;
    // First vector-register granule of the wave, counted within the SIMD.
    uint16_t vgpr;
    // First scalar-register granule of the wave, counted within the compute unit.
    uint16_t sgpr;
    // First LDS granule of the workgroup, counted within the compute unit.
    uint32_t lds;
} RaddlePlace;

// Choice of the waves of each workgroup that start or end.
typedef struct {
    // Choice of the waves, one of `RaddleWaveKind`.
    uint32_t kind;
    // Number, within the workgroup, of the lowest wave that starts or ends, from 0.
    uint16_t first;
    // Number of waves that start or end; not read where `kind` is `All`.
    uint16_t count;
} RaddleWaves;

// Launch of one kernel: a number of equal workgroups. In the field `barrier` and all that follow
// it, 0 means that the value is unknown.
typedef struct {
    // Id of the launch, which no other launch of the dispatcher has.
    uint32_t id;
    // Id of the stream of the process in which the launch was issued.
    uint32_t stream;
    // Id of the process that issued the launch.
    uint16_t process;
    // Urgency of the launch: 0 is the most urgent, 255 is best effort.
    uint8_t level;
    // Number of workgroups of the grid, which are numbered from 0.
    uint64_t workgroups;
    // Resources that each workgroup takes.
    RaddleDemand demand;
    // Knowledge about barriers in the kernel, one of `RaddleBarrier`.
    uint32_t barrier;
    // Verdict whether the launch may be run again, one of `RaddleIdempotence`.
    uint32_t idempotent;
    // Time that the launch is expected to take alone on the device, in ticks.
    uint64_t estimate;
    // Number of instructions that one wave issues in 1,000 ticks, in this order: moves and
    // arithmetic, loads, stores, matrix, compares, jumps.
    uint32_t activity[6];
    // Number of the kernel within its process, from 1; 0 if unknown.
    uint32_t kernel;
    // Workgroups of the grid along x, y and z. The grid and all following fields count only where
    // `kernel` is not 0.
    uint32_t grid[3];
    // Number of work-items of one workgroup.
    uint32_t threads;
    // Shared memory (LDS) of one workgroup, in bytes.
    uint32_t lds_bytes;
    // 1 if a copy or a fill is between the launch and the launch before it in its stream, else 0.
    uint32_t behind_copy;
} RaddleLaunch;

// Workgroups `first`, `first + stride`, .. of one launch on one compute unit.
typedef struct {
    // Number of the lowest workgroup of the piece in its launch.
    uint64_t first;
    // Difference between the numbers of neighbouring workgroups, 1 or more.
    uint32_t stride;
    // Number of workgroups of the piece, 1 or more.
    uint32_t count;
    // Compute unit on which the workgroups of the piece are, from 0.
    uint16_t cu;
} RaddlePiece;

// Event that a host reports to a dispatcher. Fields that the kind does not name are not read.
typedef struct {
    // Kind of the event, one of `RaddleEventKind`.
    uint32_t kind;
    // Id of the launch or copy that the event concerns.
    uint32_t launch;
    // Id of the stream of the process that the event concerns.
    uint32_t stream;
    // Share of a process that joined, 1 or more: a factor of its weight where the device is
    // divided fairly among processes.
    uint32_t share;
    // Id of the process that the event concerns.
    uint16_t process;
    // Urgency of a copy: 0 is the most urgent, 255 is best effort.
    uint8_t level;
    // Any number but 0 for a hint about the one stream `stream`, 0 for a hint about the process.
    uint8_t of_stream;
    // Method by which the launch was taken off, one of `RaddlePreemption`.
    uint32_t how;
    // Waves that ended, of each workgroup that the pieces name.
    RaddleWaves waves;
    // Launch that was issued or is ready; not read for other kinds of events.
    const RaddleLaunch *issued;
    // Workgroups that ended, as pieces: equal workgroups of the launch on one compute unit each.
    const RaddlePiece *pieces;
    // Number of pieces in the list `pieces`.
    size_t piece_count;
    // Time that an issued copy takes, in ticks.
    uint64_t lasts;
    // Number of workgroups of the launch that had ended when it was taken off.
    uint64_t done;
    // Kind of the hint, one of `RaddleHint`.
    uint32_t hint;
    // Value of the hint, whose meaning its kind gives.
    uint64_t value;
} RaddleEvent;

// Action that the host carries out. Fields that the kind does not name are 0.
typedef struct {
    // Kind of the action, one of `RaddleActionKind`.
    uint32_t kind;
    // Id of the launch or copy that the action concerns.
    uint32_t launch;
    // Id of the process that the action concerns.
    uint16_t process;
    // Method by which work leaves the device, one of `RaddlePreemption`.
    uint32_t how;
    // Compute unit that the action concerns; -1 where a refusal concerns all compute units.
    int32_t cu;
    // Resource of which a refused launch needs more than there is, one of `RaddleResource`.
    uint32_t resource;
    // Waves that start, of each workgroup in the pieces of the action.
    RaddleWaves waves;
    // Index in `RaddleActions.pieces` of the first piece (equal workgroups on one compute unit)
    // that starts.
    size_t first_piece;
    // Number of pieces (equal workgroups on one compute unit each) that start, from `first_piece`
    // on.
    size_t piece_count;
    // Index in `RaddleActions.places` of the address (SIMD and granules) of the first wave that
    // starts. There is one address for each wave, in the order of the pieces.
    size_t first_place;
    // Number of addresses of waves, from `first_place` on; 0 where the policy gives no addresses.
    size_t place_count;
    // Index in `RaddleActions.cuts` of the first cut, the range of submission numbers that leave,
    // for an action that raises preemption flags. There is one cut for each stream that has
    // launches to leave.
    size_t first_cut;
    // Number of cuts (ranges of submission numbers that leave, one for each stream), from
    // `first_cut` on.
    size_t cut_count;
    // Number of the submission among the submissions of its process.
    uint64_t sequence;
    // Workgroup that is assigned to a compute unit, by its number in the launch.
    uint64_t workgroup;
    // Number of packets that the submission writes to the queue of the device.
    uint32_t packets;
    // Number of bytes that the submission writes to the queue of the device.
    uint64_t bytes;
    // Ticks until the device can start the submitted launch.
    uint64_t cost;
    // Ticks from the end of the submitted launch until its end is known.
    uint64_t cleanup;
    // Ticks since the process lost the turn, for `Drained`; tick at which `Woke` is due, for
    // `WakeAt`.
    uint64_t ticks;
    // Amount of the lacking resource that one workgroup needs, in granules or slots of that
    // resource.
    uint64_t wanted;
    // Amount of the lacking resource that was available, in granules or slots of that resource.
    uint64_t available;
} RaddleAction;

// Raised preemption flag of one stream: a launch of the stream leaves when it starts if its
// `sequence` is `from` or more, and below `to`.
typedef struct {
    // Id of the stream whose launches leave the device.
    uint32_t stream;
    // Number of the first launch that leaves the device; launches of the stream are numbered in the
    // order in which they were handed to the device.
    uint64_t from;
    // Number of the first later submission that does not leave the device.
    uint64_t to;
} RaddleStreamCut;

// Actions of one decision, in the order in which the host carries them out. The lists belong to
// the dispatcher, and are valid until its next decision, or until it is freed.
typedef struct {
    // Actions of the decision, in the order in which the host carries them out.
    const RaddleAction *list;
    // Number of actions in `list`.
    size_t count;
    // Pieces (equal workgroups on one compute unit) of all actions that start workgroups; an
    // action names its own by `first_piece` and `piece_count`.
    const RaddlePiece *pieces;
    // Number of pieces in the list `pieces`.
    size_t piece_count;
    // Places (addresses on a compute unit) of the waves that start, of all actions; an action
    // names its own by index and count.
    const RaddlePlace *places;
    // Number of entries in the list `places`, each the address of one wave.
    size_t place_count;
    // Ranges of submission numbers that leave, one for each stream, of all actions that raise
    // preemption flags; an action names its own by `first_cut` and `cut_count`.
    const RaddleStreamCut *cuts;
    // Number of entries in the list `cuts`, each the range of one stream.
    size_t cut_count;
} RaddleActions;

// Free resources of one compute unit.
typedef struct {
    // Number of free wave slots.
    uint64_t waves;
    // Number of free vector-register granules, over all SIMDs.
    uint64_t vgpr;
    // Number of free scalar-register granules.
    uint64_t sgpr;
    // Number of free granules of shared memory (LDS).
    uint64_t lds;
    // Number of free workgroup slots.
    uint64_t workgroups;
    // Number of free hardware barriers.
    uint64_t barriers;
} RaddleFreeAmounts;

// Resources of one SM: all of them, or those that are free.
typedef struct {
    // Registers, in a unit that the caller chooses and that is the same for SMs and kernels.
    uint64_t registers;
    // Number of hardware warps, each a slot for one warp.
    uint64_t warps;
    // Shared memory, in a unit that the caller chooses and that is the same for SMs and kernels.
    uint64_t shared;
} RaddleSmResources;

// Choices between two readings of the rules by which blocks and warps are given to SMs (seed 003).
// Where a function takes a null pointer instead, the defaults apply.
typedef struct {
    // 1 if an SM may get a single warp only where it has more of each resource than the warp
    // needs, 0 if it needs to have just as much. Default 0.
    uint32_t strict;
    // 1 if, of several SMs that qualify, the one with the most room is taken, 0 if the lowest one.
    // Default 0.
    uint32_t most_free;
    // 1 if the next kernel is tried when the most important one cannot be placed, 0 if not.
    // Default 0.
    uint32_t fall_through;
    // 1 if a less important block may take a warp slot that the most important waiting block
    // cannot use, 0 if not. Default 1.
    uint32_t backfill;
    // 1 if a block with a barrier starts as a whole or not at all, 0 if it may start warp by warp.
    // Default 1.
    uint32_t whole_blocks_for_barriers;
} RaddleBlockWarpConfig;

// Kernel that arrives at the controllers, with the resources that its blocks need.
typedef struct {
    // Id of the kernel; no other unfinished kernel has it.
    uint32_t id;
    // 1 if the warps of a block wait for each other at a barrier, else 0.
    uint32_t barrier;
    // Rank of the kernel: the smaller, the more urgent.
    uint64_t rank;
    // Number of blocks of the kernel, 1 or more.
    uint64_t blocks;
    // Number of warps of one block, 1 or more.
    uint64_t warps;
    // Registers that one warp takes, in a unit that the caller chooses and that is the same for
    // SMs and kernels.
    uint64_t registers;
    // Shared memory that one block takes, in a unit that the caller chooses and that is the same
    // for SMs and kernels.
    uint64_t shared;
} RaddleKernel;

// Reason why a kernel is refused: one of its blocks needs more of a resource than an SM has.
typedef struct {
    // Resource of which an empty SM has too little, one of `RaddleResource`.
    uint32_t resource;
    // Amount of the resource that a block needs.
    uint64_t wanted;
    // Amount of the resource that an empty SM has.
    uint64_t available;
} RaddleLack;

// Blocks of one kernel that a decision gives to an SM.
typedef struct {
    // Route by which the blocks come to the SM, one of `RaddleRoute`.
    uint32_t route;
    // Id of the kernel whose blocks the SM gets.
    uint32_t kernel;
    // SM that gets the blocks, from 0.
    uint16_t sm;
    // Number, in the kernel, of the first block that the SM gets, from 0.
    uint64_t first;
    // Number of blocks that the decision gives to the SM.
    uint64_t count;
    // Number of blocks that the SM could have taken whole (N1 of seed 003); 0 if the route is not
    // `Whole`.
    uint64_t n1;
} RaddleDistribution;

// Warps of one block that start on an SM.
typedef struct {
    // Id of the kernel whose warps start.
    uint32_t kernel;
    // 1 if all warps of the block have started now, else 0.
    uint32_t last;
    // Number of the block in its kernel.
    uint64_t block;
    // Number, in the block, of the first warp that starts, from 0.
    uint64_t first;
    // Number of warps of the block that start.
    uint64_t count;
} RaddleStarted;

// Answer to the report that a warp has ended: whether its block and its kernel ended with it.
typedef struct {
    // SM on which the warp ran; call `raddle_block_warp_serve` for it next.
    uint16_t sm;
    // 1 if the warp was the last one of its block, else 0.
    uint32_t block_done;
    // 1 if the warp was the last one of its kernel, else 0.
    uint32_t kernel_done;
} RaddleWarpEnd;

// Settings of the two stages of time slicing: the first chooses the processes that run next, the
// second their slices.
typedef struct {
    // Length of the smallest slice, from which all slices are computed, in ticks, 1 or more.
    uint64_t t0;
    // Length of the longest slice, in ticks; 0 for no limit.
    uint64_t longest;
    // Most processes that are chosen to run next, each with a slice of its own, 1 or more.
    size_t capacity;
    // Rule for the length of slices, one of `RaddleSliceRule`.
    uint32_t rule;
    // 1 if a share counts twice in the weight from which the length of slices is computed: under
    // rules in proportion to the weight, run times are then in proportion to the shares. 0 if a
    // share counts once.
    uint32_t shares_as_time;
    // 1 if the processes that were chosen to run get their slices again and again until all have
    // completed; 0 if each gets one slice.
    uint32_t until_completion;
    // Moment at which a more urgent process takes over, one of `RaddleTakeOver`.
    uint32_t take_over;
    // 1 if the processes that were chosen to run get their slices in a random order drawn with
    // `seed`; 0 if in the order in which they were chosen.
    uint32_t random;
    // Seed of the random order; not used where `random` is 0.
    uint64_t seed;
} RaddleSliceConfig;

// Process that can run now, as the host lists it.
typedef struct {
    // Number by which the host names the process; each process is in the pool once.
    uint64_t id;
    // Share of the process, 1 or more: the factor of its weight.
    uint64_t share;
    // Time for which the process has had work (its alive time), in ticks.
    uint64_t alive;
    // Time for which the process has had waves on the device, in ticks.
    uint64_t ran;
    // Urgency of the process: 0 is the most urgent.
    uint8_t level;
} RaddlePoolEntry;

// Slice of time that the host gives to a process next.
typedef struct {
    // Process that the slice is for, by the host's number.
    uint64_t id;
    // Length of the slice in ticks, 1 or more.
    uint64_t length;
} RaddleSlice;

// Settings of the packet format for the points that seed 002 (a patent) leaves open. Where a
// function takes them, null means the defaults.
typedef struct {
    // Type number of an ordinary packet, which holds one whole launch; the default is 2.
    uint8_t dispatch;
    // Type number of a reference packet, which holds one whole launch that the agent also stores
    // in its table; the default is 7.
    uint8_t reference;
    // Type number of a condensed packet, which stands for several launches, each as a stored
    // launch and the differences from it; the default is 6.
    uint8_t condensed;
    // 1 if the half-words of a value are in the order of the most significant one first, else 0;
    // the default is 0.
    uint8_t half_words_high_first;
    // 1 if the number of the table entry stands in the highest bits of a header, 0 if in the
    // lowest; the default is 0.
    uint8_t header_bits_high_first;
    // 1 if the private size (scratch memory) has 16 bits, 0 if 32; the default is 0.
    uint8_t narrow_private;
    // Type number of a barrier that waits for all of its signals, or -1 if there is none; the
    // default is 3.
    int16_t barrier_and;
    // Type number of a barrier that waits for one of its signals, or -1 if there is none; the
    // default is 5.
    int16_t barrier_or;
    // Number of launches that the agent's table can store, 1 to 8; the default is 8.
    uint16_t entries;
} RaddleAqlConfig;

// Fields of a launch, as in an AQL dispatch packet.
typedef struct {
    // Address of the kernel's code.
    uint64_t kernel_object;
    // Address of the launch's arguments.
    uint64_t kernarg_address;
    // Signal to which the end of the launch is reported; 0 is no signal.
    uint64_t completion_signal;
    // Number of work-items of the grid along x.
    uint32_t grid_size_x;
    // Number of work-items of the grid along y.
    uint32_t grid_size_y;
    // Number of work-items of the grid along z.
    uint32_t grid_size_z;
    // Scratch memory of one work-item, in bytes.
    uint32_t private_segment_size;
    // Shared memory (LDS) of one workgroup, in bytes.
    uint32_t group_segment_size;
    // Number of dimensions of the grid, 1 to 3.
    uint16_t setup;
    // Number of work-items of one workgroup along x.
    uint16_t workgroup_size_x;
    // Number of work-items of one workgroup along y.
    uint16_t workgroup_size_y;
    // Number of work-items of one workgroup along z.
    uint16_t workgroup_size_z;
    // Bits for ordering: bit 0 is the barrier bit, bits 1 and 2 are the acquire scope, bits 3 and
    // 4 the release scope.
    uint8_t synch_scopes;
} RaddleKernelDispatch;

// Packet of the Architected Queuing Language (AQL): 64 bytes of a queue of the device.
typedef struct {
    // Bytes of the packet, as they stand in the queue.
    uint8_t bytes[64];
} RaddlePacket;

// Abilities of a runtime, and settings of a controller. In a field of 8 bits, any number but 0
// means yes.
typedef struct {
    // 1 if kernels test a preemption flag before they begin, else 0.
    uint8_t can_flag;
    // 1 if workgroups that have not started can be held back, else 0.
    uint8_t can_drain;
    // 1 if running launches can be killed, else 0; allowed only with `can_flag`.
    uint8_t can_reset;
    // 1 if workgroups that are on the device can be saved and restored, else 0.
    uint8_t can_switch;
    // 1 if a launch tests the preemption flag once, before its first workgroup; 0 if each
    // workgroup tests it.
    uint8_t latched;
    // 1 if work that does not test the preemption flag can be taken out of the runtime before it
    // begins, else 0.
    uint8_t withdraws;
    // Extent of a reset of this runtime, one of `RaddleResetScope`.
    uint32_t scope;
    // Most launches of one process that are in the runtime at a time, 1 or more; 8 in seed 001.
    uint32_t window;
    // Most launches of one process that may wait in its queues; 0 for no limit.
    uint32_t most_waiting;
    // Most times that one launch may be killed by resets; 0 for no limit.
    uint32_t most_kills;
} RaddleControllerConfig;

// Command of a controller of preemptions: the next action of the host.
typedef struct {
    // Kind of the command, one of `RaddleCommandKind`.
    uint32_t kind;
    // Small number of a submission, for use as an index in tables of the host: it is below the
    // setting `window`, and no other submission of the process in the runtime has it now. 0 for
    // other commands.
    uint32_t slot;
    // Id of the stream of a submission; 0 for other commands.
    uint32_t stream;
    // 1 for `Drained` if a resume waited for the end of the preemption and takes effect now, else
    // 0.
    uint32_t resumed;
    // Number of a submission; 0 for other commands. While the preemption flag is raised, a launch
    // leaves at its start if its number is in the range that `raddle_controller_cut` gives.
    uint64_t sequence;
    // Payload of the submitted work, as the host gave it; 0 for other commands.
    uint64_t payload;
    // Id of the process that the command concerns.
    uint16_t process;
} RaddleCommand;

// Work that a host captured, for one stream of a process.
typedef struct {
    // Number of the host's choice, which comes back with the command to submit the work.
    uint64_t payload;
    // Kind of the work, one of `RaddleWorkKind`.
    uint32_t kind;
    // Verdict whether the work may be killed and run again, one of `RaddleIdempotence`.
    uint32_t idempotent;
    // Any number but 0 if the work tests the preemption flag, else 0.
    uint32_t tests_flag;
    // Stream of the work that a wait waits for; not read for other kinds of work.
    uint32_t after_stream;
    // Order of capture of the work that a wait waits for: the number that
    // `raddle_controller_captured` wrote for that work; not read for other kinds of work.
    uint64_t after_order;
} RaddleWork;

// State of a process under a controller of preemptions.
typedef struct {
    // Phase of the process, one of `RaddlePhase`.
    uint32_t phase;
    // 1 while a preemption flag (tested by each launch at its start) of the process is raised,
    // else 0.
    uint32_t raised;
    // Number of launches that wait in the queues of the process to be submitted.
    size_t buffered;
    // Number of launches of the process in the runtime.
    size_t in_flight;
    // Number that changes when a launch of the process has ended, or its queues have room again:
    // then work that was refused may be captured.
    uint64_t generation;
} RaddleProcess;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the text of the last error in this thread; empty before the first error. The text stands
// until the next error in this thread, or the end of the thread. Answers that are no errors do not
// change it.
const char *raddle_last_error(void);

// Returns a few words on what a status means, for every number. The text is never freed.
const char *raddle_status_text(int32_t status);

// Returns the version of the library, such as "0.1.0". Below 1.0.0, functions and structs may
// change with the second number: compare it with the version of the header, `RADDLE_VERSION`. The
// text stands for ever.
const char *raddle_version(void);

// Frees the object of a handle, whatever its kind. The handle never names an object again. A null
// handle is no error and changes nothing.
RaddleStatus raddle_free(void *handle);

// Makes a map of `blocks` blocks, 1 or more, all free. Writes its handle to `map`.
RaddleStatus raddle_free_map_new(uint32_t blocks, RaddleFreeMap **map);

// Makes a map from words, and writes its handle to `map`: bit `i % 64` of word `i / 64` is block
// `i`, 1 is free, and bits past the last block are 0. There are `blocks / 64` words, rounded up.
RaddleStatus raddle_free_map_from_words(const uint64_t *words,
                                        size_t count,
                                        uint32_t blocks,
                                        RaddleFreeMap **map);

// Writes the map as words, as `raddle_free_map_from_words` reads them, and the number of words to
// `count`. Where `words` has too little room, only the number is written, and the answer is
// `Room`.
RaddleStatus raddle_free_map_words(const RaddleFreeMap *map, uint64_t *words, size_t capacity, size_t *count);

// Writes to `free` the number of blocks of a map, of its free blocks, and of those in its longest
// free run (free blocks in a row).
RaddleStatus raddle_free_map_count(const RaddleFreeMap *map, RaddleFreeBlocks *free);

// Finds a run of `want` free blocks in a row by the choice `fit`, one of `RaddleFit`, and writes
// its first block to `start`; takes nothing. A run of 0 blocks starts at 0. Answers `Refused`
// where no run is long enough.
RaddleStatus raddle_free_map_find(const RaddleFreeMap *map, uint32_t fit, uint32_t want, uint32_t *start);

// Finds a run of `want` free blocks in a row by the choice `fit`, one of `RaddleFit`, takes it,
// and writes its first block to `start`. A run of 0 blocks starts at 0. Answers `Refused`, and
// takes nothing, where no run is long enough.
RaddleStatus raddle_free_map_allocate(RaddleFreeMap *map, uint32_t fit, uint32_t want, uint32_t *start);

// Takes the `len` blocks from `start`. Answers `Refused`, and takes nothing, where one of them is
// taken; the answer is `Invalid` where they lie past the end.
RaddleStatus raddle_free_map_take(RaddleFreeMap *map, uint32_t start, uint32_t len);

// Gives back the `len` blocks from `start`; they may have been taken by several calls. The answer
// is `Invalid`, with nothing changed, where one of them is free or past the end.
RaddleStatus raddle_free_map_release(RaddleFreeMap *map, uint32_t start, uint32_t len);

// Adds `by` free blocks behind the last block of the map.
RaddleStatus raddle_free_map_grow(RaddleFreeMap *map, uint32_t by);

// Makes a ring of `blocks` blocks, 1 or more, of which no run is handed out. Writes its handle to
// `ring`.
RaddleStatus raddle_ring_new(uint32_t blocks, RaddleRing **ring);

// Writes to `start` the block at which a run of `want` blocks would begin, and takes nothing. A
// run of 0 blocks begins at 0. Answers `Refused` where there is no room.
RaddleStatus raddle_ring_find(const RaddleRing *ring, uint32_t want, uint32_t *start);

// Hands out a run of `want` blocks, and writes to `start` the block at which it begins. Answers
// `Refused` where there is no room.
RaddleStatus raddle_ring_allocate(RaddleRing *ring, uint32_t want, uint32_t *start);

// Gives back the run of 1 or more blocks that begins at the block `start`; an error where no run
// that is handed out begins there.
RaddleStatus raddle_ring_release(RaddleRing *ring, uint32_t start);

// Makes the search that reports the longest free run (free blocks in a row) exactly, for maps of
// every size. Writes its handle to `search`.
RaddleStatus raddle_search_full(RaddleSearch **search);

// Makes the search that cuts a map of `blocks` blocks into `groups` equal groups, and reports a
// multiple of the size of a group: a lower bound of the longest free run (free blocks in a row).
// Writes its handle to `search`.
RaddleStatus raddle_search_grouped(uint32_t blocks, uint32_t groups, RaddleSearch **search);

// Makes the search that looks for free runs of k + 1 blocks in a row for each k of a list, in maps
// of `blocks` blocks, and reports the longest of them: a lower bound of the longest run. Writes
// its handle to `search`. The list is ascending, and each k is below `blocks`.
RaddleStatus raddle_search_sampled(uint32_t blocks, const uint32_t *k, size_t count, RaddleSearch **search);

// Writes to `longest` the length that the search reports for the longest free run of a map, in
// blocks. An error where the search is for maps of another size.
RaddleStatus raddle_search_longest(const RaddleSearch *search, const RaddleFreeMap *map, uint32_t *longest);

// Makes a circuit `width` blocks wide, where the maps of one period have no more than `bound`
// blocks together. Writes its handle to `shared`. `layout` is one of `RaddleLayout`.
RaddleStatus raddle_shared_new(uint32_t width,
                               uint32_t bound,
                               const RaddleSharedMap *maps,
                               size_t count,
                               uint32_t layout,
                               RaddleShared **shared);

// Writes to `longest` the length in blocks of the longest free run (free blocks in a row) of each
// map of a period, in the order of the maps. `count` is the number of maps of the period.
RaddleStatus raddle_shared_longest(const RaddleShared *shared,
                                   uint32_t period,
                                   const RaddleFreeMap *const *maps,
                                   size_t count,
                                   uint32_t *longest);

// Makes an allocator of `cus` empty compute units, 1 or more, of one shape. Writes its handle to
// `allocator`.
RaddleStatus raddle_allocator_new(const RaddleCuShape *shape, uint16_t cus, RaddleAllocator **allocator);

// Places a workgroup on a compute unit and takes the granules that it needs. Writes to `places`
// the address (SIMD and granules) of each wave, in the order of the waves.
//
// `simd` chooses the SIMD of each wave: -1 takes the SIMD with room for most further waves.
// Another number takes the first SIMD with room from `simd` on, going round, and the search for
// each further wave begins one SIMD further. `placement` and `places` may be null, the latter with
// a capacity of 0; otherwise there must be room for all waves, and `Room` has changed nothing.
// Answers `Refused` where the workgroup does not fit.
RaddleStatus raddle_allocator_allocate(RaddleAllocator *allocator,
                                       uint16_t cu,
                                       const RaddleDemand *demand,
                                       int32_t simd,
                                       uint32_t launch,
                                       uint64_t workgroup,
                                       RaddlePlacement *placement,
                                       RaddlePlace *places,
                                       size_t capacity);

// Frees all granules that a workgroup has on the compute unit `cu`; an error, with nothing
// changed, where the workgroup is not there.
RaddleStatus raddle_allocator_release(RaddleAllocator *allocator,
                                      uint16_t cu,
                                      uint32_t launch,
                                      uint64_t workgroup);

// Frees all granules that the workgroups of a launch have, and stores their places for
// `raddle_allocator_restore`.
RaddleStatus raddle_allocator_save(RaddleAllocator *allocator, uint32_t launch);

// Takes again exactly the places that the workgroups of a launch had when it was saved. Writes to
// `displaced` the number of workgroups of which some granules are taken by other work now. These
// workgroups hold no granules, and their compute units take no new workgroup until they have been
// released.
RaddleStatus raddle_allocator_restore(RaddleAllocator *allocator, uint32_t launch, size_t *displaced);

// Writes the number of workgroups that are on the device to `workgroups`.
RaddleStatus raddle_allocator_count(const RaddleAllocator *allocator, size_t *workgroups);

// Makes a checker of 1 to 65536 compute units without resources, and writes its handle to `check`.
// `wave_slots` is the most waves that are on a unit at a time, 0 for any number. `lag`, mostly 0,
// is the number of clocks between the moment at which the device chooses where a workgroup's part
// of a resource starts and the event that reports it: a start is right if the rule predicts it for
// any moment in between. With a lag, and no rule for any resource, the first event is an error.
RaddleStatus raddle_placement_check_new(uint32_t units,
                                        uint32_t wave_slots,
                                        uint64_t lag,
                                        RaddlePlacementCheck **check);

// Declares a resource that every unit has: its number of blocks, 1 or more, its use by waves, one
// of `RaddleShare`, and its rule for starts, one of `RaddleStartRule`.
RaddleStatus raddle_placement_check_resource(RaddlePlacementCheck *check,
                                             const char *name,
                                             uint32_t blocks,
                                             uint32_t share,
                                             uint32_t starts);

// Reports that a workgroup of `waves` waves waits for a place since the clock `clock` (a time of
// the caller, in clocks). `sizes` has the number of blocks that it wants of each resource. Here
// and in all events, the answer `Finding` says that a rule is broken, `RADDLE_NOT_TOLD` means that
// a number is not known, and numbers go up to 2^62 - 1.
RaddleStatus raddle_placement_check_request(RaddlePlacementCheck *check,
                                            uint64_t clock,
                                            uint64_t workgroup,
                                            uint64_t waves,
                                            const uint64_t *sizes,
                                            size_t count);

// Reports that a workgroup of `waves` waves gets its part of a unit's resources at the clock
// `clock`. `starts` has the first block and `sizes` the number of blocks of each resource, `count`
// numbers each; a resource of which it gets no block has size 0, and any start.
RaddleStatus raddle_placement_check_place(RaddlePlacementCheck *check,
                                          uint64_t clock,
                                          uint64_t unit,
                                          uint64_t workgroup,
                                          uint64_t waves,
                                          const uint64_t *starts,
                                          const uint64_t *sizes,
                                          size_t count);

// Reports that a wave starts at the clock `clock`. `wave` is its number within the workgroup, from
// 0, `tag` the name that the unit gives it, and `bases` has the first block of its part of each
// resource.
RaddleStatus raddle_placement_check_wave(RaddlePlacementCheck *check,
                                         uint64_t clock,
                                         uint64_t unit,
                                         uint64_t workgroup,
                                         uint64_t wave,
                                         uint64_t tag,
                                         const uint64_t *bases,
                                         size_t count);

// Reports that a wave of a workgroup ends on a compute unit at the clock `clock`; where neither
// `wave` nor `tag` is given (both are `RADDLE_NOT_TOLD`), that all waves of the workgroup end.
RaddleStatus raddle_placement_check_end(RaddlePlacementCheck *check,
                                        uint64_t clock,
                                        uint64_t unit,
                                        uint64_t workgroup,
                                        uint64_t wave,
                                        uint64_t tag);

// Reports that a workgroup gives back, at the clock `clock`, all that it holds of the resources of
// a compute unit.
RaddleStatus raddle_placement_check_free(RaddlePlacementCheck *check,
                                         uint64_t clock,
                                         uint64_t unit,
                                         uint64_t workgroup);

// Ends the check, and writes the number of all findings (broken rules) to `findings`; requests
// that are still open may be findings, too. Events after this call are errors.
RaddleStatus raddle_placement_check_finish(RaddlePlacementCheck *check, uint64_t *findings);

// Writes to `text` the address of the report so far, as `raddle check-placement` prints it; a
// `line` in it is the number of an event, from 1. The text stands until the next call for a text
// of this check, or until the check is freed.
RaddleStatus raddle_placement_check_text(RaddlePlacementCheck *check, const char **text);

// Makes a dispatcher for `cus` empty compute units of one shape, and writes its handle to
// `dispatcher`. `recipe` is a text that names the dispatcher's policies (TOML, or JSON where it
// begins with `{`). `log` is the name of a file for the decision log, or null:
// `raddle log FILE --check` and `raddle log FILE --replay` read it. A file of this name is written
// over.
RaddleStatus raddle_dispatcher_new(const char *recipe,
                                   const RaddleCuShape *shape,
                                   uint16_t cus,
                                   const char *log,
                                   RaddleDispatcher **dispatcher);

// Ends the decision log; without this call before the dispatcher is freed, the end of the log is
// lost. Does nothing where there is no log.
RaddleStatus raddle_dispatcher_finish(RaddleDispatcher *dispatcher);

// Reports to the dispatcher an event of the tick `now`. Report all events of one tick first, and
// then call `raddle_dispatcher_decide` once.
RaddleStatus raddle_dispatcher_event(RaddleDispatcher *dispatcher, uint64_t now, const RaddleEvent *event);

// Decides what to do at the tick `now`, and writes the actions: none where no event was reported
// since the last decision. An error means that a policy broke its law; do not go on with this
// dispatcher then.
RaddleStatus raddle_dispatcher_decide(RaddleDispatcher *dispatcher, uint64_t now, RaddleActions *actions);

// Writes 1 to `ahead` if the dispatcher takes the events `LaunchIssued` (a launch that waits for
// another) and `CopyIssued`, which it does where its recipe has a `window`; else 0.
RaddleStatus raddle_dispatcher_looks_ahead(const RaddleDispatcher *dispatcher, uint32_t *ahead);

// Writes the free resources of a compute unit, as the dispatcher counts them, to `free`.
RaddleStatus raddle_dispatcher_free(const RaddleDispatcher *dispatcher, uint16_t cu, RaddleFreeAmounts *free);

// Makes the controllers that give blocks to `sms` equal SMs, 1 or more, and start their warps.
// `each` has the resources of one SM; `config` may be null for the defaults. Writes the handle to
// `block_warp`.
RaddleStatus raddle_block_warp_new(uint16_t sms,
                                   const RaddleSmResources *each,
                                   const RaddleBlockWarpConfig *config,
                                   RaddleBlockWarp **block_warp);

// Adds a kernel that arrives. Answers `Refused`, and writes the resource that an SM has too little
// of to `lack`, where a block of the kernel never fits an SM; `lack` may be null.
RaddleStatus raddle_block_warp_arrive(RaddleBlockWarp *block_warp,
                                      const RaddleKernel *kernel,
                                      RaddleLack *lack);

// Makes one decision of the global controller and writes which blocks go to which SM. Answers
// `Empty` when no block can be distributed. Call `raddle_block_warp_serve` for the SM before the
// next decision.
RaddleStatus raddle_block_warp_decide(RaddleBlockWarp *block_warp, RaddleDistribution *distribution);

// Makes one step of the controller of an SM, which starts warps of one block, and writes to
// `started` which warps these are. Answers `Empty` when no warp can start now.
RaddleStatus raddle_block_warp_serve(RaddleBlockWarp *block_warp, uint16_t sm, RaddleStarted *started);

// Reports that one warp of a block has ended. Writes to `end` whether it was the last of its block
// or kernel.
RaddleStatus raddle_block_warp_ended(RaddleBlockWarp *block_warp,
                                     uint32_t kernel,
                                     uint64_t block,
                                     RaddleWarpEnd *end);

// Writes the resources that are free on an SM to `remaining`.
RaddleStatus raddle_block_warp_remaining(const RaddleBlockWarp *block_warp,
                                         uint16_t sm,
                                         RaddleSmResources *remaining);

// Makes both stages of time slicing, while no process is chosen to run yet. Writes the handle to
// `slices`.
RaddleStatus raddle_slices_new(const RaddleSliceConfig *config, RaddleSlices **slices);

// Writes the next slice to `slice`. `pool` lists the processes that can run now. Answers `Empty`
// for an empty pool.
RaddleStatus raddle_slices_next(RaddleSlices *slices,
                                const RaddlePoolEntry *pool,
                                size_t count,
                                RaddleSlice *slice);

// Writes 1 to `cuts` if a process of the pool ends the running slice now, because its level is
// more urgent than `running`, the level of that slice; else 0.
RaddleStatus raddle_slices_cuts(const RaddleSlices *slices,
                                uint8_t running,
                                const RaddlePoolEntry *pool,
                                size_t count,
                                uint32_t *cuts);

// Makes an encoder for an agent whose table of stored launches is empty, and writes its handle to
// `encoder`. `replacement` is one of `RaddleReplacement`. An entry counts as near to a launch of
// the same kernel if the launch differs from it by up to `near` half-words; 9 is usual.
RaddleStatus raddle_encoder_new(const RaddleAqlConfig *config,
                                uint32_t replacement,
                                uint16_t near,
                                RaddleEncoder **encoder);

// Takes a launch, and writes the packets that it completes to `packets`, and their number to
// `count`. `packets` must have room for `RADDLE_PACKETS_AT_ONCE` packets; else the answer is
// `Room`, and nothing has changed.
RaddleStatus raddle_encoder_launch(RaddleEncoder *encoder,
                                   const RaddleKernelDispatch *dispatch,
                                   RaddlePacket *packets,
                                   size_t capacity,
                                   size_t *count);

// Takes a packet that keeps the order, such as a barrier, and writes the packets that it completes
// to `packets`, that packet itself included, and their number to `count`. `packets` must have room
// for `RADDLE_PACKETS_AT_ONCE` packets.
RaddleStatus raddle_encoder_barrier(RaddleEncoder *encoder,
                                    const RaddlePacket *barrier,
                                    RaddlePacket *packets,
                                    size_t capacity,
                                    size_t *count);

// Writes the condensed packet that is being filled, if launches are in it, and the number of
// packets written (0 or 1) to `count`. `packets` must have room for `RADDLE_PACKETS_AT_ONCE`
// packets.
RaddleStatus raddle_encoder_flush(RaddleEncoder *encoder,
                                  RaddlePacket *packets,
                                  size_t capacity,
                                  size_t *count);

// Makes an agent whose table of stored launches is empty. Writes its handle to `agent`.
RaddleStatus raddle_agent_new(const RaddleAqlConfig *config, RaddleAgent **agent);

// Takes a packet, writes its kind, one of `RaddleReceived`, to `kind`, its launches to `launches`
// and their number to `count`; `launches` must have room for `RADDLE_LAUNCHES_OF_PACKET` of them.
// A packet that is malformed, or names an empty entry of the table, is an error and has changed
// nothing.
RaddleStatus raddle_agent_receive(RaddleAgent *agent,
                                  const RaddlePacket *packet,
                                  uint32_t *kind,
                                  RaddleKernelDispatch *launches,
                                  size_t capacity,
                                  size_t *count);

// Makes a controller of preemptions, without processes. Writes its handle to `controller`.
RaddleStatus raddle_controller_new(const RaddleControllerConfig *config, RaddleController **controller);

// Writes the next command for any process; answers `Empty` where no command is due before the next
// report. Carry out commands in their order.
RaddleStatus raddle_controller_next(RaddleController *controller, RaddleCommand *command);

// Reports that a submission was submitted, ended and so on, as one of `RaddleReport` says. The
// payload of the work is written to `payload` where the submission has ended for good; `payload`
// may be null. Answers `Refused` for an exit that no preemption flag asked for: launches behind it
// may have run before it.
RaddleStatus raddle_controller_report(RaddleController *controller,
                                      uint32_t report,
                                      uint16_t process,
                                      uint64_t sequence,
                                      uint64_t *payload);

// Reports that every launch of the process that starts from now on sees its raised preemption
// flag. Writes one of `RaddleAnswer` to `answer`, which says whether a reset follows.
RaddleStatus raddle_controller_raised(RaddleController *controller, uint16_t process, uint32_t *answer);

// Reports that a preemption of a process is complete: its reset is over, or none of its held or
// saved work runs on the device any more.
RaddleStatus raddle_controller_drained(RaddleController *controller, uint16_t process);

// Writes which submissions leave by the raised preemption flag of a stream when they start: those
// whose numbers are at least `from` and below `to`. Answers `Empty` where no flag is raised. Call
// it when the command to raise the flag comes.
RaddleStatus raddle_controller_cut(const RaddleController *controller,
                                   uint16_t process,
                                   uint32_t stream,
                                   uint64_t *from,
                                   uint64_t *to);

// Writes 1 to `hit` if the reset that was commanded kills the submission, should it be running;
// else 0.
RaddleStatus raddle_controller_is_hit(const RaddleController *controller,
                                      uint16_t process,
                                      uint64_t sequence,
                                      uint32_t *hit);

// Adds a process of the urgency `level` (0 is the most urgent), and writes its id: the lowest one
// that no process has.
RaddleStatus raddle_controller_join(RaddleController *controller, uint8_t level, uint16_t *process);

// Removes a process that has no launch in the runtime and is not preempted; any other is an error.
// Its waiting launches are dropped.
RaddleStatus raddle_controller_leave(RaddleController *controller, uint16_t process);

// Removes a process that has died, and writes the payloads of its unfinished work, in the order of
// capture, and their number to `count`. Where `payloads` has too little room, the answer is
// `Room`, `count` is the number of payloads, and nothing else has changed.
RaddleStatus raddle_controller_lost(RaddleController *controller,
                                    uint16_t process,
                                    uint64_t *payloads,
                                    size_t capacity,
                                    size_t *count);

// Sets the part of the device (a number, 0 by default) that a process uses. The part matters where
// a reset kills all launches of one part (`RaddleResetScope.Partition`).
RaddleStatus raddle_controller_place(RaddleController *controller, uint16_t process, uint16_t part);

// Opens a stream of a process, and writes the stream's id: the lowest one that is not in use.
RaddleStatus raddle_controller_open(RaddleController *controller, uint16_t process, uint32_t *stream);

// Closes a stream: no further work is captured in it; work that was captured before still runs.
RaddleStatus raddle_controller_close(RaddleController *controller, uint16_t process, uint32_t stream);

// Keeps work of a stream from being submitted, if its order of capture is `from` or more, until
// `raddle_controller_release` is called with the same `from`. Launches in the runtime run on.
RaddleStatus raddle_controller_hold(RaddleController *controller,
                                    uint16_t process,
                                    uint32_t stream,
                                    uint64_t from);

// Ends the hold that `raddle_controller_hold` made of a stream with the same `from`: the work that
// was held back may be submitted.
RaddleStatus raddle_controller_release(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t stream,
                                       uint64_t from);

// Adds captured work at the end of its stream, and writes its number in the order of capture to
// `order`. Answers `Refused` where the queues are full: capture the work again when
// `RaddleProcess.generation` of the process has changed.
RaddleStatus raddle_controller_captured(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t stream,
                                        const RaddleWork *work,
                                        uint64_t *order);

// Writes 1 to `reached` if all work of a process that was captured up to `order` has finished;
// else 0.
RaddleStatus raddle_controller_reached(const RaddleController *controller,
                                       uint16_t process,
                                       uint64_t order,
                                       uint32_t *reached);

// Writes the state of a process to `state`: its phase, its preemption flag (tested by each launch
// at its start) and its launches.
RaddleStatus raddle_controller_process(const RaddleController *controller,
                                       uint16_t process,
                                       RaddleProcess *state);

// Begins to take the work of a process off the device by the method `how`, one of
// `RaddlePreemption`. `by` is the process for which the work leaves, which must be more urgent, or
// -1 for no such comparison. Writes one of `RaddleAnswer` to `answer`.
RaddleStatus raddle_controller_preempt(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t how,
                                       int32_t by,
                                       uint32_t *answer);

// Replaces the method of a preemption under way by a stronger one, `how`. Writes one of
// `RaddleAnswer` to `answer`.
RaddleStatus raddle_controller_escalate(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t how,
                                        uint32_t *answer);

// Pauses a process: none of its launches is submitted until it is resumed.
RaddleStatus raddle_controller_pause(RaddleController *controller, uint16_t process);

// Ends the preemption or the pause of a process. Writes one of `RaddleAnswer` to `answer`.
RaddleStatus raddle_controller_resume(RaddleController *controller, uint16_t process, uint32_t *answer);

// Adds a process of the urgency `level` (0 is the most urgent), and writes its id: the lowest one
// that no process has.
RaddleStatus raddle_controller_join(RaddleController *controller, uint8_t level, uint16_t *process);

// Removes a process that has no launch in the runtime and is not preempted; any other is an error.
// Its waiting launches are dropped.
RaddleStatus raddle_controller_leave(RaddleController *controller, uint16_t process);

// Removes a process that has died, and writes the payloads of its unfinished work, in the order of
// capture, and their number to `count`. Where `payloads` has too little room, the answer is
// `Room`, `count` is the number of payloads, and nothing else has changed.
RaddleStatus raddle_controller_lost(RaddleController *controller,
                                    uint16_t process,
                                    uint64_t *payloads,
                                    size_t capacity,
                                    size_t *count);

// Sets the part of the device (a number, 0 by default) that a process uses. The part matters where
// a reset kills all launches of one part (`RaddleResetScope.Partition`).
RaddleStatus raddle_controller_place(RaddleController *controller, uint16_t process, uint16_t part);

// Opens a stream of a process, and writes the stream's id: the lowest one that is not in use.
RaddleStatus raddle_controller_open(RaddleController *controller, uint16_t process, uint32_t *stream);

// Closes a stream: no further work is captured in it; work that was captured before still runs.
RaddleStatus raddle_controller_close(RaddleController *controller, uint16_t process, uint32_t stream);

// Keeps work of a stream from being submitted, if its order of capture is `from` or more, until
// `raddle_controller_release` is called with the same `from`. Launches in the runtime run on.
RaddleStatus raddle_controller_hold(RaddleController *controller,
                                    uint16_t process,
                                    uint32_t stream,
                                    uint64_t from);

// Ends the hold that `raddle_controller_hold` made of a stream with the same `from`: the work that
// was held back may be submitted.
RaddleStatus raddle_controller_release(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t stream,
                                       uint64_t from);

// Adds captured work at the end of its stream, and writes its number in the order of capture to
// `order`. Answers `Refused` where the queues are full: capture the work again when
// `RaddleProcess.generation` of the process has changed.
RaddleStatus raddle_controller_captured(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t stream,
                                        const RaddleWork *work,
                                        uint64_t *order);

// Writes 1 to `reached` if all work of a process that was captured up to `order` has finished;
// else 0.
RaddleStatus raddle_controller_reached(const RaddleController *controller,
                                       uint16_t process,
                                       uint64_t order,
                                       uint32_t *reached);

// Writes the state of a process to `state`: its phase, its preemption flag (tested by each launch
// at its start) and its launches.
RaddleStatus raddle_controller_process(const RaddleController *controller,
                                       uint16_t process,
                                       RaddleProcess *state);

// Begins to take the work of a process off the device by the method `how`, one of
// `RaddlePreemption`. `by` is the process for which the work leaves, which must be more urgent, or
// -1 for no such comparison. Writes one of `RaddleAnswer` to `answer`.
RaddleStatus raddle_controller_preempt(RaddleController *controller,
                                       uint16_t process,
                                       uint32_t how,
                                       int32_t by,
                                       uint32_t *answer);

// Replaces the method of a preemption under way by a stronger one, `how`. Writes one of
// `RaddleAnswer` to `answer`.
RaddleStatus raddle_controller_escalate(RaddleController *controller,
                                        uint16_t process,
                                        uint32_t how,
                                        uint32_t *answer);

// Pauses a process: none of its launches is submitted until it is resumed.
RaddleStatus raddle_controller_pause(RaddleController *controller, uint16_t process);

// Ends the preemption or the pause of a process. Writes one of `RaddleAnswer` to `answer`.
RaddleStatus raddle_controller_resume(RaddleController *controller, uint16_t process, uint32_t *answer);

// Gives a hint about this process to the policies of the live daemon. The daemon listens at the
// socket that `RADDLE_LIVE_SOCKET` names, as `raddle live run` sets it, else at the default one.
// `hint` is one of `RaddleLiveHint`. Answers `Refused` if nothing of this process has joined the
// daemon yet, as before its first queue, and `Invalid` if no daemon is there, or on another system
// than Linux.
RaddleStatus raddle_live_hint(uint32_t hint, uint64_t value);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RADDLE_H */
