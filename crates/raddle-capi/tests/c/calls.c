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
    OK(raddle_free_map_find(map, RADDLE_FIT_NEXT, 5, &start));
    HOLDS(start == 12);
    IS(raddle_free_map_find(map, 4, 1, &start), RADDLE_STATUS_ARGUMENT);
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
    /* The example in the README of raddle-bitmap: one map in the first period, two in the second. */
    RaddleShared *shared;
    RaddleSharedMap served[] = {{0, 70}, {1, 9}, {1, 7}};
    RaddleFreeMap *nine, *seven;
    uint32_t found[3];
    OK(raddle_free_map_new(9, &nine));
    OK(raddle_free_map_new(7, &seven));
    OK(raddle_shared_new(70, 70, served, 3, RADDLE_LAYOUT_PACKED, &shared));
    const RaddleFreeMap *const second[] = {nine, seven};
    OK(raddle_shared_longest(shared, 0, (const RaddleFreeMap *const[]){map}, 1, found));
    HOLDS(found[0] == 58);
    OK(raddle_shared_longest(shared, 1, second, 2, found));
    HOLDS(found[0] == 9 && found[1] == 7);
    IS(raddle_shared_longest(shared, 0, second, 2, found), RADDLE_STATUS_INVALID);
    IS(raddle_shared_longest(shared, 2, second, 2, found), RADDLE_STATUS_INVALID);
    IS(raddle_shared_longest(shared, 1, (const RaddleFreeMap *const[]){nine, NULL}, 2, found), RADDLE_STATUS_NULL);
    OK(raddle_free(shared));
    IS(raddle_shared_new(70, 70, served, 3, 2, &shared), RADDLE_STATUS_ARGUMENT);
    IS(raddle_shared_new(70, 15, served, 3, RADDLE_LAYOUT_PACKED, &shared), RADDLE_STATUS_INVALID);
    IS(raddle_shared_new(70, 70, NULL, 0, RADDLE_LAYOUT_PACKED, &shared), RADDLE_STATUS_INVALID);
    served[0].period = 1;
    IS(raddle_shared_new(70, 70, served, 3, RADDLE_LAYOUT_PACKED, &shared), RADDLE_STATUS_ARGUMENT);
    OK(raddle_free(nine));
    OK(raddle_free(seven));
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
    RaddleCuShape shape = SHAPE;
    shape.lds = UINT32_MAX;
    IS(raddle_allocator_new(&shape, 9, &allocator), RADDLE_STATUS_ARGUMENT);
    shape.simds = 9;
    IS(raddle_allocator_new(&shape, 1, &allocator), RADDLE_STATUS_INVALID);
    IS(raddle_allocator_new(&SHAPE, 0, &allocator), RADDLE_STATUS_ARGUMENT);
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

