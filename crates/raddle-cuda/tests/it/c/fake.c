// What does a CUDA driver do, as far as the tests need it?
//
// A stream is a queue with a thread. Copies copy, kernels are functions by name, events and graphs and
// captures work, and what a real driver leaves undefined ends the process: a handle that is gone, and
// a call of the library's threads after the driver's end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int R;
typedef uint64_t P;
enum { OK = 0, INVALID = 1, UNINITIALIZED = 3, DEINITIALIZED = 4, NO_CONTEXT = 201, BAD_HANDLE = 400,
       NOT_FOUND = 500, NOT_READY = 600, UNSUPPORTED_IN_CAPTURE = 900, CAPTURE_INVALID = 901, IMPLICIT = 906,
       CAPTURED_EVENT = 907 };
#define API __attribute__((visibility("default"))) R

typedef struct Stream Stream;
typedef struct Context Context;
typedef struct Event Event;
typedef struct Graph Graph;

typedef struct Kernel {
    const char *name;
    void (*run)(const uint64_t *);
    int arguments;
    int sizes[4];
} Kernel;

typedef struct Op {
    enum { KERNEL, COPY, FILL, RECORD, WAIT_EVENT, WAIT_STREAM, HOST } what;
    const Kernel *kernel;
    uint64_t arguments[4];
    void *to;
    const void *from;
    size_t bytes;
    Event *event;
    uint64_t sequence;
    Stream *stream;
    void (*call)(void *);
    struct Op *next;
} Op;

#define ALIVE 0x600dcafeu
struct Event { uint32_t magic; Context *context; uint64_t recorded, done; Graph *captured; };
struct Graph { uint32_t magic; Op *first, **last; int invalid, global; Stream *origin; };
struct Stream {
    uint32_t magic;
    Context *context;
    int blocks, ends, priority;
    uint64_t pushed, done;
    Op *first, **last;
    Graph *capture;
    pthread_mutex_t lock;
    pthread_cond_t work, moved;
    Stream *next;
};
struct Context { uint32_t magic; int device, primary; Stream *legacy, *streams; };

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t event_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event_done = PTHREAD_COND_INITIALIZER;
static int initialized, forked, over, global_captures;
static Graph *capturing[64];
static Context *primary[2];
static int retained[2];
static uint64_t launches, in_flight, most_in_flight;
static __thread Context *stack[16];
static __thread int depth;
static __thread int mode;
static __thread Stream *own_stream;

static void stop(const char *why) {
    fprintf(stderr, "driver: %s\n", why);
    abort();
}

// The end of a driver takes a while, in which nobody else may call it.
static void at_exit(void) {
    over = 1;
    usleep(3000);
}
static void in_child(void) { forked = 1; }

static R check(void) {
    if (over) {
        char name[32] = "";
        pthread_getname_np(pthread_self(), name, sizeof name);
        if (!strncmp(name, "raddle", 6)) stop("a thread of the library calls after the end");
        return DEINITIALIZED;
    }
    return forked || !initialized ? UNINITIALIZED : OK;
}
#define CHECK() do { R r_ = check(); if (r_) return r_; } while (0)
#define LIVES(x) do { if ((x)->magic != ALIVE) stop("a handle that is gone"); } while (0)

// A call that a capture forbids to threads in the strict mode.
static R unsafe(void) {
    if (!global_captures || mode == 2) return OK;
    pthread_mutex_lock(&all);
    for (int i = 0; i < 64; i++) if (capturing[i] && capturing[i]->global) capturing[i]->invalid = 1;
    pthread_mutex_unlock(&all);
    return UNSUPPORTED_IN_CAPTURE;
}
#define UNSAFE() do { R r_ = unsafe(); if (r_) return r_; } while (0)

static Context *here(void) { return depth ? stack[depth - 1] : 0; }
#define HERE() ({ Context *c_ = here(); if (!c_) return NO_CONTEXT; LIVES(c_); c_; })

