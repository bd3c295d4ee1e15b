// What does a program see of the driver that it finds as libcuda.so.1?
//
//     client NAME
//
// It opens the driver by name and asks it for every function, as the CUDA runtime does. What it prints
// must not depend on who schedules it; its counts are on standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t P;
typedef int (*Look)(const char *, void **, int, uint64_t, int *);
static void *driver;
static Look look;
static uint64_t flags;

#define FUNCTIONS(F) \
    F(cuInit, unsigned) \
    F(cuDeviceGet, int *, int) \
    F(cuCtxCreate, void **, unsigned, int) \
    F(cuCtxDestroy, void *) \
    F(cuCtxSetCurrent, void *) \
    F(cuCtxGetCurrent, void **) \
    F(cuCtxSynchronize, void) \
    F(cuDevicePrimaryCtxRetain, void **, int) \
    F(cuDevicePrimaryCtxRelease, int) \
    F(cuDevicePrimaryCtxReset, int) \
    F(cuMemAlloc, P *, size_t) \
    F(cuMemHostAlloc, void **, size_t, unsigned) \
    F(cuMemcpyHtoD, P, const void *, size_t) \
    F(cuMemcpyDtoH, void *, P, size_t) \
    F(cuMemcpyHtoDAsync, P, const void *, size_t, void *) \
    F(cuMemcpyDtoHAsync, void *, P, size_t, void *) \
    F(cuMemsetD8Async, P, unsigned char, size_t, void *) \
    F(cuModuleLoadData, void **, const void *) \
    F(cuModuleGetFunction, void **, void *, const char *) \
    F(cuStreamCreate, void **, unsigned) \
    F(cuStreamCreateWithPriority, void **, unsigned, int) \
    F(cuStreamGetPriority, void *, int *) \
    F(cuStreamDestroy, void *) \
    F(cuStreamSynchronize, void *) \
    F(cuStreamQuery, void *) \
    F(cuStreamWaitEvent, void *, void *, unsigned) \
    F(cuStreamBeginCapture, void *, int) \
    F(cuStreamEndCapture, void *, void **) \
    F(cuEventCreate, void **, unsigned) \
    F(cuEventDestroy, void *) \
    F(cuEventRecord, void *, void *) \
    F(cuEventQuery, void *) \
    F(cuEventSynchronize, void *) \
    F(cuGraphInstantiateWithFlags, void **, void *, uint64_t) \
    F(cuGraphLaunch, void *, void *) \
    F(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) \
    F(cuLaunchKernelEx, const void *, void *, void **, void **) \
    F(cuLaunchCooperativeKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **) \
    F(cuLaunchHostFunc, void *, void (*)(void *), void *) \
    F(fakeCounts, uint64_t *)
#define DECLARE(name, ...) static int (*name)(__VA_ARGS__);
FUNCTIONS(DECLARE)

static void fail(const char *what, int code) {
    printf("%s: %d\n", what, code);
    fflush(stdout);
    _exit(3);
}
#define DO(call) do { int r_ = (call); if (r_) fail(#call, r_); } while (0)

static void load(uint64_t with) {
    flags = with;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) fail(dlerror(), 0);
    look = (Look)dlsym(driver, "cuGetProcAddress_v2");
    void *again;
    DO(look("cuGetProcAddress", &again, 12000, flags, 0));
    look = (Look)again;
#define FIND(name, ...) DO(look(#name, (void **)&name, 12000, flags, 0));
    FUNCTIONS(FIND)
}

static void *kernel(const char *name) {
    void *module, *function;
    DO(cuModuleLoadData(&module, "image"));
    DO(cuModuleGetFunction(&function, module, name));
    return function;
}