static void dispatchers(void) {
    RaddleDispatcher *dispatcher;
    RaddleActions actions;
    RaddleFreeAmounts free;
    uint32_t ahead;
    const char *recipe = "{\"raddle\": 1, \"allocate\": {\"policy\": \"matching\"}}";
    IS(raddle_dispatcher_new("raddle = 2", &SHAPE, 2, NULL, &dispatcher), RADDLE_STATUS_INVALID);
    IS(raddle_dispatcher_new("\xff", &SHAPE, 2, NULL, &dispatcher), RADDLE_STATUS_UTF8);
    IS(raddle_dispatcher_new(recipe, &SHAPE, 0, NULL, &dispatcher), RADDLE_STATUS_INVALID);
    IS(raddle_dispatcher_new(recipe, &SHAPE, 2, "no/such/folder/log", &dispatcher), RADDLE_STATUS_INVALID);
    OK(raddle_dispatcher_new(recipe, &SHAPE, 2, NULL, &dispatcher));
    OK(raddle_dispatcher_looks_ahead(dispatcher, &ahead));
    HOLDS(ahead == 0);

    RaddleLaunch launch = {.id = 3, .workgroups = 5, .demand = {2, 4, 4, 4, 1}};
    RaddleEvent joined = {.kind = RADDLE_EVENT_KIND_PROCESS_JOINED, .share = 1};
    RaddleEvent ready = {.kind = RADDLE_EVENT_KIND_LAUNCH_READY, .issued = &launch};
    IS(raddle_dispatcher_event(dispatcher, 5, &ready), RADDLE_STATUS_INVALID);
    OK(raddle_dispatcher_event(dispatcher, 5, &joined));
    OK(raddle_dispatcher_event(dispatcher, 5, &ready));
    IS(raddle_dispatcher_event(dispatcher, 4, &ready), RADDLE_STATUS_INVALID);
    OK(raddle_dispatcher_decide(dispatcher, 5, &actions));
    size_t started = 0, places = 0;
    for (size_t i = 0; i < actions.count; i++)
        for (size_t j = 0; j < actions.list[i].piece_count; j++)
            started += actions.pieces[actions.list[i].first_piece + j].count;
    for (size_t i = 0; i < actions.count; i++) places += actions.list[i].place_count;
    HOLDS(started == 5 && places == 10);
    OK(raddle_dispatcher_free(dispatcher, 0, &free));
    HOLDS(free.waves < 8);
    IS(raddle_dispatcher_free(dispatcher, 2, &free), RADDLE_STATUS_ARGUMENT);

    RaddlePiece piece = {.first = 0, .stride = 1, .count = 9, .cu = 0};
    RaddleEvent ended = {.kind = RADDLE_EVENT_KIND_WAVES_ENDED, .launch = 3, .pieces = &piece, .piece_count = 1};
    IS(raddle_dispatcher_event(dispatcher, 6, &ended), RADDLE_STATUS_INVALID);
    piece.count = UINT32_MAX;
    IS(raddle_dispatcher_event(dispatcher, 6, &ended), RADDLE_STATUS_INVALID);
    piece.stride = 0;
    IS(raddle_dispatcher_event(dispatcher, 6, &ended), RADDLE_STATUS_ARGUMENT);
    piece.stride = 1, ended.piece_count = SIZE_MAX;
    IS(raddle_dispatcher_event(dispatcher, 6, &ended), RADDLE_STATUS_ARGUMENT);
    ended.pieces = NULL, ended.piece_count = 1;
    IS(raddle_dispatcher_event(dispatcher, 6, &ended), RADDLE_STATUS_NULL);
    const RaddleEvent wrong[] = {
        {.kind = 0},
        {.kind = 99},
        {.kind = RADDLE_EVENT_KIND_TAKEN_OFF, .launch = 3, .how = 7},
        {.kind = RADDLE_EVENT_KIND_HINT, .hint = 9},
        {.kind = RADDLE_EVENT_KIND_HINT, .hint = RADDLE_HINT_PRIORITY, .value = 256},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        IS(raddle_dispatcher_event(dispatcher, 6, &wrong[i]), RADDLE_STATUS_ARGUMENT);
    ready.issued = NULL;
    IS(raddle_dispatcher_event(dispatcher, 6, &ready), RADDLE_STATUS_NULL);
    launch.id = 4, launch.barrier = 3, ready.issued = &launch;
    IS(raddle_dispatcher_event(dispatcher, 6, &ready), RADDLE_STATUS_ARGUMENT);
    launch.barrier = 0, launch.demand.waves = 0;
    IS(raddle_dispatcher_event(dispatcher, 6, &ready), RADDLE_STATUS_ARGUMENT);
    OK(raddle_dispatcher_finish(dispatcher));
    OK(raddle_free(dispatcher));
}

static void block_warps(void) {
    RaddleBlockWarp *gpu;
    const RaddleSmResources each = {.registers = 64, .warps = 8, .shared = 16};
    const RaddleBlockWarpConfig wrong = {.strict = 2};
    RaddleKernel kernel = {.id = 1, .rank = 9, .blocks = 2, .warps = 4, .registers = 4, .shared = 2};
    RaddleLack lack;
    RaddleDistribution made;
    RaddleStarted started;
    RaddleWarpEnd end;
    RaddleSmResources left;
    IS(raddle_block_warp_new(0, &each, NULL, &gpu), RADDLE_STATUS_INVALID);
    IS(raddle_block_warp_new(2, &each, &wrong, &gpu), RADDLE_STATUS_ARGUMENT);
    OK(raddle_block_warp_new(2, &each, NULL, &gpu));
    IS(raddle_block_warp_decide(gpu, &made), RADDLE_STATUS_EMPTY);
    OK(raddle_block_warp_arrive(gpu, &kernel, NULL));
    IS(raddle_block_warp_arrive(gpu, &kernel, NULL), RADDLE_STATUS_INVALID);
    kernel.id = 2, kernel.warps = 9;
    IS(raddle_block_warp_arrive(gpu, &kernel, &lack), RADDLE_STATUS_REFUSED);
    HOLDS(lack.resource == RADDLE_RESOURCE_WAVES && lack.wanted == 9 && lack.available == 8);
    OK(raddle_block_warp_decide(gpu, &made));
    HOLDS(made.route == RADDLE_ROUTE_WHOLE && made.kernel == 1 && made.count == 2);
    OK(raddle_block_warp_serve(gpu, made.sm, &started));
    HOLDS(started.count == 4 && started.last == 1);
    OK(raddle_block_warp_remaining(gpu, made.sm, &left));
    HOLDS(left.warps == 0);
    IS(raddle_block_warp_serve(gpu, 2, &started), RADDLE_STATUS_INVALID);
    for (int warp = 0; warp < 4; warp++) OK(raddle_block_warp_ended(gpu, 1, started.block, &end));
    HOLDS(end.block_done == 1 && end.kernel_done == 0);
    IS(raddle_block_warp_ended(gpu, 1, started.block, &end), RADDLE_STATUS_INVALID);
    OK(raddle_free(gpu));
}

static void slices(void) {
    RaddleSlices *slices;
    RaddleSlice slice;
    uint32_t cuts;
    RaddleSliceConfig config = {.t0 = 40, .capacity = 8, .rule = RADDLE_SLICE_RULE_CLAIM};
    /* The example of the seed: alive for 60 minutes, of which they ran 3 and 10. */
    const RaddlePoolEntry pool[] = {
        {.id = 11, .level = 2, .share = 1, .alive = 3600000, .ran = 180000},
        {.id = 12, .level = 2, .share = 1, .alive = 3600000, .ran = 600000},
        {.id = 13, .level = 4, .share = 1, .alive = 3600000},
    };
    config.rule = 9;
    IS(raddle_slices_new(&config, &slices), RADDLE_STATUS_ARGUMENT);
    config.rule = RADDLE_SLICE_RULE_CLAIM, config.t0 = 0;
    IS(raddle_slices_new(&config, &slices), RADDLE_STATUS_INVALID);
    config.t0 = 40;
    OK(raddle_slices_new(&config, &slices));
    IS(raddle_slices_next(slices, NULL, 0, &slice), RADDLE_STATUS_EMPTY);
    IS(raddle_slices_next(slices, NULL, 1, &slice), RADDLE_STATUS_NULL);
    OK(raddle_slices_next(slices, pool, 3, &slice));
    HOLDS(slice.id == 11 && slice.length == 52);
    OK(raddle_slices_next(slices, pool, 3, &slice));
    HOLDS(slice.id == 12 && slice.length == 173);
    OK(raddle_slices_cuts(slices, 4, pool, 3, &cuts));
    HOLDS(cuts == 0);
    OK(raddle_free(slices));
}

static void packets(void) {
    RaddleEncoder *encoder;
    RaddleAgent *agent;
    RaddlePacket sent[64];
    RaddleKernelDispatch launch = {.workgroup_size_x = 256, .grid_size_x = 65536}, launches[RADDLE_LAUNCHES_OF_PACKET];
    size_t packets = 0, received = 0, count;
    uint32_t kind;
    IS(raddle_encoder_new(NULL, 3, 9, &encoder), RADDLE_STATUS_ARGUMENT);
    OK(raddle_encoder_new(NULL, RADDLE_REPLACEMENT_MOST_RECENT, 9, &encoder));
    OK(raddle_agent_new(NULL, &agent));
    /* A loop of six kernels, as in the README of raddle-packet: 60 launches in 15 packets. */
    for (uint64_t i = 0; i < 60; i++) {
        launch.kernel_object = 0x1000 * (1 + i % 6), launch.kernarg_address = 0x100 * i;
        OK(raddle_encoder_launch(encoder, &launch, &sent[packets], RADDLE_PACKETS_AT_ONCE, &count));
        packets += count;
    }
    OK(raddle_encoder_flush(encoder, &sent[packets], RADDLE_PACKETS_AT_ONCE, &count));
    packets += count;
    HOLDS(packets == 15);
    for (size_t i = 0; i < packets; i++) {
        OK(raddle_agent_receive(agent, &sent[i], &kind, launches, RADDLE_LAUNCHES_OF_PACKET, &count));
        HOLDS(kind == RADDLE_RECEIVED_LAUNCHES);
        received += count;
    }
    HOLDS(received == 60 && launches[count - 1].kernarg_address == launch.kernarg_address);
    IS(raddle_agent_receive(agent, &sent[0], &kind, launches, 30, &count), RADDLE_STATUS_ROOM);
    IS(raddle_encoder_barrier(encoder, &sent[0], sent, 64, &count), RADDLE_STATUS_INVALID);
    OK(raddle_free(agent));
    OK(raddle_free(encoder));
}

/* The example in the README of raddle-preempt: one launch runs, the one behind it leaves by the flag. */
static void controllers(void) {
    RaddleController *controller;
    RaddleCommand first, second, command;
    RaddleProcess state;
    uint16_t process;
    uint32_t stream, answer;
    uint64_t order, from, to, payload = 0, left[2];
    size_t count;
    RaddleControllerConfig config = {.can_reset = 1, .latched = 1, .window = 8};
    IS(raddle_controller_new(&config, &controller), RADDLE_STATUS_INVALID);
    config.can_flag = 1, config.can_reset = 0;
    OK(raddle_controller_new(&config, &controller));
    OK(raddle_controller_join(controller, 9, &process));
    OK(raddle_controller_open(controller, process, &stream));
    for (uint64_t work = 71; work < 73; work++) {
        RaddleWork captured = {.payload = work, .tests_flag = 1};
        OK(raddle_controller_captured(controller, process, stream, &captured, &order));
    }
    OK(raddle_controller_next(controller, &first));
    OK(raddle_controller_next(controller, &second));
    IS(raddle_controller_next(controller, &command), RADDLE_STATUS_EMPTY);
    HOLDS(first.kind == RADDLE_COMMAND_KIND_SUBMIT && first.payload == 71 && second.payload == 72);
    OK(raddle_controller_report(controller, RADDLE_REPORT_SUBMITTED, process, first.sequence, NULL));
    OK(raddle_controller_report(controller, RADDLE_REPORT_SUBMITTED, process, second.sequence, NULL));
    OK(raddle_controller_report(controller, RADDLE_REPORT_STARTED, process, first.sequence, NULL));
    OK(raddle_controller_preempt(controller, process, RADDLE_PREEMPTION_SWITCH, -1, &answer));
    HOLDS(answer == RADDLE_ANSWER_MISSING);
    OK(raddle_controller_preempt(controller, process, RADDLE_PREEMPTION_FLAG, -1, &answer));
    HOLDS(answer == RADDLE_ANSWER_BEGUN);
    OK(raddle_controller_next(controller, &command));
    HOLDS(command.kind == RADDLE_COMMAND_KIND_RAISE);
    OK(raddle_controller_cut(controller, process, stream, &from, &to));
    HOLDS(from <= second.sequence && second.sequence < to);
    OK(raddle_controller_raised(controller, process, &answer));
    HOLDS(answer == RADDLE_ANSWER_NOT_ASKED);
    OK(raddle_controller_report(controller, RADDLE_REPORT_FINISHED, process, first.sequence, &payload));
    HOLDS(payload == 71);
    IS(raddle_controller_report(controller, RADDLE_REPORT_FINISHED, process, first.sequence, &payload),
       RADDLE_STATUS_INVALID);
    IS(raddle_controller_report(controller, 8, process, first.sequence, NULL), RADDLE_STATUS_ARGUMENT);
    OK(raddle_controller_report(controller, RADDLE_REPORT_EXITED, process, second.sequence, NULL));
    OK(raddle_controller_next(controller, &command));
    HOLDS(command.kind == RADDLE_COMMAND_KIND_DRAINED);
    OK(raddle_controller_process(controller, process, &state));
    HOLDS(state.phase == RADDLE_PHASE_PREEMPTED && state.raised == 1 && state.buffered == 1);
    OK(raddle_controller_resume(controller, process, &answer));
    OK(raddle_controller_next(controller, &command));
    HOLDS(command.kind == RADDLE_COMMAND_KIND_LOWER);
    OK(raddle_controller_next(controller, &command));
    HOLDS(command.kind == RADDLE_COMMAND_KIND_SUBMIT && command.payload == 72 && command.sequence >= to);
    IS(raddle_controller_leave(controller, process), RADDLE_STATUS_INVALID);
    IS(raddle_controller_lost(controller, process, NULL, 0, &count), RADDLE_STATUS_ROOM);
    HOLDS(count == 1);
    OK(raddle_controller_lost(controller, process, left, 2, &count));
    HOLDS(count == 1 && left[0] == 72);
    OK(raddle_free(controller));
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
    dispatchers();
    block_warps();
    slices();
    packets();
    controllers();
    threads();
    puts("all as they should be");
    return 0;
}
