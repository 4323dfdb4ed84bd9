/* SPDX-License-Identifier: MIT */
/*
 * Makes system calls fail (see failing_calls.h).
 */
#include "failing_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__linux__) && defined(SECCOMP_USER_NOTIF_FLAG_CONTINUE)

/* watched system calls, and the error that each returns */
static const struct watched {
    unsigned number;
    int error;
    const char *name;
} watched[] = {
#define WATCH(name, error)                                                                         \
    {                                                                                              \
        __NR_##name, error, #name                                                                  \
    }
#ifdef __NR_open
    WATCH(open, EMFILE),
#endif
    WATCH(openat, EMFILE),  WATCH(read, EIO),      WATCH(pread64, EIO), WATCH(readv, EIO),
    WATCH(write, ENOSPC),   WATCH(writev, ENOSPC), WATCH(close, EIO),   WATCH(fsync, EIO),
    WATCH(ftruncate, EIO),  WATCH(lseek, EIO),     WATCH(fstat, EIO),
#ifdef __NR_newfstatat
    WATCH(newfstatat, EIO),
#endif
#ifdef __NR_rename
    WATCH(rename, EIO),
#endif
#ifdef __NR_renameat
    WATCH(renameat, EIO),
#endif
    WATCH(renameat2, EIO),  WATCH(dup, EMFILE),
#ifdef __NR_dup2
    WATCH(dup2, EMFILE),
#endif
    WATCH(dup3, EMFILE),    WATCH(pipe2, EMFILE),
#ifdef __NR_vfork
    WATCH(vfork, EAGAIN),
#endif
    WATCH(clone, EAGAIN),
#ifdef __NR_clone3
    WATCH(clone3, EAGAIN),
#endif
#undef WATCH
};
enum { WATCHED = sizeof watched / sizeof *watched };

/* a call that nothing else makes; it marks the end of watching */
#define END_CALL __NR_setpriority

void failing_calls_end(void)
{
    syscall(END_CALL, -1, 0, 0);
}

/* Installs the filter in this process. Returns the listener's descriptor, or -1. */
static int watch(void)
{
    struct sock_filter filter[2 * WATCHED + 4];
    size_t length = 0;
    filter[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i <= WATCHED; i++) {
        const unsigned number = i < WATCHED ? watched[i].number : END_CALL;
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* Passes a descriptor to another process; -1 stands for none. */
static void send_descriptor(int to, int descriptor)
{
    char byte = descriptor >= 0, space[CMSG_SPACE(sizeof descriptor)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = space;
        message.msg_controllen = sizeof space;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof descriptor),
                                 .cmsg_level = SOL_SOCKET,
                                 .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    if (sendmsg(to, &message, 0) != 1)
        _exit(120);
}

static int receive_descriptor(int from)
{
    int descriptor = -1;
    char byte = 0, space[CMSG_SPACE(sizeof descriptor)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    if (recvmsg(from, &message, 0) == 1 && CMSG_FIRSTHDR(&message) != NULL)
        memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

/* Forks a process that runs the work. Returns its id, and the listener for its calls. */
static pid_t start(void (*work)(void *), void *context, int *listener)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        /* the work must find the same free descriptors as without the filter */
        const int told = watch();
        send_descriptor(ends[1], told);
        close(ends[0]);
        close(ends[1]);
        close(told);
        if (told >= 0)
            work(context);
        _exit(121);
    }
    *listener = child > 0 ? receive_descriptor(ends[0]) : -1;
    close(ends[0]);
    close(ends[1]);
    return child;
}

/* Returns whether a descriptor is not a regular file. A pipe whose close fails stays open, and its
   other end would wait forever. */
static bool is_pipe(pid_t process, unsigned long long descriptor)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%llu", (int)process, descriptor);
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Returns the entry of this call if it is the one that must fail, and NULL otherwise. */
static const struct watched *fails(const struct seccomp_notif *call, pid_t process, long n,
                                   failed_call *told)
{
    size_t i = 0;
    while (i < WATCHED && watched[i].number != (unsigned)call->data.nr)
        i++;
    if (i == WATCHED || (pid_t)call->pid != process ||
        (call->data.nr == __NR_close && is_pipe(process, call->data.args[0])))
        return NULL;
    return told->made++ == n ? &watched[i] : NULL;
}

enum { CLOSES = 3 }; /* calls of start(), which the listener also receives */

int failing_calls_run(void (*work)(void *), void *context, long n, failed_call *told)
{
    enum {
        SLICE = 50,
        SLICES = 600
    }; /* milliseconds, slices: older kernels do not report on the listener that a process has ended
          until waitpid reaps it */
    int status = -1, listener = -1;
    bool ended = false, gone = false;
    int waited = 0;
    *told = (failed_call){0};
    const pid_t process = start(work, context, &listener);
    int before = CLOSES;
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    while (listener >= 0) {
        struct seccomp_notif call = {0};
        struct seccomp_notif_resp answer = {0};
        const int events = poll(&ready, 1, SLICE);
        if (events == 0 && ++waited < SLICES) {
            if (waitpid(process, &status, WNOHANG) == process) {
                gone = true;
                break;
            }
            continue;
        }
        if (events <= 0 || (ready.revents & POLLIN) == 0) {
            told->hung = events == 0;
            break;
        }
        waited = 0;
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            continue;
        answer.id = call.id;
        answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ended = ended || call.data.nr == END_CALL;
        const struct watched *w = before > 0 || ended ? NULL : fails(&call, process, n, told);
        before -= before > 0;
        if (w != NULL) {
            answer.flags = 0;
            answer.error = -w->error;
            told->name = w->name;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    if (told->hung)
        kill(process, SIGKILL);
    if (process > 0 && !gone)
        waitpid(process, &status, 0);
    if (listener >= 0)
        close(listener);
    return status;
}

static void nothing(void *context)
{
    (void)context;
    _exit(close(-1) != 0 ? 7 : 8);
}

bool failing_calls_work(void)
{
    failed_call told;
    const int status = failing_calls_run(nothing, NULL, 0, &told);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 && told.name != NULL && !told.hung;
}

#else
bool failing_calls_work(void)
{
    return false;
}

int failing_calls_run(void (*work)(void *), void *context, long n, failed_call *told)
{
    (void)work, (void)context, (void)n;
    *told = (failed_call){0};
    return -1;
}

void failing_calls_end(void) {}
#endif
