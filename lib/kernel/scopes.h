/* SPDX-License-Identifier: MIT */
/*
 * The scopes in which temporary memory is allocated from the stack of a scratch (td_scope in
 * base/stack.h). Each scope has a function NAME_measure next to the code that allocates. It makes
 * the largest allocations of that code on a stack without memory, which counts the bytes. A
 * workspace's stack has capacity for the rows of a batch, plus the largest scope of an operation,
 * plus the largest scope of a kernel. A scope that is not listed here does not compile.
 */
#ifndef TD_SCOPES_H
#define TD_SCOPES_H

/* Scopes of kernels. Only `inverse` opens another scope, and it measures both. */
#define TD_KERNEL_SCOPES(X)                                                                        \
    X(balance)              /* kernel/loops/balance.c */                                           \
    X(curvature)            /* kernel/loops/close.c */                                             \
    X(dense_mass)           /* kernel/tree/mass_dense.c */                                         \
    X(drive)                /* kernel/loops/drives.c */                                            \
    X(examine)              /* kernel/algebra/ltdl.c */                                            \
    X(examine_joints)       /* kernel/tree/examine_joints.c */                                     \
    X(held_change)          /* kernel/loops/held_change.c */                                       \
    X(inverse)              /* kernel/algebra/solve_many.c */                                      \
    X(momentum_derivatives) /* kernel/tree/momentum_derivatives.c */                               \
    X(motors)               /* kernel/loops/axis.c */                                              \
    X(rnea_derivatives)     /* kernel/tree/rnea_derivatives.c */                                   \
    X(rnea_products)        /* kernel/tree/product_room.h */                                       \
    X(schur)                /* kernel/algebra/constraints.c */                                     \
    X(sides)                /* kernel/algebra/solve_many.c */                                      \
    X(spring_derivatives)   /* kernel/tree/spring_derivatives.c */

/* scopes of operations, which call kernels */
#define TD_OPERATION_SCOPES(X) X(products) /* dynamics/derivative_products.c */

/* scopes of operations that need matrices */
#define TD_MATRIX_SCOPES(X)                                                                        \
    X(actuation)          /* dynamics/actuation_derivatives.c */                                   \
    X(constrained)        /* dynamics/constrained_derivatives.c */                                 \
    X(coriolis)           /* dynamics/inverse_dynamics.c */                                        \
    X(derivatives)        /* dynamics/derivatives.c */                                             \
    X(hybrid)             /* dynamics/forward_dynamics.c */                                        \
    X(motion_derivatives) /* dynamics/motion_derivatives.c */                                      \
    X(operational)        /* dynamics/mass_matrix.c */

typedef enum td_scope_name {
#define TD_SCOPE_ENUM(name) TD_SCOPE_##name,
    TD_KERNEL_SCOPES(TD_SCOPE_ENUM) TD_OPERATION_SCOPES(TD_SCOPE_ENUM)
        TD_MATRIX_SCOPES(TD_SCOPE_ENUM)
#undef TD_SCOPE_ENUM
            TD_SCOPE_stage /* the rows of a batch: dynamics/call_batch.c */
} td_scope_name;

#endif