// Kernels: their arguments lie in words, a pointer or a number each.
static void k_noop(const uint64_t *a) { (void)a; }
static void k_add(const uint64_t *a) {
    uint32_t *p = (uint32_t *)a[0];
    for (uint32_t i = 0; i < (uint32_t)a[1]; i++) p[i] = p[i] * 3 + (uint32_t)a[2] + i;
}
static void k_sum(const uint64_t *a) {
    uint32_t *p = (uint32_t *)a[0], *q = (uint32_t *)a[1];
    for (uint32_t i = 0; i < (uint32_t)a[2]; i++) p[i] = p[i] * 5 + q[i];
}
static void k_sleep(const uint64_t *a) { usleep((uint32_t)a[0]); }
static void k_until(const uint64_t *a) {
    while (__atomic_load_n((uint32_t *)a[0], __ATOMIC_ACQUIRE) < (uint32_t)a[1]) usleep(50);
}
static void k_set(const uint64_t *a) { __atomic_store_n((uint32_t *)a[0], (uint32_t)a[1], __ATOMIC_RELEASE); }
static const Kernel kernels[] = {
    {"set", k_set, 2, {8, 4}},
    {"noop", k_noop, 0, {0}},
    {"add", k_add, 3, {8, 4, 4}},
    {"sum", k_sum, 3, {8, 8, 4}},
    {"sleep", k_sleep, 1, {4}},
    {"until", k_until, 2, {8, 4}},
};

static void note(void) {
    const char *path = getenv("FAKE_LOG");
    if (!path) return;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    FILE *f = fopen(path, "a");
    fprintf(f, "%s %llu\n", getenv("FAKE_NAME"), (unsigned long long)t.tv_sec * 1000000000ull + t.tv_nsec);
    fclose(f);
}

static void run(Op *op) {
    switch (op->what) {
    case KERNEL:
        note();
        op->kernel->run(op->arguments);
        __atomic_sub_fetch(&in_flight, 1, __ATOMIC_RELAXED);
        break;
    case COPY: memmove(op->to, op->from, op->bytes); break;
    case FILL: memset(op->to, (int)op->sequence, op->bytes); break;
    case HOST: op->call(op->to); break;
    case RECORD:
        pthread_mutex_lock(&event_lock);
        if (op->event->done < op->sequence) op->event->done = op->sequence;
        pthread_cond_broadcast(&event_done);
        pthread_mutex_unlock(&event_lock);
        break;
    case WAIT_EVENT:
        pthread_mutex_lock(&event_lock);
        while (op->event->done < op->sequence) pthread_cond_wait(&event_done, &event_lock);
        pthread_mutex_unlock(&event_lock);
        break;
    case WAIT_STREAM:
        pthread_mutex_lock(&op->stream->lock);
        while (op->stream->done < op->sequence) pthread_cond_wait(&op->stream->moved, &op->stream->lock);
        pthread_mutex_unlock(&op->stream->lock);
        break;
    }
}

static void *work(void *it) {
    Stream *s = it;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->first && !s->ends) pthread_cond_wait(&s->work, &s->lock);
        Op *op = s->first;
        if (!op) break;
        pthread_mutex_unlock(&s->lock);
        run(op);
        pthread_mutex_lock(&s->lock);
        s->first = op->next;
        if (!s->first) s->last = &s->first;
        s->done++;
        free(op);
        pthread_cond_broadcast(&s->moved);
    }
    pthread_mutex_unlock(&s->lock);
    return 0;
}

static Stream *new_stream(Context *c, int blocks, int priority) {
    Stream *s = calloc(1, sizeof *s);
    s->magic = ALIVE;
    s->context = c;
    s->blocks = blocks;
    s->priority = priority;
    s->last = &s->first;
    pthread_mutex_init(&s->lock, 0);
    pthread_cond_init(&s->work, 0);
    pthread_cond_init(&s->moved, 0);
    pthread_mutex_lock(&all);
    s->next = c->streams;
    c->streams = s;
    pthread_mutex_unlock(&all);
    pthread_t t;
    pthread_create(&t, 0, work, s);
    pthread_detach(t);
    return s;
}

static void push(Stream *s, Op op) {
    Op *o = malloc(sizeof *o);
    *o = op;
    o->next = 0;
    pthread_mutex_lock(&s->lock);
    int idle = !s->first;
    *s->last = o;
    s->last = &o->next;
    s->pushed++;
    if (idle) pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
}