static int try_launch(void *function, void *stream, void **arguments) {
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0);
}
static void add(void *stream, P p, uint32_t n, uint32_t v) {
    static __thread void *f;
    if (!f) f = kernel("add");
    void *arguments[] = {&p, &n, &v};
    DO(try_launch(f, stream, arguments));
}
static void sum(void *stream, P p, P q, uint32_t n) {
    void *arguments[] = {&p, &q, &n};
    DO(try_launch(kernel("sum"), stream, arguments));
}
static void nap(void *stream, uint32_t us) {
    void *arguments[] = {&us};
    DO(try_launch(kernel("sleep"), stream, arguments));
}
static P memory(uint32_t n) {
    P p;
    DO(cuMemAlloc(&p, n * 4));
    return p;
}
static void *stream(unsigned kind) {
    void *s;
    DO(cuStreamCreate(&s, kind));
    return s;
}
static uint64_t hash(P p, uint32_t n) {
    uint32_t *host = malloc(n * 4);
    DO(cuMemcpyDtoH(host, p, n * 4));
    uint64_t h = 14695981039346656037ull;
    for (uint32_t i = 0; i < n; i++) h = (h ^ host[i]) * 1099511628211ull;
    free(host);
    return h;
}
static void *context;
static void open_with(uint64_t with) {
    load(with);
    DO(cuInit(0));
    DO(cuDevicePrimaryCtxRetain(&context, 0));
    DO(cuCtxSetCurrent(context));
}
static void threads(int n, void *(*body)(void *)) {
    pthread_t all[16];
    for (long i = 0; i < n; i++) pthread_create(&all[i], 0, body, (void *)i);
    for (int i = 0; i < n; i++) {
        void *told;
        pthread_join(all[i], &told);
        printf("thread %d: %016llx\n", i, (unsigned long long)told);
    }
}
static int rounds(int by_default) {
    const char *given = getenv("CLIENT_ROUNDS");
    return given ? atoi(given) : by_default;
}

// Chains in streams of several threads: each launch must come behind the one before.
static void *chain(void *seed) {
    DO(cuCtxSetCurrent(context));
    void *s = stream((long)seed & 1);
    P p = memory(64);
    for (int i = 0; i < rounds(150); i++) {
        add(s, p, 64, i * 7 + (uint32_t)(long)seed);
        if (i % 40 == 39) DO(cuStreamSynchronize(s));
    }
    DO(cuStreamSynchronize(s));
    DO(cuStreamDestroy(s));
    return (void *)hash(p, 64);
}
static void chains(void) { open_with(0); threads(4, chain); }

// Events between two streams, back and forth.
static void events(void) {
    open_with(0);
    void *a = stream(1), *b = stream(1), *ea, *eb;
    DO(cuEventCreate(&ea, 2));
    DO(cuEventCreate(&eb, 2));
    P p = memory(32), q = memory(32);
    for (int i = 0; i < rounds(100); i++) {
        add(a, p, 32, i);
        DO(cuEventRecord(ea, a));
        DO(cuStreamWaitEvent(b, ea, 0));
        sum(b, q, p, 32);
        DO(cuEventRecord(eb, b));
        DO(cuStreamWaitEvent(a, eb, 0));
        sum(a, p, q, 32);
        if (i % 30 == 29) { DO(cuEventSynchronize(eb)); printf("%d\n", cuEventQuery(eb)); }
    }
    DO(cuCtxSynchronize());
    printf("%016llx %016llx\n", (unsigned long long)hash(p, 32), (unsigned long long)hash(q, 32));
}

// A capture in the strictest mode, over two streams, while another thread launches; then many graph launches.
static volatile int is_ready, captured;
static void *meanwhile(void *it) {
    (void)it;
    DO(cuCtxSetCurrent(context));
    void *s = stream(1);
    static P p;
    p = memory(16);
    is_ready = 1;
    for (int i = 0; i < 60 || !captured; i++) { if (i < 60) add(s, p, 16, i); usleep(20); }
    DO(cuStreamSynchronize(s));
    return (void *)hash(p, 16);
}
static void graphs(void) {
    open_with(0);
    void *a = stream(1), *b = stream(1), *fork_, *join_, *graph, *exec;
    DO(cuEventCreate(&fork_, 2));
    DO(cuEventCreate(&join_, 2));
    P p = memory(16), q = memory(16);
    pthread_t other;
    void *told;
    pthread_create(&other, 0, meanwhile, 0);
    while (!is_ready) usleep(100);
    add(a, p, 16, 1);
    add(b, q, 16, 1);
    DO(cuStreamBeginCapture(a, 0));
    for (int i = 0; i < 10; i++) { add(a, p, 16, i); usleep(50); }
    DO(cuEventRecord(fork_, a));
    DO(cuStreamWaitEvent(b, fork_, 0));
    sum(b, q, p, 16);
    DO(cuEventRecord(join_, b));
    DO(cuStreamWaitEvent(a, join_, 0));
    sum(a, p, q, 16);
    DO(cuStreamEndCapture(a, &graph));
    captured = 1;
    DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
    pthread_join(other, &told);
    for (int i = 0; i < rounds(30); i++) { DO(cuGraphLaunch(exec, a)); add(a, p, 16, i); }
    DO(cuStreamSynchronize(a));
    DO(cuStreamSynchronize(b));
    printf("%016llx %016llx %016llx\n", (unsigned long long)told, (unsigned long long)hash(p, 16), (unsigned long long)hash(q, 16));
}

