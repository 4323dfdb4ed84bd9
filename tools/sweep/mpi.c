/* SPDX-License-Identifier: MIT */
/*
 * tandem-sweep-mpi: the command of sweeps with processes that MPI starts, on one machine or on
 * many. Each rank does a shard with a checkpoint of its own, and the first one puts the results
 * together. The command itself is linked with no MPI. A rank that fails, or is stopped, ends the
 * job, and the same command goes on from the checkpoints.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "sweep/sweep_command.h"
#include "text.h"

enum { TAG_LENGTH = 1, TAG_TEXT };

/* Bytes that go in one message: counts of MPI are int. */
static const size_t most_bytes = (size_t)1 << 30;

static int agree(int yes)
{
    int all = 0;
    MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
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

static char *receive_text(int rank)
{
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

static int gather(const char *text, char ***all)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        send_text(text);
        return 1;
    }
    *all = allocate((size_t)ranks, sizeof **all);
    for (int i = 1; i < ranks; i++) {
        (*all)[i] = receive_text(i);
    }
    return 1;
}

static void end(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    argp_err_exit_status = EXIT_USAGE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const sweep_team team = {(size_t)rank, (size_t)ranks, gather, agree, end};
    const int code = sweep_command(argc, argv, &team);
    const bool written = flush_output() == 0;
    if (rank == 0 && !written) {
        complain("standard output cannot be written");
    }
    MPI_Finalize();
    return written ? code : (int)EXIT_USAGE;
}