static void behind(Stream *s, Stream *other) {
    pthread_mutex_lock(&other->lock);
    uint64_t to = other->pushed;
    int done = other->done >= to;
    pthread_mutex_unlock(&other->lock);
    if (!done) push(s, (Op){.what = WAIT_STREAM, .stream = other, .sequence = to});
}

static void add(Stream *s, Op op) {
    if (s->capture) {
        Op *o = malloc(sizeof *o);
        *o = op;
        o->next = 0;
        *s->capture->last = o;
        s->capture->last = &o->next;
        return;
    }
    Context *c = s->context;
    if (s == c->legacy) {
        pthread_mutex_lock(&all);
        Stream *other = c->streams;
        pthread_mutex_unlock(&all);
        for (; other; other = other->next)
            if (other != s && other->blocks && other->magic == ALIVE && !other->capture) behind(s, other);
    } else if (s->blocks) {
        behind(s, c->legacy);
    }
    if (op.what == KERNEL) {
        __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
        uint64_t now = __atomic_add_fetch(&in_flight, 1, __ATOMIC_RELAXED);
        uint64_t most = __atomic_load_n(&most_in_flight, __ATOMIC_RELAXED);
        while (now > most && !__atomic_compare_exchange_n(&most_in_flight, &most, now, 0, 0, 0)) {}
    }
    push(s, op);
}

static void finish(Stream *s) {
    pthread_mutex_lock(&s->lock);
    uint64_t to = s->pushed;
    while (s->done < to) pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static void finish_all(Context *c) {
    for (Stream *s = c->streams; s; s = s->next) finish(s);
}

// A new stream gets the handle that became free last.
typedef struct Handle { uint32_t magic; Stream *stream; struct Handle *next; } Handle;
static Handle *free_handles;

static Stream *of(Context *c, P handle, int per_thread) {
    if (handle == 2 || (handle == 0 && per_thread)) {
        if (!own_stream || own_stream->context != c || own_stream->magic != ALIVE) own_stream = new_stream(c, 1, 0);
        return own_stream;
    }
    if (handle < 2) return c->legacy;
    Handle *h = (Handle *)handle;
    LIVES(h);
    LIVES(h->stream);
    return h->stream;
}

static Context *new_context(int device) {
    Context *c = calloc(1, sizeof *c);
    c->magic = ALIVE;
    c->device = device;
    c->legacy = new_stream(c, 0, 0);
    return c;
}

static Event *events[1 << 16];
static int event_count;

static void destroy(Context *c) {
    finish_all(c);
    c->magic = 0;
    for (Stream *s = c->streams; s; s = s->next) {
        pthread_mutex_lock(&s->lock);
        s->ends = 1;
        s->magic = 0;
        pthread_cond_signal(&s->work);
        pthread_mutex_unlock(&s->lock);
    }
    for (int i = 0; i < event_count; i++) if (events[i]->context == c) events[i]->magic = 0;
}

API cuInit(unsigned flags) {
    (void)flags;
    if (forked) return UNINITIALIZED;
    if (!initialized) {
        initialized = 1;
        atexit(at_exit);
        pthread_atfork(0, 0, in_child);
    }
    return OK;
}
API cuDriverGetVersion(int *v) { *v = 12090; return OK; }
API cuDeviceGetCount(int *n) { CHECK(); *n = 2; return OK; }
API cuDeviceGet(int *d, int n) { CHECK(); if (n < 0 || n > 1) return 101; *d = n; return OK; }
API cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "Fake %d", d); return OK; }
API cuDeviceGetPCIBusId(char *s, int n, int d) { snprintf(s, n, "0000:0%cB:00.0", 'A' + d); return OK; }
API cuDeviceGetUuid_v2(char *s, int d) { memset(s, d + 1, 16); return OK; }
API cuDeviceGetUuid(char *s, int d) { return cuDeviceGetUuid_v2(s, d); }
API cuDeviceTotalMem_v2(size_t *n, int d) { (void)d; *n = 1 << 30; return OK; }
API cuDeviceGetAttribute(int *v, int what, int d) {
    (void)d;
    *v = what == 75 ? 9 : what == 76 ? 0 : what == 1 ? 1024 : what == 10 ? 32 : 1;
    return OK;
}
API cuCtxCreate_v2(Context **c, unsigned flags, int d) {
    (void)flags;
    CHECK();
    *c = new_context(d);
    stack[depth++] = *c;
    return OK;
}
API cuCtxDestroy_v2(Context *c) {
    CHECK();
    LIVES(c);
    destroy(c);
    if (here() == c) depth--;
    return OK;
}
API cuCtxPushCurrent_v2(Context *c) { CHECK(); LIVES(c); stack[depth++] = c; return OK; }
API cuCtxPopCurrent_v2(Context **c) {
    CHECK();
    if (!depth) return NO_CONTEXT;
    depth--;
    if (c) *c = stack[depth];
    return OK;
}
API cuCtxSetCurrent(Context *c) {
    CHECK();
    if (depth) depth--;
    if (c) stack[depth++] = c;
    return OK;
}
API cuCtxGetCurrent(Context **c) { CHECK(); *c = here(); return OK; }
API cuCtxGetDevice(int *d) { CHECK(); *d = HERE()->device; return OK; }
API cuCtxGetDevice_v2(int *d, Context *c) { CHECK(); *d = c ? c->device : HERE()->device; return OK; }
API cuCtxGetFlags(unsigned *f) { CHECK(); *f = 0; return OK; }
API cuCtxGetApiVersion(Context *c, unsigned *v) { (void)c; *v = 12090; return OK; }
API cuCtxSynchronize(void) { CHECK(); UNSAFE(); finish_all(HERE()); return OK; }
API cuDevicePrimaryCtxRetain(Context **c, int d) {
    CHECK();
    pthread_mutex_lock(&all);
    int made = !primary[d];
    retained[d]++;
    pthread_mutex_unlock(&all);
    if (made) primary[d] = new_context(d);
    *c = primary[d];
    return OK;
}
static R end_primary(int d) {
    if (primary[d]) destroy(primary[d]);
    primary[d] = 0;
    retained[d] = 0;
    return OK;
}
API cuDevicePrimaryCtxReset_v2(int d) { CHECK(); return end_primary(d); }
API cuDevicePrimaryCtxRelease_v2(int d) { CHECK(); return --retained[d] > 0 ? OK : end_primary(d); }
API cuDevicePrimaryCtxGetState(int d, unsigned *flags, int *active) {
    CHECK();
    if (flags) *flags = 0;
    *active = primary[d] != 0;
    return OK;
}
API cuDevicePrimaryCtxSetFlags_v2(int d, unsigned flags) { (void)d; (void)flags; CHECK(); return OK; }

