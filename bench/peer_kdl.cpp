/* SPDX-License-Identifier: MIT */
/*
 * Orocos KDL. Its solvers are for chains; of those for trees there are inverse dynamics, and poses
 * and Jacobians of one link at a time. So robots that branch have no mass matrix and no forward
 * dynamics here.
 */
#include <cstring>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "peer.h"

namespace
{

const KDL::Vector gravity(0, 0, -9.81);

struct Solvers {
    KDL::ChainIdSolver_RNE inverse;
    KDL::ChainFdSolver_RNE forward;
    KDL::ChainDynParam dynamics;
    KDL::ChainFkSolverPos_recursive poses;
    KDL::ChainJntToJacSolver jacobian;

    explicit Solvers(const KDL::Chain &chain)
        : inverse(chain, gravity), forward(chain, gravity), dynamics(chain, gravity), poses(chain),
          jacobian(chain)
    {
    }
};

struct TreeSolvers {
    KDL::TreeIdSolver_RNE inverse;
    KDL::TreeFkSolverPos_recursive poses;
    KDL::TreeJntToJacSolver jacobian;

    explicit TreeSolvers(const KDL::Tree &tree)
        : inverse(tree, gravity), poses(tree), jacobian(tree)
    {
    }
};

struct Kdl {
    const bench_robot *r;
    KDL::Tree tree;
    KDL::Chain chain;
    bool is_chain;
    std::unique_ptr<Solvers> of_chain;
    std::unique_ptr<TreeSolvers> of_tree;
    std::vector<size_t> order; /* KDL's index of every joint */
    std::vector<int> segment;  /* of every joint: index in the chain, of its link, plus one */
    std::vector<std::string> link;
    std::vector<KDL::JntArray> q, qd, qdd, tau;
    KDL::JntArray x, zero;
    KDL::JntSpaceInertiaMatrix H;
    std::vector<KDL::Frame> frames, all;
    std::vector<KDL::Jacobian> jacobians;
    KDL::Wrenches no_wrenches;
    KDL::WrenchMap no_wrench_map;
    std::vector<double> dense;
};

/* The joint of every segment; a chain if no link carries two. */
bool number_joints(Kdl &k)
{
    std::map<std::string, std::pair<size_t, std::string>> found;
    std::string leaf = k.tree.getRootSegment()->first;
    k.is_chain = true;
    for (const auto &entry : k.tree.getSegments()) {
        const auto &element = entry.second;
        const KDL::Joint &joint = element.segment.getJoint();
        if (joint.getType() != KDL::Joint::None)
            found[joint.getName()] = {element.q_nr, entry.first};
        k.is_chain = k.is_chain && element.children.size() < 2;
        if (element.children.empty())
            leaf = entry.first;
    }
    for (size_t i = 0; i < k.r->joints; i++) {
        const auto at = found.find(k.r->joint[i]);
        if (at == found.end())
            return false;
        k.order.push_back(at->second.first);
        k.link.push_back(at->second.second);
    }
    if (!k.is_chain || !k.tree.getChain(k.tree.getRootSegment()->first, leaf, k.chain))
        return found.size() == k.r->joints;
    /* in a chain joints are numbered along it */
    std::map<std::string, std::pair<size_t, int>> along;
    size_t number = 0;
    for (unsigned i = 0; i < k.chain.getNrOfSegments(); i++) {
        const KDL::Joint &joint = k.chain.getSegment(i).getJoint();
        if (joint.getType() != KDL::Joint::None)
            along[joint.getName()] = {number++, static_cast<int>(i) + 1};
    }
    for (size_t i = 0; i < k.r->joints; i++) {
        k.order[i] = along[k.r->joint[i]].first;
        k.segment.push_back(along[k.r->joint[i]].second);
    }
    return found.size() == k.r->joints;
}

std::vector<KDL::JntArray> rows(const Kdl &k, const double *from)
{
    const size_t n = k.r->joints;
    std::vector<KDL::JntArray> to(k.r->states, KDL::JntArray(static_cast<unsigned>(n)));
    for (size_t i = 0; i < k.r->states; i++)
        for (size_t j = 0; j < n; j++)
            to[i](static_cast<unsigned>(k.order[j])) = from[i * n + j];
    return to;
}

void *kdl_open(const bench_robot *r, int, const char **why)
{
    auto k = std::make_unique<Kdl>();
    const auto n = static_cast<unsigned>(r->joints);
    k->r = r;
    if (!kdl_parser::treeFromFile(r->tree, k->tree) || !number_joints(*k)) {
        *why = "its parser does not take it";
        return nullptr;
    }
    k->q = rows(*k, r->q), k->qd = rows(*k, r->qd);
    k->qdd = rows(*k, r->qdd), k->tau = rows(*k, r->tau);
    k->x.resize(n), k->zero.resize(n);
    k->dense.resize(n * n + n);
    k->H.resize(n);
    k->frames.resize(n);
    k->jacobians.assign(n, KDL::Jacobian(n));
    if (k->is_chain) {
        k->of_chain = std::make_unique<Solvers>(k->chain);
        k->all.resize(k->chain.getNrOfSegments());
        k->no_wrenches.resize(k->chain.getNrOfSegments());
    } else {
        k->of_tree = std::make_unique<TreeSolvers>(k->tree);
    }
    return k.release();
}

bool kdl_offers(const void *self, operation op)
{
    const auto *k = static_cast<const Kdl *>(self);
    if (op == OP_COUPLED)
        return k->is_chain && k->r->independent < k->r->joints;
    return k->is_chain || op == OP_FK || op == OP_JACOBIAN || op == OP_JACOBIANS || op == OP_RNEA;
}

void coupled(Kdl *k, size_t state)
{
    const bench_robot *r = k->r;
    const size_t n = r->joints;
    k->of_chain->dynamics.JntToMass(k->q[state], k->H);
    k->of_chain->inverse.CartToJnt(k->q[state], k->qd[state], k->zero, k->no_wrenches, k->x);
    dense_forward(r, k->order.data(), k->H.data.data(), k->x.data.data(),
                  r->tau_y + state * r->independent, k->dense.data(), k->dense.data() + n * n);
}

void solve(Kdl *k, size_t state)
{
    const size_t n = k->r->joints;
    k->of_chain->dynamics.JntToMass(k->q[state], k->H);
    std::memcpy(k->dense.data(), k->H.data.data(), n * n * sizeof(double));
    k->x = k->tau[state];
    dense_solve(n, k->dense.data(), k->x.data.data());
}

void run_chain(Kdl *k, operation op, size_t state)
{
    Solvers &s = *k->of_chain;
    switch (op) {
    case OP_FK:
        s.poses.JntToCart(k->q[state], k->all);
        break;
    case OP_JACOBIAN:
        s.jacobian.JntToJac(k->q[state], k->jacobians[0], k->segment[k->r->farthest]);
        break;
    case OP_JACOBIANS:
        for (size_t i = 0; i < k->r->joints; i++)
            s.jacobian.JntToJac(k->q[state], k->jacobians[i], k->segment[i]);
        break;
    case OP_COLUMNS: /* those of the last segment: in a chain it has them all */
        s.poses.JntToCart(k->q[state], k->all);
        s.jacobian.JntToJac(k->q[state], k->jacobians[0], k->segment[k->r->farthest]);
        break;
    case OP_RNEA:
        s.inverse.CartToJnt(k->q[state], k->qd[state], k->qdd[state], k->no_wrenches, k->x);
        break;
    case OP_CRBA:
        s.dynamics.JntToMass(k->q[state], k->H);
        break;
    case OP_SOLVE:
        solve(k, state);
        break;
    case OP_ABA:
        s.forward.CartToJnt(k->q[state], k->qd[state], k->tau[state], k->no_wrenches, k->x);
        break;
    default:
        coupled(k, state);
    }
}

void run_tree(Kdl *k, operation op, size_t state)
{
    TreeSolvers &s = *k->of_tree;
    switch (op) {
    case OP_FK:
        for (size_t i = 0; i < k->r->joints; i++)
            s.poses.JntToCart(k->q[state], k->frames[i], k->link[i]);
        break;
    case OP_JACOBIAN:
        s.jacobian.JntToJac(k->q[state], k->jacobians[0], k->link[k->r->farthest]);
        break;
    case OP_JACOBIANS:
        for (size_t i = 0; i < k->r->joints; i++)
            s.jacobian.JntToJac(k->q[state], k->jacobians[i], k->link[i]);
        break;
    default:
        s.inverse.CartToJnt(k->q[state], k->qd[state], k->qdd[state], k->no_wrench_map, k->x);
    }
}

void kdl_run(void *self, operation op, size_t first, size_t n)
{
    auto *k = static_cast<Kdl *>(self);
    for (size_t i = first; i < first + n; i++) {
        if (k->is_chain)
            run_chain(k, op, i);
        else
            run_tree(k, op, i);
    }
}

/* as KDL has them they are about the tip */
void columns_result(const Kdl *k, double *out)
{
    const size_t n = k->r->joints, tip = static_cast<size_t>(k->segment[k->r->farthest] - 1);
    KDL::Jacobian world(k->jacobians[0]);
    world.changeRefPoint(-k->all[tip].p);
    for (unsigned row = 0; row < 6; row++)
        for (size_t j = 0; j < n; j++)
            out[row * n + j] = world((row + 3) % 6, static_cast<unsigned>(k->order[j]));
}

void kdl_result(const void *self, operation op, double *out)
{
    const auto *k = static_cast<const Kdl *>(self);
    const size_t n = k->r->joints;
    const auto order = [k](size_t i) { return static_cast<unsigned>(k->order[i]); };
    for (size_t i = 0; i < n; i++) {
        if (op == OP_FK || op == OP_COLUMNS) {
            const KDL::Frame &f =
                k->is_chain ? k->all[static_cast<size_t>(k->segment[i] - 1)] : k->frames[i];
            for (int row = 0; row < 3; row++)
                for (int column = 0; column < 4; column++)
                    out[12 * i + 4 * row + column] = f(row, column);
        } else if (op == OP_JACOBIANS || (op == OP_JACOBIAN && i == 0)) {
            for (unsigned row = 0; row < 6; row++)
                for (size_t j = 0; j < n; j++) /* KDL has linear over angular */
                    out[(6 * i + row) * n + j] = k->jacobians[i]((row + 3) % 6, order(j));
        } else if (op == OP_CRBA) {
            for (size_t j = 0; j < n; j++)
                out[i * n + j] = k->H(order(i), order(j));
        } else if (op == OP_RNEA || op == OP_SOLVE || op == OP_ABA) {
            out[i] = k->x(order(i));
        }
    }
    if (op == OP_COLUMNS)
        columns_result(k, out + 12 * n);
    if (op == OP_COUPLED)
        std::memcpy(out, k->dense.data() + n * n, k->r->independent * sizeof(double));
}

void kdl_close(void *self)
{
    delete static_cast<Kdl *>(self);
}

} // namespace

extern "C" const peer peer_kdl;
const peer peer_kdl = {"kdl", kdl_open, kdl_offers, kdl_run, kdl_result, kdl_close};