// The default stream of each thread.
static void *on_own(void *seed) {
    DO(cuCtxSetCurrent(context));
    P p = memory(32);
    uint32_t host[32];
    for (int i = 0; i < rounds(100); i++) add(i & 1 ? 0 : (void *)2, p, 32, i + (uint32_t)(long)seed);
    DO(cuStreamSynchronize(0));
    DO(cuMemcpyDtoHAsync(host, p, sizeof host, 0));
    DO(cuStreamSynchronize((void *)2));
    return (void *)hash(p, 32);
}
static void per_thread(void) { open_with(2); threads(4, on_own); }

// Two threads in streams of their own, of which one waits for the other.
static uint32_t *awaited;
static void wait_for_it(void *s) {
    uint32_t one = 1;
    void *arguments[] = {&awaited, &one};
    DO(try_launch(kernel("until"), s, arguments));
}
static void let_it_go(void *s) {
    uint32_t one = 1;
    void *arguments[] = {&awaited, &one};
    DO(try_launch(kernel("set"), s, arguments));
}
static void *waits_on_own(void *it) {
    DO(cuCtxSetCurrent(context));
    wait_for_it(0);
    return it;
}
static void apart(void) {
    open_with(2);
    DO(cuMemHostAlloc((void **)&awaited, 4, 0));
    threads(1, waits_on_own);
    for (int i = 0; i < 20; i++) nap(0, 200);
    let_it_go(0);
    DO(cuCtxSynchronize());
    printf("%u\n", *awaited);
}
// A stream that gets the handle of one whose work still runs.
static void reused(void) {
    open_with(0);
    DO(cuMemHostAlloc((void **)&awaited, 4, 0));
    void *s = stream(1);
    wait_for_it(s);
    DO(cuStreamDestroy(s));
    s = stream(1);
    for (int i = 0; i < 20; i++) nap(s, 200);
    let_it_go(s);
    DO(cuCtxSynchronize());
    printf("%u\n", *awaited);
}
// A part of the program gives the context up while a kernel runs that waits for the host.
static void held(void) {
    open_with(0);
    void *again;
    DO(cuDevicePrimaryCtxRetain(&again, 0));
    DO(cuMemHostAlloc((void **)&awaited, 4, 0));
    void *s = stream(1);
    wait_for_it(s);
    DO(cuDevicePrimaryCtxRelease(0));
    __atomic_store_n(awaited, 1, __ATOMIC_RELEASE);
    DO(cuStreamSynchronize(s));
    printf("%d\n", again == context);
}
// Launches when a line comes.
static void on_demand(void) {
    open_with(0);
    void *s = stream(1);
    P p = memory(16);
    add(s, p, 16, 1);
    DO(cuStreamSynchronize(s));
    getchar();
    for (int i = 0; i < 4; i++) add(s, p, 16, i);
    DO(cuStreamSynchronize(s));
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}

// The default stream of all, with streams that wait for it and without.
static void default_stream(void) {
    open_with(0);
    void *blocking = stream(0);
    P p = memory(32);
    for (int i = 0; i < rounds(60); i++) {
        add(0, p, 32, i);
        add(blocking, p, 32, i);
        add((void *)1, p, 32, i);
        if (i % 20 == 0) printf("%016llx\n", (unsigned long long)hash(p, 32));
    }
    printf("%016llx\n", (unsigned long long)hash(p, 32));
}

