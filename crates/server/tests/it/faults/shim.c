/*
 * Makes calls fail that a program makes on the files of a database, and sets
 * its clock.
 *
 * Loaded in front of the C library by LD_PRELOAD. It is in C because the
 * workspace forbids unsafe Rust, and a C compiler is there for SQLite anyway.
 *
 * A test steers it from outside, while the program runs, through a small file
 * that both have in memory. STORE_FAULTS names the file, and `struct control`
 * is all that it holds; `shim.rs` writes it. STORE_FAULTS_IN is the end of the
 * database's name: that of the links unless it is there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum kind {
    NONE = 0,     /* nothing fails */
    IO_ERROR = 1, /* what changes a file fails with EIO */
    FULL = 2,     /* what changes a file fails with ENOSPC */
    TORN = 3,     /* the first write stops half-way, and then it is as FULL */
    UNSYNCED = 4, /* only calls that wait for the disk fail, with EIO */
    UNREADABLE = 5, /* only reads fail, with EIO */
    READ_ONLY = 6,  /* what changes a file fails with EROFS */
    KILLED = 7      /* the process dies before it changes a file */
};

enum where {
    ANY_FILE = 0,
    PAGES = 1, /* the database itself, to which a checkpoint writes */
    LOG = 2    /* its write-ahead log, to which a commit writes */
};

struct control {
    int64_t kind;   /* written last by the test, so the others are set by then */
    int64_t where;
    int64_t first;  /* the first matching call that fails, counted from 1 */
    int64_t count;  /* how many fail, that one included */
    int64_t calls;  /* matching calls so far; counted here */
    int64_t failed; /* those that failed; counted here */
    int64_t ahead;  /* seconds by which the clock is ahead; behind if negative */
};

enum call { WRITE, SYNC, TRUNCATE, READ };
enum verdict { PASSES, FAILS, TEARS };

static struct control *control;
static const char *database = "/links.db";

__attribute__((constructor)) static void attach(void)
{
    const char *path = getenv("STORE_FAULTS");
    if (getenv("STORE_FAULTS_IN"))
        database = getenv("STORE_FAULTS_IN");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        /* Going on would be a test without faults. */
        fputs("shim: STORE_FAULTS names no file that can be mapped\n", stderr);
        abort();
    }
    close(fd);
    control = memory;
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Whether the test means this file. Asks the system each time: a number may
 * be another file's by now, and nobody is in a hurry while a fault is set. */
static int is_meant(int fd, int64_t where)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    if (where == PAGES)
        return ends_with(path, database);
    if (where == LOG)
        return ends_with(path, "-wal") && strstr(path, database) != NULL;
    return strstr(path, database) != NULL;
}

static enum verdict judge(int fd, enum call call)
{
    int saved = errno;
    int64_t kind = control ? __atomic_load_n(&control->kind, __ATOMIC_SEQ_CST) : NONE;
    int concerned = kind == UNSYNCED     ? call == SYNC
                    : kind == UNREADABLE ? call == READ
                                         : kind != NONE && call != READ;
    concerned = concerned && is_meant(fd, control->where);
    errno = saved;
    if (!concerned)
        return PASSES;
    int64_t number = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
    if (number < control->first || number - control->first >= control->count)
        return PASSES;
    __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
    if (kind == KILLED)
        kill(getpid(), SIGKILL);
    if (kind == TORN && call == WRITE && number == control->first)
        return TEARS;
    errno = kind == FULL || kind == TORN ? ENOSPC : kind == READ_ONLY ? EROFS : EIO;
    return FAILS;
}

/* The calls themselves, made past the C library, which is behind us. */

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
    switch (judge(fd, WRITE)) {
    case FAILS:
        return -1;
    case TEARS:
        length = length / 2;
        break;
    case PASSES:
        break;
    }
    return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    return pwrite64(fd, bytes, length, offset);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    switch (judge(fd, WRITE)) {
    case FAILS:
        return -1;
    case TEARS:
        length = length / 2;
        break;
    case PASSES:
        break;
    }
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset)
{
    return judge(fd, READ) == PASSES ? syscall(SYS_pread64, fd, bytes, length, offset) : -1;
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
    return pread64(fd, bytes, length, offset);
}

int ftruncate64(int fd, off64_t length)
{
    return judge(fd, TRUNCATE) == PASSES ? (int)syscall(SYS_ftruncate, fd, length) : -1;
}

int ftruncate(int fd, off_t length)
{
    return ftruncate64(fd, length);
}

int fsync(int fd)
{
    return judge(fd, SYNC) == PASSES ? (int)syscall(SYS_fsync, fd) : -1;
}

int fdatasync(int fd)
{
    return judge(fd, SYNC) == PASSES ? (int)syscall(SYS_fdatasync, fd) : -1;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int done = (int)syscall(SYS_clock_gettime, clock, time);
    if (done == 0 && clock == CLOCK_REALTIME && control)
        time->tv_sec += __atomic_load_n(&control->ahead, __ATOMIC_SEQ_CST);
    return done;
}
