/* SPDX-License-Identifier: MIT */
/*
 * tandem-sweep-mpi: runs sweeps in processes that MPI starts, on one or many machines. Each rank
 * computes a shard with its own checkpoint, and the first rank merges the results. The command
 * tandem itself is not linked with MPI. If a rank fails or is stopped, the job ends; the same
 * command continues from the checkpoints.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "sweep/sweep_command.h"
#include "text.h"

enum { TAG_LENGTH = 1, TAG_TEXT };

/* Largest message in bytes, since counts of MPI are int. */
static const size_t most_bytes = (size_t)1 << 30;

static bool agree(bool yes)
{
    int one = yes, all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all != 0;
}

static bool same(uint64_t own)
{
    uint64_t first = own;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return agree(own == first);
}

static void send_text(const char *text)
{
    unsigned long long length = strlen(text);
    MPI_Send(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, TAG_LENGTH, MPI_COMM_WORLD);
    for (size_t at = 0; at < length; at += most_bytes) {
        const size_t part = length - at < most_bytes ? (size_t)length - at : most_bytes;
        MPI_Send(text + at, (int)part, MPI_CHAR, 0, TAG_TEXT, MPI_COMM_WORLD);
    }
}

static char *receive_text(size_t from)
{
    const int rank = (int)from;
    unsigned long long length = 0;
    MPI_Recv(&length, 1, MPI_UNSIGNED_LONG_LONG, rank, TAG_LENGTH, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    char *text = allocate((size_t)length + 1, 1);
    for (size_t at = 0; at < length; at += most_bytes) {
        const size_t part = length - at < most_bytes ? (size_t)length - at : most_bytes;
        MPI_Recv(text + at, (int)part, MPI_CHAR, rank, TAG_TEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return text;
}

static void end(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const sweep_team team = {(size_t)rank, (size_t)ranks, agree, same,
                             send_text,    receive_text,  end};
    const int code = sweep_command(argc, argv, &team);
    const bool written = flush_output() == 0;
    if (rank == 0 && !written) {
        complain("standard output cannot be written");
    }
    MPI_Finalize();
    return written ? code : (int)EXIT_FILE;
}