// A running kernel waits for what the host does after more launches than any window holds.
static void host_waits(void) {
    open_with(0);
    void *a = stream(1), *b = stream(1);
    P p = memory(16);
    uint32_t *flag, one = 1;
    DO(cuMemHostAlloc((void **)&flag, 4, 0));
    *flag = 0;
    void *arguments[] = {&flag, &one};
    DO(try_launch(kernel("until"), a, arguments));
    for (int i = 0; i < 30; i++) add(a, p, 16, i);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 30; i++) add(b, p, 0, i);
    DO(cuCtxSynchronize());
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}

static void *launches_on(void *it) {
    DO(cuCtxSetCurrent(context));
    void *s = stream(1);
    P p = memory(16);
    void *f = kernel("add");
    for (int i = 0;; i++) {
        uint32_t n = 16, v = i;
        void *arguments[] = {&p, &n, &v};
        if (try_launch(f, s, arguments)) pause();
    }
    return it;
}
static void exit_running(void) {
    open_with(0);
    void *s = stream(1);
    for (int i = 0; i < 6; i++) nap(s, 20000);
    printf("leaves\n");
}
static void exit_launching(void) {
    open_with(0);
    pthread_t t;
    for (int i = 0; i < 3; i++) pthread_create(&t, 0, launches_on, 0);
    usleep(20000);
    printf("leaves\n");
    fflush(stdout);
    exit(0);
}

static int ended_well(pid_t child) {
    int status;
    waitpid(child, &status, 0);
    return status;
}
static void forks(void) {
    open_with(0);
    void *s = stream(1);
    P p = memory(16);
    // Another thread is in the library most of the time.
    pthread_t other;
    pthread_create(&other, 0, launches_on, 0);
    for (int i = 0; i < 40; i++) {
        add(s, p, 16, i);
        nap(s, 100);
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(20);
            void *c;
            uint32_t us = 1;
            void *arguments[] = {&us};
            printf("%d %d %d\n", cuCtxGetCurrent(&c), try_launch((void *)1, s, arguments), cuStreamDestroy(s));
            fflush(stdout);
            if (i & 1) _exit(0);
            exit(0);
        }
        printf("%d\n", ended_well(child));
    }
    DO(cuStreamSynchronize(s));
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}
static void fork_first(void) {
    load(0);
    for (int i = 0; i < 2; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(20);
            DO(cuInit(0));
            DO(cuDevicePrimaryCtxRetain(&context, 0));
            printf("child: %016llx\n", (unsigned long long)chain((void *)3));
            exit(0);
        }
        printf("%d\n", ended_well(child));
    }
    DO(cuInit(0));
    DO(cuDevicePrimaryCtxRetain(&context, 0));
    printf("%016llx\n", (unsigned long long)chain((void *)3));
}

// Contexts that end with work in flight, on two devices, and come again.
static void contexts(void) {
    load(0);
    DO(cuInit(0));
    uint64_t h = 0;
    for (int i = 0; i < rounds(20); i++) {
        void *a, *b;
        DO(cuCtxCreate(&a, 0, 0));
        void *s = stream(1);
        P p = memory(16);
        add(s, p, 16, i);
        DO(cuCtxCreate(&b, 0, 1));
        void *t = stream(1);
        P q = memory(16);
        add(t, q, 16, i);
        DO(cuCtxSetCurrent(a));
        add(s, p, 16, i);
        nap(s, 300);
        DO(cuStreamSynchronize(s));
        h = h * 31 + hash(p, 16);
        nap(s, 300);
        add(s, p, 16, i);
        DO(cuCtxDestroy(a));
        DO(cuCtxSetCurrent(b));
        DO(cuCtxSynchronize());
        h = h * 31 + hash(q, 16);
        nap(t, 100);
        DO(cuCtxDestroy(b));
    }
    printf("%016llx\n", (unsigned long long)h);
}
static void resets(void) {
    load(0);
    DO(cuInit(0));
    for (int i = 0; i < 6; i++) {
        DO(cuDevicePrimaryCtxRetain(&context, 0));
        DO(cuCtxSetCurrent(context));
        void *s = stream(1);
        P p = memory(16);
        for (int j = 0; j < 10; j++) add(s, p, 16, j);
        DO(cuStreamSynchronize(s));
        printf("%016llx\n", (unsigned long long)hash(p, 16));
        nap(s, 500);
        if (i & 1) DO(cuDevicePrimaryCtxReset(0));
        else DO(cuDevicePrimaryCtxRelease(0));
    }
}
static void streams(void) {
    open_with(0);
    P p = memory(16);
    for (int i = 0; i < rounds(60); i++) {
        void *s = stream(i & 1);
        add(s, p, 16, i);
        DO(cuStreamSynchronize(s));
        nap(s, 50);
        DO(cuStreamDestroy(s));
    }
    DO(cuCtxSynchronize());
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}

