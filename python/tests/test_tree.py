# SPDX-License-Identifier: MIT
"""robot.tree: the same functions in the coordinates of the spanning tree."""
import pickle
import threading

import numpy as np
import pytest

import tandem
from conftest import load


def test_the_tree_agrees_with_the_robot_by_the_closure():
    bars = load("four_bar")
    y, yd, ydd = bars.reference + 0.2, np.array([1.5]), np.array([-2.0])
    state = bars.tree_state(y, yd, ydd)
    tau = bars.tree.inverse_dynamics(state.q, state.qd, state.qdd)
    assert tau.shape == (bars.nv,) == (bars.tree.nv,)
    np.testing.assert_allclose(bars.project_force(y, tau), bars.inverse_dynamics(y, yd, ydd), atol=1e-12)
    G = bars.closure_jacobian(y)
    np.testing.assert_allclose(G.T @ bars.tree.mass_matrix(state.q) @ G, bars.mass_matrix(y), atol=1e-12)
    np.testing.assert_allclose(bars.tree.link_poses(state.q), bars.link_poses(y), atol=1e-12)
    np.testing.assert_array_equal(bars.tree.reference, bars.tree_state(bars.reference).q)


def test_it_has_what_computes_in_its_coordinates_alone(arm):
    for name in ("constraint_jacobian", "loop_force", "constrained_forward_dynamics", "project_position", "tree_state", "closure_jacobian",
                 "forces_to_actuators", "independent_coordinates"):
        assert hasattr(arm, name) and not hasattr(arm.tree, name)
    with pytest.raises(TypeError, match="tree"):
        arm.mass_matrix(np.zeros(7), tree=True)


def test_configurations(hand):
    tree = hand.tree
    q = tree.random_configuration((5, 2), seed=3)
    assert q.shape == (5, 2, hand.nq) and tree.neutral().shape == (hand.nq,)
    v = np.ones(hand.nv)
    np.testing.assert_allclose(tree.difference(q, tree.integrate(q, v)), np.broadcast_to(v, (5, 2, hand.nv)), atol=1e-12)
    follower = next(name for name in hand.names.q if name not in hand.names.y)
    assert tree.state({follower: "90deg"})[hand.names.q.index(follower)] == np.pi / 2
    assert tree.velocity({follower: 2})[hand.names.qd.index(follower)] == 2 and tree.velocity().shape == (hand.nv,)
    assert tree.names is hand.names and (tree.nq, tree.nv) == (hand.nq, hand.nv)


def test_messages_name_its_sizes(hand):
    with pytest.raises(ValueError, match=rf"mass_matrix: y has shape \(1,\), expected \(..., nq={hand.nq}\)"):
        hand.tree.mass_matrix([0.0])
    with pytest.raises(ValueError, match=rf"yd has shape \(1,\), expected \(..., nv={hand.nv}\)"):
        hand.tree.bias_force(np.zeros(hand.nq), [0.0])
    with pytest.raises(ValueError, match=rf"expected \(2, nv={hand.nv}, nv={hand.nv}\)"):
        hand.tree.mass_matrix(np.zeros((2, hand.nq)), out=np.zeros((2, 3, 3)))


class Table(np.ndarray):
    """Imitates a DataFrame."""


def test_columns_are_those_of_the_tree():
    bars = load("four_bar")
    table = np.asfortranarray(np.tile(bars.tree.reference, (3, 1))).view(Table)
    table.columns = ["q:" + name for name in bars.names.q]
    assert bars.tree.gravity_force(table).shape == (3, bars.nv)
    table.columns = list(reversed(bars.names.q))
    with pytest.raises(ValueError, match="other columns or another order"):
        bars.tree.gravity_force(table)


def test_changes_of_the_robot_hold(hand):
    q = hand.tree.reference
    link = hand.names.links[-1]
    heavy = hand.with_payload(link, 1.5).with_gravity((0, 0, -1))
    poses = heavy.tree.link_jacobian(link, q)
    np.testing.assert_allclose(heavy.tree.gravity_force(q) - hand.with_gravity((0, 0, -1)).tree.gravity_force(q), 1.5 * poses[5], atol=1e-12)
    assert heavy.with_threads(2).tree._changes.threads == 2
    np.testing.assert_array_equal(hand.with_following("last").tree.mass_matrix(q), hand.tree.mass_matrix(q))


def test_with_a_start_and_a_chart_it_is_the_same():
    bars = load("four_bar")
    q = bars.tree_state(bars.reference + 0.1).q
    for other in (bars.with_start(q), bars.with_chart(q)):
        assert other.tree == bars.tree
        np.testing.assert_array_equal(other.tree.mass_matrix(q), bars.tree.mass_matrix(q))


def test_it_is_made_once_and_pickled(hand):
    assert hand.tree is hand.tree
    heavy = hand.with_payload(hand.names.links[-1], 1.0)
    robot, tree = pickle.loads(pickle.dumps((heavy, heavy.tree)))
    q = hand.tree.reference
    assert tree == heavy.tree == robot.tree and hash(tree) == hash(heavy.tree) and tree != hand.tree and tree != heavy
    np.testing.assert_array_equal(tree.gravity_force(q), heavy.tree.gravity_force(q))
    assert "Tree" in repr(tree)


def test_threads_have_workspaces_of_their_own(hand):
    q, y = hand.tree.random_configuration(20), hand.random_configuration(20)
    expected = [hand.tree.forward_dynamics(row, row, row) for row in q]
    there = [hand.gravity_force(row) for row in y]
    wrong = []

    def work():
        for _ in range(50):
            for a, b, c, d in zip(q, expected, y, there):  # alternates between the kinds of coordinates
                if not (np.array_equal(hand.tree.forward_dynamics(a, a, a), b) and np.array_equal(hand.gravity_force(c), d)):
                    wrong.append(a)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_errors_name_the_joint():
    robot = tandem.load(b"<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/>"
                        b"<child link='b'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>")
    with pytest.raises(tandem.DynamicsError, match="'j'") as caught:
        robot.tree.forward_dynamics([0.0])
    assert caught.value.joint == "j" and np.isnan(caught.value.result).all()


def test_poses_of_one_link_in_blocks():
    for robot in (load("humanoid", floating=True), load("humanoid", floating=True).with_threads(2), load("humanoid", floating=True).tree,
                  load("four_bar").with_path()):
        link = robot.names.links[-1]
        y = robot.integrate(robot.reference, np.random.default_rng(1).uniform(-0.01, 0.01, (3000, len(robot.velocity()))))
        all_links = robot.link_poses(y)[:, -1]
        np.testing.assert_array_equal(robot.link_pose(link, y), all_links)
        np.testing.assert_array_equal(robot.link_pose(link, y.reshape(60, 50, -1)), all_links.reshape(60, 50, 3, 4))
        np.testing.assert_array_equal(robot.link_pose(link, y[0]), robot.link_poses(y[0])[-1])
        assert robot.link_pose(link, y[:0]).shape == (0, 3, 4)
        statuses = np.zeros(3000, np.intc)
        y[2000, 0] = np.nan
        found = robot.link_pose(link, y, statuses=statuses)
        assert statuses[2000] == tandem.Status.NOT_FINITE and not statuses[:2000].any() and np.isnan(found[2000]).all()


def test_poses_of_one_link_take_no_room_for_all(arm):
    import tracemalloc

    y = np.zeros((20000, 7))
    arm.link_pose("tool", y)
    tracemalloc.start()
    arm.link_pose("tool", y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20000 * 96 + (2 << 20)  # the poses of all links would need 21 MB