API cuMemAlloc_v2(P *p, size_t n) { CHECK(); HERE(); UNSAFE(); *p = (P)calloc(1, n); return OK; }
API cuMemFree_v2(P p) { CHECK(); finish_all(HERE()); free((void *)p); return OK; }
API cuMemHostAlloc(void **p, size_t n, unsigned flags) { (void)flags; CHECK(); *p = calloc(1, n); return OK; }
API cuMemFreeHost(void *p) { CHECK(); free(p); return OK; }

static R copy(Stream *s, void *to, const void *from, size_t n, int waits) {
    if (s->capture && waits) return IMPLICIT;
    add(s, (Op){.what = COPY, .to = to, .from = from, .bytes = n});
    if (waits) finish(s);
    return OK;
}
#define COPIES(name, to_kind, from_kind) \
    API name##_v2(to_kind to, from_kind from, size_t n) { CHECK(); return copy(of(HERE(), 0, 0), (void *)to, (void *)from, n, 1); } \
    API name##_v2_ptds(to_kind to, from_kind from, size_t n) { CHECK(); return copy(of(HERE(), 0, 1), (void *)to, (void *)from, n, 1); } \
    API name##Async_v2(to_kind to, from_kind from, size_t n, P s) { CHECK(); return copy(of(HERE(), s, 0), (void *)to, (void *)from, n, 0); } \
    API name##Async_v2_ptsz(to_kind to, from_kind from, size_t n, P s) { CHECK(); return copy(of(HERE(), s, 1), (void *)to, (void *)from, n, 0); }