// Functions found in each way that there is; every launch must be seen.
static void ways(void) {
    open_with(0);
    P p = memory(16);
    uint32_t n = 16, v = 5;
    void *arguments[] = {&p, &n, &v}, *f = kernel("add");
    typedef int Launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    Launch *found[6] = {dlsym(driver, "cuLaunchKernel"), dlsym(driver, "cuLaunchKernel_ptsz")};
    int (*old)(const char *, void **, int, uint64_t) = dlsym(driver, "cuGetProcAddress");
    DO(old("cuLaunchKernel", (void **)&found[2], 11030, 0));
    DO(old("cuLaunchKernel", (void **)&found[3], 11030, 2));
    DO(look("cuLaunchKernel", (void **)&found[4], 12090, 1, 0));
    int (*nested)(const char *, void **, int, uint64_t);
    DO(look("cuGetProcAddress", (void **)&nested, 11040, 0, 0));
    DO(nested("cuLaunchKernel", (void **)&found[5], 11030, 0));
    for (int i = 0; i < 6; i++) {
        DO(found[i](f, 1, 1, 1, 1, 1, 1, 0, (void *)1, arguments, 0));
        DO(cuCtxSynchronize());
    }
    struct { unsigned sizes[7]; void *stream, *attributes; unsigned count; } config = {{1, 1, 1, 1, 1, 1, 0}, 0, 0, 0};
    DO(cuLaunchKernelEx(&config, f, arguments, 0));
    DO(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, arguments));
    int (*grid)(void *, int, int) = dlsym(driver, "cuLaunchGrid");
    DO(grid(kernel("noop"), 1, 1));
    int (*unknown)(int);
    void *nothing;
    DO(look("cuNotKnownToAnybody", (void **)&unknown, 12000, 0, 0));
    printf("%d %d\n", unknown(41), look("cuNothing", &nothing, 12000, 0, 0));
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}

// Calls that fail must fail in the same way, and cost no room in the window.
static void failing(void) {
    open_with(0);
    void *s = stream(1), *f = kernel("noop");
    for (int i = 0; i < 40; i++) {
        printf("%d %d\n", cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, s, 0, 0), try_launch(0, s, 0));
        DO(try_launch(f, s, 0));
    }
    DO(cuCtxSetCurrent(0));
    printf("%d\n", try_launch(f, s, 0));
}

static uint32_t host_sum;
static void on_host(void *it) { host_sum = host_sum * 3 + (uint32_t)(long)it; }
static void host_calls(void) {
    open_with(0);
    void *s = stream(1);
    P p = memory(16);
    for (long i = 0; i < rounds(80); i++) {
        add(s, p, 16, i);
        DO(cuLaunchHostFunc(s, on_host, (void *)i));
        if (i % 10 == 0) DO(cuMemsetD8Async(p, i, 16, s));
    }
    DO(cuStreamSynchronize(s));
    printf("%u %016llx\n", host_sum, (unsigned long long)hash(p, 16));
}

// The library stays where it is although the program closes it.
static void closes(void) {
    open_with(0);
    void *s = stream(1);
    nap(s, 3000);
    dlclose(driver);
    dlclose(driver);
    DO(cuStreamSynchronize(s));
    printf("%016llx\n", (unsigned long long)chain((void *)1));
}

