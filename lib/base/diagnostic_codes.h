/* SPDX-License-Identifier: MIT */
/*
 * All diagnostics: X(name, stable code, severity, subject). Codes are never reused. Families: X
 * the XML, N numbers, S structure, J joints, I inertia, M mimic, C couplings and loops, F
 * flexible links, T transmissions, L joints locked by options, Y submechanism lists.
 * docs/diagnostics.md documents each of them; a test compares the two.
 */
#ifndef TD_DIAGNOSTIC_CODES_H
#define TD_DIAGNOSTIC_CODES_H

#define TD_DIAGNOSTIC_TABLE(X)                                                                     \
    X(XML_SYNTAX, "URDF-X001", ERROR, "the text is not well-formed XML")                           \
    X(XML_DOCTYPE, "URDF-X002", ERROR, "a DOCTYPE is refused")                                     \
    X(XML_TOO_LARGE, "URDF-X003", ERROR, "the file exceeds the caps of size, depth or elements")   \
    X(XML_NO_ROBOT, "URDF-X004", ERROR, "no <robot> element, or more than one")                    \
    X(XML_LEADING_SPACE, "URDF-X005", WARNING, "white space before the XML declaration")           \
    X(XML_TRAILING_NUL, "URDF-X006", WARNING, "NUL bytes after the last tag")                      \
    X(XML_DECLARATION, "URDF-X007", WARNING, "a malformed XML declaration")                        \
    X(XML_NESTED_ROBOT, "URDF-X008", WARNING, "<robot> inside another root element")               \
    X(XML_STRAY_TEXT, "URDF-X009", WARNING, "text between elements")                               \
    X(XML_UNKNOWN_ELEMENT, "URDF-X010", NOTE, "an element that is not part of URDF")               \
    X(XML_UNKNOWN_ATTRIBUTE, "URDF-X011", NOTE, "an attribute that is not part of URDF")           \
    X(XML_MISSPELT_ATTRIBUTE, "URDF-X012", WARNING,                                                \
      "an unknown attribute that resembles a missing one")                                         \
    X(XML_REPEATED, "URDF-X013", ERROR, "an element that may occur once occurs again")             \
    X(XML_REPEATED_IDLE, "URDF-X014", WARNING, "a repeated element without effect on torques")     \
    X(XML_VERSION, "URDF-X015", WARNING, "an unknown URDF version")                                \
    X(XML_MISSPELT_ELEMENT, "URDF-X016", WARNING, "an unknown element that resembles a known one") \
    X(XML_CONSTRAINT_ATTRIBUTE, "URDF-X017", WARNING, "an unknown attribute of a constraint")      \
    X(XML_MISPLACED, "URDF-X018", WARNING, "an element that affects the motion is misplaced")      \
    X(XML_XACRO, "URDF-X040", ERROR, "xacro that was not expanded")                                \
    X(XML_REPEATED_VISUAL, "URDF-X041", NOTE, "a repeated element of a shape")                     \
    X(XACRO_PROGRAM, "URDF-X042", ERROR, "xacro cannot be run")                                    \
    X(XACRO_FAILED, "URDF-X043", ERROR, "xacro reports an error, or was stopped")                  \
    X(XACRO_ARGUMENT, "URDF-X044", ERROR, "an argument of xacro that has no effect")               \
    X(XACRO_WARNING, "URDF-X045", WARNING, "messages of xacro about a file that it expanded")      \
    X(XACRO_EXPANDED, "URDF-X046", NOTE, "a file that was expanded by xacro")                      \
    X(XML_SURROUNDED, "URDF-X047", NOTE, "text around the XML, or XML in quotes")                  \
    X(NUMBER, "URDF-N001", ERROR, "a torque-bearing value is not a number")                        \
    X(NUMBER_COUNT, "URDF-N002", ERROR, "a torque-bearing value has the wrong count of numbers")   \
    X(NUMBER_IGNORED, "URDF-N003", WARNING, "a bad number without effect on torques; ignored")     \
    X(NUMBER_MISSING, "URDF-N004", ERROR, "a required attribute is missing")                       \
    X(NUMBER_MISSING_IGNORED, "URDF-N005", WARNING,                                                \
      "a missing attribute without effect on torques")                                             \
    X(NUMBER_CONFLICT, "URDF-N006", ERROR, "two attributes that contradict each other")            \
    X(NUMBER_DEGREES, "URDF-N007", WARNING, "angles of an origin that look like degrees")          \
    X(BOOLEAN_WORD, "URDF-N040", WARNING, "true or false in another spelling")                     \
    X(ROBOT_NO_NAME, "URDF-S001", WARNING, "the robot has no name")                                \
    X(NO_LINKS, "URDF-S002", ERROR, "the robot has no links")                                      \
    X(NAME_MISSING, "URDF-S003", ERROR, "a link or joint without a name")                          \
    X(LINK_DUPLICATE, "URDF-S004", ERROR, "two links with the same name")                          \
    X(JOINT_DUPLICATE, "URDF-S005", ERROR, "two joints with the same name")                        \
    X(PARENT_UNDEFINED, "URDF-S006", ERROR, "a joint's parent link does not exist")                \
    X(CHILD_UNDEFINED, "URDF-S007", ERROR, "a joint's child link does not exist")                  \
    X(PARENT_MISSING, "URDF-S008", ERROR, "a joint without a parent")                              \
    X(CHILD_MISSING, "URDF-S009", ERROR, "a joint without a child")                                \
    X(SELF_LOOP, "URDF-S010", ERROR, "a joint from a link to itself")                              \
    X(TWO_PARENTS, "URDF-S011", ERROR, "a link with two parents")                                  \
    X(SEVERAL_ROOTS, "URDF-S012", ERROR, "more than one root link")                                \
    X(CYCLE, "URDF-S013", ERROR, "links that form a cycle without a root")                         \
    X(NAME_RESERVED, "URDF-S014", ERROR, "a name reserved for the floating base")                  \
    X(WORLD_IMPLIED, "URDF-S040", NOTE, "the undeclared link 'world' was added")                   \
    X(PARENT_PARTIAL, "URDF-S041", WARNING, "a parent link that does not exist was added")         \
    X(REACH, "URDF-S042", WARNING, "a robot too large for its mass")                               \
    X(MESH_UNREADABLE, "URDF-S043", NOTE, "mesh files that cannot be read")                        \
    X(JOINT_TYPE, "URDF-J001", ERROR, "an unknown joint type")                                     \
    X(JOINT_TYPE_MISSING, "URDF-J002", ERROR, "a joint without a type")                            \
    X(AXIS_ZERO, "URDF-J003", ERROR, "an axis of length zero")                                     \
    X(AXIS_NOT_UNIT, "URDF-J004", WARNING, "an axis that is not of unit length")                   \
    X(QUATERNION_NOT_UNIT, "URDF-J005", WARNING, "a quaternion that is not of unit length")        \
    X(QUATERNION_ZERO, "URDF-J006", ERROR, "a quaternion without a direction")                     \
    X(LIMIT_MISSING, "URDF-J007", WARNING, "a revolute or prismatic joint without limits")         \
    X(LIMIT_ORDER, "URDF-J008", WARNING, "a lower limit above the upper one; both ignored")        \
    X(LIMIT_CONTINUOUS, "URDF-J009", NOTE, "position limits on a continuous joint")                \
    X(LIMIT_ZERO, "URDF-J010", WARNING, "effort or velocity limits of zero, or four zeros")        \
    X(LIMIT_NEGATIVE, "URDF-J011", WARNING, "a negative effort or velocity limit; ignored")        \
    X(PASSIVE_NEGATIVE, "URDF-J012", WARNING, "negative damping, friction or stiffness")           \
    X(AXIS_MISSING, "URDF-J013", NOTE, "a moving joint without <axis>; it defaults to 1 0 0")      \
    X(LIMIT_DEGREES, "URDF-J014", WARNING, "limits that look like degrees")                        \
    X(LIMIT_RATE, "URDF-J015", WARNING, "a velocity limit that looks like turns per minute")       \
    X(LIMIT_RANGE, "URDF-J016", WARNING, "a slider's limits beyond the robot's size")              \
    X(PITCH_MISSING, "URDF-J017", ERROR, "a screw joint without a pitch")                          \
    X(JOINT_PART_IDLE, "URDF-J018", WARNING, "a property that joints of the type do not use")      \
    X(LIMIT_POINT, "URDF-J019", WARNING, "position limits that allow a single position")           \
    X(MASS_NEGATIVE, "URDF-I001", ERROR, "a negative mass")                                        \
    X(INERTIA_INDEFINITE, "URDF-I002", WARNING, "an inertia matrix with a negative eigenvalue")    \
    X(INERTIA_SINGULAR, "URDF-I003", WARNING, "mass, but a singular inertia matrix")               \
    X(INERTIA_TRIANGLE, "URDF-I004", WARNING, "moments that violate the triangle inequality")      \
    X(INERTIA_ZERO, "URDF-I005", WARNING, "mass, but no inertia; treated as a point mass")         \
    X(INERTIA_WITHOUT_MASS, "URDF-I006", WARNING, "inertia without mass")                          \
    X(INERTIAL_MISSING, "URDF-I007", NOTE, "a link without inertial")                              \
    X(INERTIA_ASYMMETRIC, "URDF-I008", WARNING, "lower-triangle entries contradict the upper")     \
    X(INERTIA_NONE, "URDF-I010", NOTE, "an inertial without mass and inertia")                     \
    X(BRANCH_MASSLESS, "URDF-I009", WARNING, "a joint moves no inertia: singular mass matrix")     \
    X(BRANCH_MASSLESS_IN_TREE, "URDF-I011", NOTE,                                                  \
      "the mass matrix is singular, but only the tree's")                                          \
    X(COM_AWAY, "URDF-I012", WARNING, "a center of mass far from its link")                        \
    X(GYRATION, "URDF-I013", WARNING, "a radius of gyration beyond the robot's size")              \
    X(MASS_DENSE, "URDF-I014", WARNING, "a mass too large for the link's size")                    \
    X(COM_OUTSIDE, "URDF-I015", WARNING, "a center of mass far outside its link's meshes")         \
    X(INERTIA_BEYOND_SHAPES, "URDF-I016", WARNING, "an inertia too large for its link's shapes")   \
    X(SPIN_IDLE, "URDF-I017", NOTE, "rods that turn about the lines of their ends without effect") \
    X(MIMIC_UNDEFINED, "URDF-M001", ERROR, "the leader does not exist")                            \
    X(MIMIC_PARTIAL, "URDF-M040", WARNING, "a follower without its leader is independent")         \
    X(MIMIC_CYCLE, "URDF-M002", ERROR, "joints that follow each other in a cycle")                 \
    X(MIMIC_TYPE, "URDF-M003", ERROR, "mimic requires joints with one coordinate")                 \
    X(MIMIC_ZERO, "URDF-M004", WARNING, "a multiplier of zero: the joint is a constant")           \
    X(MIMIC_UNITS, "URDF-M005", NOTE, "leader and follower have different units")                  \
    X(MIMIC_ON_FIXED, "URDF-M006", NOTE, "mimic on a fixed joint has no effect")                   \
    X(MIMIC_OF_FIXED, "URDF-M007", WARNING, "a movable joint follows a fixed one: a constant")     \
    X(MIMIC_LIMITS, "URDF-M008", WARNING, "the leader's range exceeds the follower's limits")      \
    X(MIMIC_LIMITS_EMPTY, "URDF-M009", WARNING, "no position satisfies all followers' limits")     \
    X(MIMIC_CONSTANT_LIMIT, "URDF-M010", WARNING, "a constant outside the joint's limits")         \
    X(FOLLOWER_JOINT, "URDF-M011", ERROR, "a joint cannot follow by these curves")                 \
    X(CURVE, "URDF-M012", ERROR, "an invalid curve")                                               \
    X(CURVE_KINK, "URDF-M013", ERROR, "a curve whose second derivative jumps")                     \
    X(CURVE_STEP, "URDF-M014", WARNING, "a table with a jump")                                     \
    X(CURVE_RANGE, "URDF-M015", WARNING, "a leader's range exceeds the curve's range")             \
    X(FOLLOWER_LOOP, "URDF-M016", ERROR, "a follower of a joint that a closure determines")        \
    X(MIMIC_FORM, "URDF-M017", ERROR, "a mimic of unknown form")                                   \
    X(LOOP_OPEN, "URDF-C001", WARNING, "a loop is read but not closed")                            \
    X(LOOP_LINK_UNDEFINED, "URDF-C003", ERROR,                                                     \
      "the link of a loop, coupling or spring does not exist")                                     \
    X(LOOP_JOINT, "URDF-C004", WARNING, "another program's loop or spring cannot be read")         \
    X(COUPLING_AMBIGUOUS, "URDF-C005", ERROR, "a coupling without a joint to solve for")           \
    X(COUPLING_CHOICE, "URDF-C040", NOTE, "the joint that a coupling is solved for was chosen")    \
    X(COUPLING_CONTRADICTS, "URDF-C006", ERROR, "a coupling contradicts the others")               \
    X(COUPLING_REDUNDANT, "URDF-C007", NOTE, "a coupling follows from the others")                 \
    X(COUPLING_FIXES, "URDF-C008", WARNING, "a coupling leaves a joint no freedom")                \
    X(COUPLING_TYPE, "URDF-C009", ERROR, "couplings require joints with one coordinate")           \
    X(LOOP_DISTANCE, "URDF-C010", ERROR, "a loop's distance is not positive")                      \
    X(LOOP_MASK, "URDF-C011", ERROR, "a loop's mask constrains nothing, or no axis")               \
    X(LOOP_DYNAMICS, "URDF-C012", ERROR, "damping or a spring on a loop without a coordinate")     \
    X(SPRING_LENGTH, "URDF-C014", ERROR, "the free length of a spring is negative")                \
    X(SPRING_IDLE, "URDF-C015", WARNING, "a spring between links of one body")                     \
    X(LOOP_ITEM, "URDF-C013", WARNING, "an item that loops of the type do not have; ignored")      \
    X(LOOP_ASSEMBLY, "URDF-C020", ERROR, "loops that cannot be closed")                            \
    X(LOOP_START, "URDF-C021", NOTE, "loops that are not closed where all joints are zero")        \
    X(LOOP_IMPLIED, "URDF-C022", NOTE, "a loop that mimic joints or other loops close already")    \
    X(LOOP_CONTRADICTS, "URDF-C023", WARNING, "mimic joints and a loop contradict each other")     \
    X(LOOP_CHOICE, "URDF-C024", NOTE, "the independent joints of loops were chosen")               \
    X(LOOP_DECLARED, "URDF-C025", WARNING, "independent= does not suit the loops")                 \
    X(LOOP_RANK, "URDF-C028", ERROR, "a loop whose constraints only touch")                        \
    X(LOOP_ROUNDED, "URDF-C029", WARNING, "over-constrained loops that rounding keeps open")       \
    X(LOOP_LIMITS, "URDF-C050", WARNING, "loops were closed outside the limits of a joint")        \
    X(LOOP_MOBILITY, "URDF-C051", WARNING, "loops have another mobility near the closed start")    \
    X(LOOP_LOCKS, "URDF-C056", WARNING, "loops that leave their joints no freedom")                \
    X(LOOP_MANY, "URDF-C055", ERROR, "loops that share joints exceed the cap")                     \
    X(START_UNDEFINED, "URDF-C052", ERROR, "a start position of a joint that does not exist")      \
    X(START_REFUSED, "URDF-C053", ERROR, "an invalid start position")                              \
    X(START_IDLE, "URDF-C054", WARNING, "a start position without effect")                         \
    X(DECLARED_IDLE, "URDF-C041", WARNING, "a joint declared dependent depends on nothing")        \
    X(DYNAMICS_OMITTED, "URDF-C042", WARNING, "forces or constraints that are not read")           \
    X(LOOP_CONVENTION, "URDF-C043", NOTE, "a loop written by another program's convention")        \
    X(CLOSURE_FUNCTION, "URDF-C030", ERROR, "a closure of the options does not fit the joints")    \
    X(CLOSURE_VALUE, "URDF-C031", ERROR, "a closure of the options computes invalid values")       \
    X(LOOP_SINGULAR, "URDF-C027", NOTE, "loops that are singular where they were first closed")    \
    X(FLEXIBLE_LINK, "URDF-F001", ERROR, "a flexible link does not exist, or is flexible twice")   \
    X(FLEXIBLE_NUMBER, "URDF-F002", ERROR, "a number that is invalid for a beam")                  \
    X(FLEXIBLE_DIRECTION, "URDF-F003", ERROR, "a flexible link without an axis or a plane")        \
    X(FLEXIBLE_RIGID, "URDF-F004", ERROR, "a flexible link without any stiffness")                 \
    X(FLEXIBLE_TORSION, "URDF-F005", ERROR, "a link twists, but has no inertia about its axis")    \
    X(FLEXIBLE_INERTIAL, "URDF-F006", WARNING,                                                     \
      "a flexible link's inertial differs from its beam's")                                        \
    X(FLEXIBLE_MANY, "URDF-F007", ERROR, "flexible links exceed the cap of elastic joints")        \
    X(FLEXIBLE_COUPLING, "URDF-F008", ERROR, "a coupling includes a flexible link")                \
    X(FLEXIBLE_DAMPING, "URDF-F009", WARNING, "a damping ratio of 1 or more")                      \
    X(TRANSMISSION_JOINT, "URDF-T001", WARNING, "a transmission's joint does not exist")           \
    X(TRANSMISSION_NUMBER, "URDF-T002", WARNING, "a transmission's value is ignored")              \
    X(ACTUATED_UNDEFINED, "URDF-T003", ERROR, "an actuated joint of the options does not exist")   \
    X(ACTUATED_FIXED, "URDF-T004", WARNING, "an actuated joint cannot move, or is a floating one") \
    X(MOTORS_DEFAULT, "URDF-T005", WARNING, "default motors of a loop look passive")               \
    X(MOTORS_SINGULAR, "URDF-T006", WARNING, "motors that are singular at every configuration")    \
    X(MOTORS_SINGULAR_THERE, "URDF-T007", WARNING, "motors that are singular at the reference")    \
    X(MOTORS_UNCHECKED, "URDF-T008", NOTE, "the check for singular motors takes too long")         \
    X(MOTOR_JOINT, "URDF-T009", WARNING, "a motor pulls a joint that it cannot pull; ignored")     \
    X(TRANSMISSION_TYPE, "URDF-T010", WARNING, "a transmission that is not read")                  \
    X(LOCK_UNDEFINED, "URDF-L001", ERROR, "a locked joint of the options does not exist")          \
    X(LOCK_REFUSED, "URDF-L002", ERROR, "a joint that the options cannot lock")                    \
    X(LOCK_LIMIT, "URDF-L003", WARNING, "a joint locked outside its limits")                       \
    X(LOCK_FOLLOWER, "URDF-L004", NOTE, "a joint follows a locked one: a constant")                \
    X(YAML_SYNTAX, "URDF-Y001", ERROR, "a submechanism list is not one well-formed YAML document") \
    X(YAML_TOO_LARGE, "URDF-Y002", ERROR, "a submechanism list is beyond the caps")                \
    X(YAML_KIND, "URDF-Y003", ERROR, "a value is not the map, list or word required")              \
    X(YAML_UNKNOWN_KEY, "URDF-Y004", NOTE, "an unknown key")                                       \
    X(YAML_MISSPELT_KEY, "URDF-Y005", WARNING, "an unknown key that resembles a missing one")      \
    X(YAML_MISSING, "URDF-Y006", ERROR, "a required key is missing")                               \
    X(YAML_REPEATED_KEY, "URDF-Y007", ERROR, "a repeated key")                                     \
    X(SUBMECHANISM_JOINT, "URDF-Y008", ERROR, "a joint of a submechanism does not exist")          \
    X(SUBMECHANISM_CONFLICT, "URDF-Y009", ERROR, "a joint is declared independent and dependent")  \
    X(SUBMECHANISM_OPEN, "URDF-Y010", ERROR, "the loops of a built-in mechanism are unknown")      \
    X(SUBMECHANISM_FREE, "URDF-Y040", ERROR, "joints declared dependent stay independent")         \
    X(SUBMECHANISM_BASE, "URDF-Y011", NOTE, "a joint of the floating base is ignored")             \
    X(YAML_ABSENT, "TD-E003", ERROR, "this build cannot read YAML")                                \
    X(ISA_UNKNOWN, "TD-E001", ERROR, "TANDEM_ISA names no instruction set of this machine")        \
    X(FILE_UNREADABLE, "TD-E002", ERROR, "the file cannot be read")                                \
    X(MODEL_FILE, "TD-E004", ERROR, "a damaged model file, or not a model file")                   \
    X(MODEL_FILE_VERSION, "TD-E005", ERROR, "a model file of a version that is not read")          \
    X(EXPORT_REFUSED, "TD-X001", ERROR, "a format cannot represent the dynamics")                  \
    X(EXPORT_OMITTED, "TD-X002", NOTE, "a format omits something without effect on dynamics")      \
    X(EXPORT_FITTED, "TD-X003", WARNING, "a curve was replaced by a fitted polynomial")

/* Warnings that the model lacks or changes something in the file that affects the robot's
   motion. */
#define TD_DIAGNOSTIC_OMISSIONS(X)                                                                 \
    X(PARENT_PARTIAL)                                                                              \
    X(XML_MISSPELT_ELEMENT)                                                                        \
    X(XML_CONSTRAINT_ATTRIBUTE)                                                                    \
    X(XML_MISPLACED)                                                                               \
    X(MIMIC_PARTIAL)                                                                               \
    X(LOOP_JOINT) X(LOOP_CONTRADICTS) X(LOOP_ROUNDED) X(DECLARED_IDLE) X(DYNAMICS_OMITTED)

#endif
