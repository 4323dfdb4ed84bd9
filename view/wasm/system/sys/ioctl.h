/* SPDX-License-Identifier: MIT */
/* A page has no terminal. */
#ifndef VIEW_SYSTEM_IOCTL_H
#define VIEW_SYSTEM_IOCTL_H

struct winsize {
    unsigned short ws_col;
};
enum { TIOCGWINSZ };

static inline int ioctl(int file, int request, ...)
{
    (void)file;
    (void)request;
    return -1;
}

#endif
