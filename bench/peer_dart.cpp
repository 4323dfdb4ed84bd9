/* SPDX-License-Identifier: MIT */
/*
 * DART. It computes on demand and keeps what it has: setting positions, velocities and so on ends
 * the validity of what depends on them, so every state sets them anew, as a user would.
 */
#include <cstring>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Joint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <memory>
#include <string>
#include <vector>

#include "peer.h"

namespace
{

struct Dart {
    const bench_robot *r;
    dart::dynamics::SkeletonPtr skeleton;
    std::vector<size_t> order; /* DART's index of every joint */
    std::vector<dart::dynamics::BodyNode *> body;
    std::vector<Eigen::VectorXd> q, qd, qdd, tau;
    Eigen::VectorXd x;
    std::vector<Eigen::Isometry3d> poses;
    std::vector<dart::math::Jacobian> jacobians;
    std::vector<Eigen::Vector6d> columns;
    std::vector<double> dense;
};

std::vector<Eigen::VectorXd> rows(const Dart &d, const double *from)
{
    const size_t n = d.r->joints;
    std::vector<Eigen::VectorXd> to(d.r->states, Eigen::VectorXd(n));
    for (size_t i = 0; i < d.r->states; i++)
        for (size_t j = 0; j < n; j++)
            to[i][static_cast<Eigen::Index>(d.order[j])] = from[i * n + j];
    return to;
}

void *dart_open(const bench_robot *r, int, const char **why)
{
    auto d = std::make_unique<Dart>();
    const size_t n = r->joints;
    *why = "its parser does not take it";
    dart::utils::DartLoader loader;
    dart::utils::DartLoader::Options options;
    options.mDefaultRootJointType = dart::utils::DartLoader::RootJointType::FIXED;
    loader.setOptions(options);
    d->r = r;
    d->skeleton = loader.parseSkeleton("file://" + std::string(r->tree));
    if (!d->skeleton || d->skeleton->getNumDofs() != n)
        return nullptr;
    d->skeleton->setGravity(Eigen::Vector3d(0, 0, -9.81));
    for (size_t i = 0; i < n; i++) {
        auto *joint = d->skeleton->getJoint(r->joint[i]);
        if (!joint || joint->getNumDofs() != 1)
            return nullptr;
        d->order.push_back(joint->getIndexInSkeleton(0));
        d->body.push_back(joint->getChildBodyNode());
    }
    d->q = rows(*d, r->q), d->qd = rows(*d, r->qd);
    d->qdd = rows(*d, r->qdd), d->tau = rows(*d, r->tau);
    d->x.resize(static_cast<Eigen::Index>(n));
    d->poses.resize(n);
    d->jacobians.resize(n);
    d->columns.resize(n);
    d->dense.resize(n * n + n);
    return d.release();
}

bool dart_offers(const void *self, operation op)
{
    const auto *d = static_cast<const Dart *>(self);
    return op != OP_COUPLED || d->r->independent < d->r->joints;
}

void coupled(Dart *d, size_t state)
{
    const bench_robot *r = d->r;
    const size_t n = r->joints;
    const Eigen::MatrixXd &M = d->skeleton->getMassMatrix();
    const Eigen::VectorXd &bias = d->skeleton->getCoriolisAndGravityForces();
    dense_forward(r, d->order.data(), M.data(), bias.data(), r->tau_y + state * r->independent,
                  d->dense.data(), d->dense.data() + n * n);
}

void solve(Dart *d, size_t state)
{
    const size_t n = d->r->joints;
    const Eigen::MatrixXd &M = d->skeleton->getMassMatrix();
    std::memcpy(d->dense.data(), M.data(), n * n * sizeof(double));
    d->x = d->tau[state];
    dense_solve(n, d->dense.data(), d->x.data());
}

void run_one(Dart *d, operation op, size_t state)
{
    auto &s = *d->skeleton;
    s.setPositions(d->q[state]);
    switch (op) {
    case OP_FK:
        for (size_t i = 0; i < d->r->joints; i++)
            d->poses[i] = d->body[i]->getWorldTransform();
        break;
    case OP_JACOBIAN:
        d->jacobians[d->r->farthest] = d->body[d->r->farthest]->getWorldJacobian();
        break;
    case OP_JACOBIANS:
        for (size_t i = 0; i < d->r->joints; i++)
            d->jacobians[i] = d->body[i]->getWorldJacobian();
        break;
    case OP_COLUMNS: /* what its Jacobians are made of, which it has in body axes */
        for (size_t i = 0; i < d->r->joints; i++) {
            d->poses[i] = d->body[i]->getWorldTransform();
            d->columns[i] = dart::math::AdT(
                d->poses[i], d->body[i]->getParentJoint()->getRelativeJacobian().col(0));
        }
        break;
    case OP_RNEA:
        s.setVelocities(d->qd[state]);
        s.setAccelerations(d->qdd[state]);
        s.computeInverseDynamics();
        break;
    case OP_CRBA:
        s.getMassMatrix();
        break;
    case OP_SOLVE:
        solve(d, state);
        break;
    case OP_ABA:
        s.setVelocities(d->qd[state]);
        s.setForces(d->tau[state]);
        s.computeForwardDynamics();
        break;
    default:
        s.setVelocities(d->qd[state]);
        coupled(d, state);
    }
}

void dart_run(void *self, operation op, size_t first, size_t n)
{
    auto *d = static_cast<Dart *>(self);
    for (size_t i = first; i < first + n; i++)
        run_one(d, op, i);
}

/* The Jacobian of a body has a column for each joint above it. */
void jacobian_result(const Dart *d, size_t i, double *out)
{
    const size_t n = d->r->joints;
    const auto &above = d->body[i]->getDependentGenCoordIndices();
    std::memset(out, 0, 6 * n * sizeof *out);
    for (size_t column = 0; column < above.size(); column++)
        for (size_t j = 0; j < n; j++)
            for (size_t row = 0; above[column] == d->order[j] && row < 6; row++)
                out[row * n + j] = d->jacobians[i](static_cast<Eigen::Index>(row),
                                                   static_cast<Eigen::Index>(column));
}

void dart_result(const void *self, operation op, double *out)
{
    const auto *d = static_cast<const Dart *>(self);
    const size_t n = d->r->joints;
    const auto order = [d](size_t i) { return static_cast<Eigen::Index>(d->order[i]); };
    for (size_t i = 0; i < n; i++) {
        if (op == OP_FK || op == OP_COLUMNS)
            for (Eigen::Index row = 0; row < 3; row++)
                for (Eigen::Index column = 0; column < 4; column++)
                    out[12 * i + 4 * static_cast<size_t>(row) + static_cast<size_t>(column)] =
                        d->poses[i](row, column);
        if (op == OP_COLUMNS)
            for (size_t row = 0; row < 6; row++)
                out[(12 + row) * n + i] = d->columns[i][static_cast<Eigen::Index>(row)];
        else if (op == OP_JACOBIANS)
            jacobian_result(d, i, out + 6 * n * i);
        else if (op == OP_CRBA)
            for (size_t j = 0; j < n; j++)
                out[i * n + j] = d->skeleton->getMassMatrix()(order(i), order(j));
        else if (op == OP_RNEA)
            out[i] = d->skeleton->getForces()[order(i)];
        else if (op == OP_ABA)
            out[i] = d->skeleton->getAccelerations()[order(i)];
        else if (op == OP_SOLVE)
            out[i] = d->x[order(i)];
    }
    if (op == OP_JACOBIAN)
        jacobian_result(d, d->r->farthest, out);
    if (op == OP_COUPLED)
        std::memcpy(out, d->dense.data() + n * n, d->r->independent * sizeof(double));
}

void dart_close(void *self)
{
    delete static_cast<Dart *>(self);
}

} // namespace

extern "C" const peer peer_dart;
const peer peer_dart = {"dart", dart_open, dart_offers, dart_run, dart_result, dart_close};