COPIES(cuMemcpyHtoD, P, const void *)
COPIES(cuMemcpyDtoH, void *, P)
COPIES(cuMemcpyDtoD, P, P)
static R fill(Stream *s, P to, unsigned char v, size_t n) {
    add(s, (Op){.what = FILL, .to = (void *)to, .sequence = v, .bytes = n});
    return OK;
}
API cuMemsetD8Async(P to, unsigned char v, size_t n, P s) { CHECK(); return fill(of(HERE(), s, 0), to, v, n); }
API cuMemsetD8Async_ptsz(P to, unsigned char v, size_t n, P s) { CHECK(); return fill(of(HERE(), s, 1), to, v, n); }

API cuModuleLoadData(void **m, const void *image) { CHECK(); HERE(); *m = (void *)image; return OK; }
API cuModuleUnload(void *m) { (void)m; CHECK(); return OK; }
API cuModuleGetFunction(const Kernel **f, void *m, const char *name) {
    (void)m;
    CHECK();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(kernels[i].name, name)) { *f = &kernels[i]; return OK; }
    return NOT_FOUND;
}

API cuStreamCreateWithPriority(Handle **place, unsigned flags, int priority) {
    CHECK();
    Stream *s = new_stream(HERE(), !(flags & 1), priority);
    pthread_mutex_lock(&all);
    Handle *h = free_handles;
    if (h) free_handles = h->next;
    else h = malloc(sizeof *h);
    pthread_mutex_unlock(&all);
    *h = (Handle){ALIVE, s, 0};
    *place = h;
    return OK;
}
API cuStreamCreate(Handle **place, unsigned flags) { return cuStreamCreateWithPriority(place, flags, 0); }
API cuStreamGetPriority(P s, int *priority) { CHECK(); *priority = of(HERE(), s, 0)->priority; return OK; }
API cuStreamDestroy_v2(Handle *h) {
    CHECK();
    LIVES(h);
    Stream *s = h->stream;
    h->magic = s->magic = 0;
    pthread_mutex_lock(&s->lock);
    s->ends = 1;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&all);
    h->next = free_handles;
    free_handles = h;
    pthread_mutex_unlock(&all);
    return OK;
}
static R synchronize(Stream *s) {
    UNSAFE();
    if (s->capture) return UNSUPPORTED_IN_CAPTURE;
    finish(s);
    return OK;
}
API cuStreamSynchronize(P s) { CHECK(); return synchronize(of(HERE(), s, 0)); }
API cuStreamSynchronize_ptsz(P s) { CHECK(); return synchronize(of(HERE(), s, 1)); }
API cuStreamQuery(P handle) {
    CHECK();
    UNSAFE();
    Stream *s = of(HERE(), handle, 0);
    pthread_mutex_lock(&s->lock);
    R r = s->done < s->pushed ? NOT_READY : OK;
    pthread_mutex_unlock(&s->lock);
    return r;
}

API cuEventCreate(Event **e, unsigned flags) {
    (void)flags;
    CHECK();
    UNSAFE();
    *e = calloc(1, sizeof **e);
    (*e)->magic = ALIVE;
    (*e)->context = HERE();
    pthread_mutex_lock(&all);
    if (event_count < 1 << 16) events[event_count++] = *e;
    pthread_mutex_unlock(&all);
    return OK;
}
API cuEventDestroy_v2(Event *e) { CHECK(); LIVES(e); e->magic = 0; return OK; }
static R record(Event *e, Stream *s) {
    LIVES(e);
    if (e->context != s->context) return BAD_HANDLE;
    e->captured = s->capture;
    if (s->capture) return OK;
    pthread_mutex_lock(&event_lock);
    uint64_t to = ++e->recorded;
    pthread_mutex_unlock(&event_lock);
    add(s, (Op){.what = RECORD, .event = e, .sequence = to});
    return OK;
}
API cuEventRecord(Event *e, P s) { CHECK(); return record(e, of(HERE(), s, 0)); }
API cuEventRecord_ptsz(Event *e, P s) { CHECK(); return record(e, of(HERE(), s, 1)); }
API cuEventQuery(Event *e) {
    CHECK();
    LIVES(e);
    HERE();
    UNSAFE();
    if (e->captured) { e->captured->invalid = 1; return CAPTURED_EVENT; }
    pthread_mutex_lock(&event_lock);
    R r = e->done < e->recorded ? NOT_READY : OK;
    pthread_mutex_unlock(&event_lock);
    return r;
}
API cuEventSynchronize(Event *e) {
    CHECK();
    LIVES(e);
    UNSAFE();
    pthread_mutex_lock(&event_lock);
    uint64_t to = e->recorded;
    while (e->done < to) pthread_cond_wait(&event_done, &event_lock);
    pthread_mutex_unlock(&event_lock);
    return OK;
}
static R wait_event(Stream *s, Event *e) {
    LIVES(e);
    if (e->captured) { s->capture = e->captured; return OK; }
    if (s->capture) { s->capture->invalid = 1; return UNSUPPORTED_IN_CAPTURE; }
    pthread_mutex_lock(&event_lock);
    uint64_t to = e->recorded;
    int done = e->done >= to;
    pthread_mutex_unlock(&event_lock);
    if (!done) add(s, (Op){.what = WAIT_EVENT, .event = e, .sequence = to});
    return OK;
}
API cuStreamWaitEvent(P s, Event *e, unsigned flags) { (void)flags; CHECK(); return wait_event(of(HERE(), s, 0), e); }
API cuStreamWaitEvent_ptsz(P s, Event *e, unsigned flags) { (void)flags; CHECK(); return wait_event(of(HERE(), s, 1), e); }

