/* SPDX-License-Identifier: MIT */
/*
 * The control loop of control_loop.c in C++17: computed torque moves the robot from its neutral
 * configuration to another one, and forward dynamics simulates it. The loop allocates nothing.
 * Failures are exceptions, which name the joint, the loop or the argument at fault.
 *
 *   control_loop robot.urdf
 */
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include <tandem/tandem.hpp>

/* Joints move by the amplitude (rad or m) in the first second and rest in the second one. */
static const double amplitude = 0.1, step = 1e-3, pi = 3.14159265358979323846;

/* Returns the largest position error of a joint after two seconds. */
static double control(const tandem::model &robot)
{
    tandem::workspace workspace(robot);
    const std::size_t n = robot.nyd();
    std::vector<double> y = robot.neutral(), yd(n), ydd(n), command(n), tau(n);
    if (y.size() != n)
        throw std::invalid_argument("this example is for robots without quaternions");
    for (int tick = 0; tick < 2000; tick++) {
        /* reference from 0 to 1 in one second, with zero velocity and acceleration at both ends */
        const double t = std::fmin(tick * step, 1);
        const double s = t - std::sin(2 * pi * t) / (2 * pi), sd = 1 - std::cos(2 * pi * t);
        const double sdd = 2 * pi * std::sin(2 * pi * t);
        for (std::size_t i = 0; i < n; i++) /* critically damped error: e'' + 40 e' + 400 e = 0 */
            command[i] =
                amplitude * sdd + 40 * (amplitude * sd - yd[i]) + 400 * (amplitude * s - y[i]);
        workspace.inverse_dynamics(y, yd, command, {}, tau);
        workspace.forward_dynamics(y, yd, tau, {}, ydd); /* the robot */
        for (std::size_t i = 0; i < n; i++)
            yd[i] += ydd[i] * step;
        workspace.integrate(y, yd, step, y);
    }
    double error = 0;
    for (const double position : y)
        error = std::fmax(error, std::fabs(position - amplitude));
    return error;
}

int main(int argc, char **argv)
{
    try {
        const tandem::model robot = tandem::load_urdf(argc > 1 ? argv[1] : "-");
        std::printf("largest error after 2 s: %.1e\n", control(robot));
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