static void priorities(void) {
    open_with(0);
    void *s = stream(0), *t;
    int a, b;
    DO(cuStreamCreateWithPriority(&t, 1, -2));
    DO(cuStreamGetPriority(s, &a));
    DO(cuStreamGetPriority(t, &b));
    printf("%d %d\n", a, b);
}

// A kernel that runs from one line to the next one, twice; and busy work all the time, for the program beside it.
static void urgent(void) {
    open_with(0);
    DO(cuMemHostAlloc((void **)&awaited, 4, 0));
    void *s = stream(1);
    P p = memory(16);
    for (int i = 0; i < 2; i++) {
        if (i) getchar();
        *awaited = 0;
        wait_for_it(s);
        getchar();
        __atomic_store_n(awaited, 1, __ATOMIC_RELEASE);
        add(s, p, 16, i);
        DO(cuStreamSynchronize(s));
    }
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}
static void busy(void) {
    open_with(0);
    void *s = stream(1);
    P p = memory(16), q = memory(16);
    for (int i = 0; i < rounds(100); i++) { add(s, p, 16, i); DO(cuMemsetD8Async(q, i, 16, s)); nap(s, 1000); }
    DO(cuStreamSynchronize(s));
    printf("%016llx\n", (unsigned long long)hash(p, 16));
}

// Nanoseconds of a launch call alone with room in the window, and of launches from end to end.
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
static int by_size(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }
static void cost(void) {
    open_with(0);
    void *s = stream(1), *f = kernel("noop"), *until = kernel("until");
    // A kernel that waits keeps the stream busy, so that a call wakes nobody; with it the window is full.
    enum { BATCHES = 5000, BATCH = 7 };
    static double all[BATCHES];
    uint32_t *flag;
    DO(cuMemHostAlloc((void **)&flag, 4, 0));
    for (uint32_t i = 0, next = 1; i < BATCHES; i++, next++) {
        void *arguments[] = {&flag, &next};
        DO(try_launch(until, s, arguments));
        usleep(10);
        double begun = now();
        for (int j = 0; j < BATCH; j++) DO(try_launch(f, s, 0));
        all[i] = (now() - begun) / BATCH;
        __atomic_store_n(flag, next, __ATOMIC_RELEASE);
        DO(cuStreamSynchronize(s));
    }
    qsort(all, BATCHES, sizeof *all, by_size);
    double begun = now();
    for (int i = 0; i < 100000; i++) DO(try_launch(f, s, 0));
    DO(cuStreamSynchronize(s));
    printf("%.0f %.0f\n", all[BATCHES / 2], (now() - begun) / 100000);
}

static const struct { const char *name; void (*run)(void); } clients[] = {
    {"chains", chains}, {"events", events}, {"graphs", graphs}, {"per thread", per_thread}, {"apart", apart}, {"reused", reused}, {"held", held}, {"on demand", on_demand},
    {"default stream", default_stream}, {"host waits", host_waits}, {"exit running", exit_running},
    {"exit launching", exit_launching}, {"forks", forks}, {"fork first", fork_first}, {"contexts", contexts},
    {"resets", resets}, {"streams", streams}, {"ways", ways}, {"failing", failing}, {"host calls", host_calls},
    {"closes", closes}, {"priorities", priorities}, {"urgent", urgent}, {"busy", busy}, {"cost", cost},
};

// Tells launches that the driver got, launches that went through the library, and how many were in the driver.
static void tell(void) {
    uint64_t counts[2] = {0, 0};
    if (fakeCounts) fakeCounts(counts);
    uint64_t (*seen)(void) = driver ? (uint64_t(*)(void))dlsym(driver, "raddle_cuda_launches") : 0;
    fprintf(stderr, "made %llu seen %llu most %llu\n", (unsigned long long)counts[0],
            (unsigned long long)(seen ? seen() : 0), (unsigned long long)counts[1]);
}

int main(int count, char **words) {
    alarm(50);
    for (size_t i = 0; count > 1 && i < sizeof clients / sizeof *clients; i++)
        if (!strcmp(clients[i].name, words[1])) {
            clients[i].run();
            tell();
            return 0;
        }
    return 2;
}