API cuThreadExchangeStreamCaptureMode(int *m) { int before = mode; mode = *m; *m = before; return OK; }
static R is_capturing(Stream *s, int *status) {
    if (s == s->context->legacy && global_captures) return IMPLICIT;
    *status = !s->capture ? 0 : s->capture->invalid ? 2 : 1;
    return OK;
}
API cuStreamIsCapturing(P s, int *status) { CHECK(); return is_capturing(of(HERE(), s, 0), status); }
API cuStreamIsCapturing_ptsz(P s, int *status) { CHECK(); return is_capturing(of(HERE(), s, 1), status); }
static R begin(Stream *s, int how) {
    if (s == s->context->legacy) return UNSUPPORTED_IN_CAPTURE;
    Graph *g = calloc(1, sizeof *g);
    g->magic = ALIVE;
    g->last = &g->first;
    g->origin = s;
    g->global = how == 0;
    pthread_mutex_lock(&all);
    for (int i = 0; i < 64; i++) if (!capturing[i]) { capturing[i] = g; break; }
    global_captures += g->global;
    pthread_mutex_unlock(&all);
    s->capture = g;
    return OK;
}
API cuStreamBeginCapture_v2(P s, int how) { CHECK(); return begin(of(HERE(), s, 0), how); }
API cuStreamBeginCapture_v2_ptsz(P s, int how) { CHECK(); return begin(of(HERE(), s, 1), how); }
static R end(Stream *s, Graph **out) {
    Graph *g = s->capture;
    if (!g || g->origin != s) return CAPTURE_INVALID;
    pthread_mutex_lock(&all);
    for (int i = 0; i < 64; i++) if (capturing[i] == g) capturing[i] = 0;
    global_captures -= g->global;
    for (Stream *other = s->context->streams; other; other = other->next) if (other->capture == g) other->capture = 0;
    pthread_mutex_unlock(&all);
    *out = g->invalid ? 0 : g;
    return g->invalid ? CAPTURE_INVALID : OK;
}
API cuStreamEndCapture(P s, Graph **g) { CHECK(); return end(of(HERE(), s, 0), g); }
API cuStreamEndCapture_ptsz(P s, Graph **g) { CHECK(); return end(of(HERE(), s, 1), g); }
API cuGraphInstantiateWithFlags(Graph **exec, Graph *g, uint64_t flags) { (void)flags; CHECK(); LIVES(g); *exec = g; return OK; }
API cuGraphDestroy(Graph *g) { (void)g; CHECK(); return OK; }
API cuGraphExecDestroy(Graph *g) { (void)g; CHECK(); return OK; }
static R launch_graph(Graph *g, Stream *s) {
    LIVES(g);
    for (Op *op = g->first; op; op = op->next) add(s, *op);
    return OK;
}
API cuGraphLaunch(Graph *g, P s) { CHECK(); return launch_graph(g, of(HERE(), s, 0)); }
API cuGraphLaunch_ptsz(Graph *g, P s) { CHECK(); return launch_graph(g, of(HERE(), s, 1)); }

