/* An event loop around a dispatcher: an urgent process takes the device from a long one, and gives it back. */
#include <stdio.h>
#include <stdlib.h>
#include <raddle.h>

static const char *const RECIPE = "raddle = 1\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'drain'";
static const RaddleCuShape SHAPE = {4, 10, 64, 200, 256, 40, 32};
static const uint64_t LASTS[] = {700, 100};    /* ticks of a workgroup, by launch */
static uint32_t resident[2], leaving[2];       /* workgroups on the device; launches that were asked to leave */
static struct pending { uint64_t at; RaddleEvent event; RaddlePiece piece; } queue[64];
static size_t queued;

static void check(RaddleStatus status) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", raddle_status_text(status), raddle_last_error());
    exit(1);
}

static struct pending *later(uint64_t at, RaddleEvent event) {
    if (queued == sizeof queue / sizeof *queue) exit(2);
    queue[queued] = (struct pending){.at = at, .event = event};
    return &queue[queued++];
}

static void carry_out(uint64_t now, const RaddleAction *action, const RaddleActions *all) {
    uint32_t id = action->launch;
    if (action->kind == RADDLE_ACTION_KIND_START)
        for (size_t i = 0; i < action->piece_count; i++) {
            RaddlePiece piece = all->pieces[action->first_piece + i];
            RaddleEvent ended = {.kind = RADDLE_EVENT_KIND_WAVES_ENDED, .launch = id, .waves = action->waves};
            later(now + LASTS[id], ended)->piece = piece;
            resident[id] += piece.count;
            printf("%4u: launch %u starts %u workgroups on unit %u\n", (unsigned)now, id, piece.count, piece.cu);
        }
    if (action->kind == RADDLE_ACTION_KIND_TAKE_OFF) leaving[id] = 1;
    if (action->kind == RADDLE_ACTION_KIND_RESTORE)
        later(now, (RaddleEvent){.kind = RADDLE_EVENT_KIND_RESTORED, .launch = id});
    if (action->kind == RADDLE_ACTION_KIND_WAKE_AT) later(action->ticks, (RaddleEvent){.kind = RADDLE_EVENT_KIND_WOKE});
}

int main(int argc, char **argv) {
    RaddleDispatcher *dispatcher;
    RaddleActions actions;
    RaddleLaunch job = {.id = 0, .process = 0, .level = 5, .workgroups = 100, .demand = {4, 8, 1, 16, 1}};
    RaddleLaunch urgent = {.id = 1, .process = 1, .level = 0, .workgroups = 20, .demand = job.demand};
    check(raddle_dispatcher_new(RECIPE, &SHAPE, 4, argc > 1 ? argv[1] : NULL, &dispatcher));
    for (uint16_t process = 0; process < 2; process++)
        later(0, (RaddleEvent){.kind = RADDLE_EVENT_KIND_PROCESS_JOINED, .process = process, .share = 1});
    later(0, (RaddleEvent){.kind = RADDLE_EVENT_KIND_LAUNCH_READY, .issued = &job});
    later(1000, (RaddleEvent){.kind = RADDLE_EVENT_KIND_LAUNCH_READY, .issued = &urgent});
    while (queued > 0) {
        uint64_t now = UINT64_MAX;
        for (size_t i = 0; i < queued; i++) now = queue[i].at < now ? queue[i].at : now;
        size_t kept = 0;
        for (size_t i = 0; i < queued; i++) { /* All events of a tick are told first, in their order. */
            struct pending due = queue[i];
            if (due.at > now) { queue[kept++] = due; continue; }
            due.event.pieces = &due.piece, due.event.piece_count = 1;
            resident[due.event.launch] -= due.piece.count;
            check(raddle_dispatcher_event(dispatcher, now, &due.event));
        }
        queued = kept;
        check(raddle_dispatcher_decide(dispatcher, now, &actions));
        for (size_t i = 0; i < actions.count; i++) carry_out(now, &actions.list[i], &actions);
        RaddleEvent off = {.kind = RADDLE_EVENT_KIND_TAKEN_OFF, .how = RADDLE_PREEMPTION_DRAIN};
        for (; off.launch < 2; off.launch++) /* A drained launch is off when its last workgroup has ended. */
            if (leaving[off.launch] && resident[off.launch] == 0) later(now, off), leaving[off.launch] = 0;
    }
    check(raddle_dispatcher_finish(dispatcher));
    check(raddle_free(dispatcher));
    return 0;
}
