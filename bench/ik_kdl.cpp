/* SPDX-License-Identifier: MIT */
/*
 * Orocos KDL's solvers of inverse kinematics: Levenberg and Marquardt's method, which knows no
 * limits, and Newton and Raphson's with joint limits.
 */
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

#include "ik_peer.h"

namespace
{

KDL::Frame frame_of(const double x[12])
{
    return KDL::Frame(KDL::Rotation(x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]),
                      KDL::Vector(x[3], x[7], x[11]));
}

KDL::Chain chain_of(const ik_chain &c)
{
    KDL::Chain chain;
    for (size_t i = 0; i < c.joints; i++) {
        const KDL::Frame before = frame_of(c.frame[i]);
        const KDL::Vector axis(c.axis[i][0], c.axis[i][1], c.axis[i][2]);
        chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), before));
        chain.addSegment(
            KDL::Segment(KDL::Joint(KDL::Vector::Zero(), axis,
                                    c.prismatic[i] ? KDL::Joint::TransAxis : KDL::Joint::RotAxis)));
    }
    chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), frame_of(c.tip)));
    return chain;
}

KDL::JntArray array_of(size_t n, const double *x)
{
    KDL::JntArray a(static_cast<unsigned>(n));
    for (size_t i = 0; i < n; i++)
        a(static_cast<unsigned>(i)) = x[i];
    return a;
}

} // namespace

struct ik_peer {
    size_t n;
    KDL::Chain chain;
    KDL::ChainIkSolverPos_LMA lma;
    KDL::ChainFkSolverPos_recursive poses;
    KDL::ChainIkSolverVel_pinv velocities;
    KDL::ChainIkSolverPos_NR_JL newton;

    explicit ik_peer(const ik_chain &c)
        : n(c.joints), chain(chain_of(c)), lma(chain, 1e-6), poses(chain), velocities(chain),
          newton(chain, array_of(n, c.lower), array_of(n, c.upper), poses, velocities, 100, 1e-6)
    {
    }
};

ik_peer *ik_peer_new(const ik_chain *chain)
{
    return new ik_peer(*chain);
}

void ik_peer_free(ik_peer *peer)
{
    delete peer;
}

bool ik_peer_solve(ik_peer *peer, int solver, const double pose[12], const double *seed,
                   double *position)
{
    KDL::JntArray found(static_cast<unsigned>(peer->n));
    const KDL::JntArray from = array_of(peer->n, seed);
    const KDL::Frame there = frame_of(pose);
    const int status = solver == IK_KDL_LMA ? peer->lma.CartToJnt(from, there, found)
                                            : peer->newton.CartToJnt(from, there, found);
    for (size_t i = 0; i < peer->n; i++)
        position[i] = found(static_cast<unsigned>(i));
    return status >= 0;
}