static R launch(const Kernel *k, unsigned x, Stream *s, void **arguments) {
    if (!k) return BAD_HANDLE;
    if (!x) return INVALID;
    Op op = {.what = KERNEL, .kernel = k};
    for (int i = 0; i < k->arguments; i++) memcpy(&op.arguments[i], arguments[i], k->sizes[i]);
    add(s, op);
    return OK;
}
#define LAUNCHES(name, per_thread, visible) \
    visible R name(const Kernel *k, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b, unsigned c, unsigned shared, P s, void **arguments, void **extra) { \
        (void)y; (void)z; (void)a; (void)b; (void)c; (void)shared; (void)extra; \
        CHECK(); \
        return launch(k, x, of(HERE(), s, per_thread), arguments); \
    }
LAUNCHES(cuLaunchKernel, 0, __attribute__((visibility("default"))))
LAUNCHES(cuLaunchKernel_ptsz, 1, __attribute__((visibility("default"))))
LAUNCHES(private_launch, 0, static)
LAUNCHES(private_launch_ptsz, 1, static)
API cuLaunchCooperativeKernel(const Kernel *k, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b, unsigned c, unsigned shared, P s, void **arguments) {
    return cuLaunchKernel(k, x, y, z, a, b, c, shared, s, arguments, 0);
}
typedef struct { unsigned sizes[7]; P stream; void *attributes; unsigned count; } Config;
API cuLaunchKernelEx(const Config *c, const Kernel *k, void **arguments, void **extra) {
    return cuLaunchKernel(k, c->sizes[0], 1, 1, 1, 1, 1, 0, c->stream, arguments, extra);
}
API cuLaunchKernelEx_ptsz(const Config *c, const Kernel *k, void **arguments, void **extra) {
    return cuLaunchKernel_ptsz(k, c->sizes[0], 1, 1, 1, 1, 1, 0, c->stream, arguments, extra);
}
API cuLaunchGrid(const Kernel *k, int w, int h) { return cuLaunchKernel(k, w, h, 1, 1, 1, 1, 0, 0, 0, 0); }
static R host(Stream *s, void (*call)(void *), void *data) {
    add(s, (Op){.what = HOST, .call = call, .to = data});
    return OK;
}
API cuLaunchHostFunc(P s, void (*call)(void *), void *data) { CHECK(); return host(of(HERE(), s, 0), call, data); }
API cuLaunchHostFunc_ptsz(P s, void (*call)(void *), void *data) { CHECK(); return host(of(HERE(), s, 1), call, data); }

static void *self(void) {
    Dl_info info;
    if (!dladdr((void *)cuInit, &info)) return 0;
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}
API cuGetProcAddress_v2(const char *name, void **place, int version, uint64_t flags, int *status) {
    static void *library;
    if (!library) library = self();
    if (getenv("FAKE_PRIVATE") && !strcmp(name, "cuLaunchKernel")) {
        *place = flags & 2 ? (void *)private_launch_ptsz : (void *)private_launch;
        return OK;
    }
    const char *forms[] = {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds", "_v2", ""};
    int is_old = !strcmp(name, "cuGetProcAddress") && version < 12000;
    for (int i = flags & 2 ? 0 : 4; i < 6; i++) {
        char full[80];
        snprintf(full, sizeof full, "%s%s", name, is_old ? "" : forms[i]);
        *place = dlsym(library, full);
        if (*place) { if (status) *status = 0; return OK; }
    }
    if (status) *status = 1;
    return NOT_FOUND;
}
API cuGetProcAddress(const char *name, void **place, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, place, version, flags, 0);
}
API cuGetErrorString(R r, const char **s) { (void)r; *s = "an error"; return OK; }
API cuGetErrorName(R r, const char **s) { (void)r; *s = "ERROR"; return OK; }

// A name that no header knows.
API cuNotKnownToAnybody(int x) { return x + 1; }
// Counts of the driver itself: launches, launches that were in flight at most.
API fakeCounts(uint64_t *counts) {
    counts[0] = launches;
    counts[1] = most_in_flight;
    return OK;
}
