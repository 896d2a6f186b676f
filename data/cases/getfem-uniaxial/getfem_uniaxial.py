#!/usr/bin/env python3
"""The 30 % uniaxial stretch of scene.json in GetFEM, with the same element (Debian package python3-getfem).

    /usr/bin/python3 getfem_uniaxial.py            GetFEM's numbers against those that furrow's tests hold
    /usr/bin/python3 getfem_uniaxial.py SUMMARY    and against a run: furrow simulate scene.json -o OUT; OUT/summary.json

A block of 2 x 2 x 1 mm, cut into two prisms of order 4 x 2, FEM_PRODUCT(FEM_PK(2,4),FEM_PK(1,2)), rolls on three planes of
symmetry and is pulled along x. The law in its Kirchhoff form, mu = 1 MPa, K = 5 MPa:

    tau = 2 mu dev(ln V) + p 1,   ln V = Logm(F F^T) / 2
    p = K (J - 1) J  for the volumetric energy K/2 (J - 1)^2,   p = K ln J  for K/2 (ln J)^2

and the weak form: the integral of tau F^-T : grad v over the block at rest. Exit status 1 where numbers differ by more than
1e-10.
"""
import json
import sys

import getfem
import numpy as np

SIZE = np.array([2.0, 2.0, 1.0])  # mm
STRETCH = 1.3
TOLERANCE = 1e-10
F = "(Id(3) + Grad_u)"
LAWS = {  # p; lateral stretch and P11 [MPa] that the tests hold
    "quadratic": (f"5 * (Det({F}) - 1) * Det({F})", 0.897506973093, 0.569997928699),
    "logarithmic": (f"5 * log(Det({F}))", 0.898898204865, 0.567614995242),
}


def block():
    mesh = getfem.Mesh("empty", 3)
    prism = getfem.GeoTrans("GT_PRISM(3,1)")
    for foot in ([(0, 0), (1, 0), (0, 1)], [(1, 1), (0, 1), (1, 0)]):
        corners = np.array([(u, v, w) for w in (0, 1) for u, v in foot])
        mesh.add_convex(prism, (corners * SIZE).T)
    return mesh


def stretched(pressure):
    """Stretches along y and z at the far corner, P11 on the pulled face [MPa]."""
    mesh = block()
    fem = getfem.MeshFem(mesh, 3)
    fem.set_fem(getfem.Fem("FEM_PRODUCT(FEM_PK(2,4),FEM_PK(1,2))"))
    rule = getfem.MeshIm(mesh, getfem.Integ("IM_PRODUCT(IM_TRIANGLE(10),IM_GAUSS1D(5))"))
    model = getfem.Model("real")
    model.add_fem_variable("u", fem)
    tau = f"(Deviator(Logm({F} * {F}')) + {pressure} * Id(3))"
    model.add_nonlinear_term(rule, f"({tau} * Inv({F}')) : Grad_Test_u")

    nodes = fem.basic_dof_nodes()[:, ::3]  # one column a node; dof = 3 node + component
    on = lambda axis, at: np.flatnonzero(np.abs(nodes[axis] - at) < 1e-9)
    pulled = 3 * on(0, SIZE[0])
    held = np.concatenate([3 * on(axis, 0) + axis for axis in range(3)] + [pulled])
    free = np.setdiff1d(np.arange(fem.nbdof()), held)
    u = np.zeros(fem.nbdof())
    for part in (0.25, 0.5, 0.75, 1):
        u[0::3] = part * (STRETCH - 1) * nodes[0]
        for _ in range(20):
            model.set_variable("u", u)
            model.assembly()
            residual = model.rhs()
            if np.abs(residual[free]).max() < 1e-14:
                break
            tangent = model.tangent_matrix().full()
            u[free] += np.linalg.solve(tangent[np.ix_(free, free)], residual[free])
        else:
            sys.exit("GetFEM: Newton did not converge")
    corner = np.flatnonzero(np.abs(nodes.T - SIZE).max(axis=1) < 1e-9)[0]
    lateral = 1 + u[3 * corner + 1:3 * corner + 3] / SIZE[1:]
    return lateral[0], lateral[1], -residual[pulled].sum() / (SIZE[1] * SIZE[2])


def report(title, value, expected):
    print(f"{title:<38} {value:.13f}   off by {abs(value - expected):.1e}")
    return abs(value - expected) <= TOLERANCE


def main():
    getfem.util_trace_level(0)
    good = True
    for law, (pressure, lateral, p11) in LAWS.items():
        y, z, p = stretched(pressure)
        good &= report(f"GetFEM, {law}: stretch along y", y, lateral)
        good &= report(f"GetFEM, {law}: stretch along z", z, lateral)
        good &= report(f"GetFEM, {law}: P11 [MPa]", p, p11)
    if len(sys.argv) > 1:  # the scene's law is the quadratic one, its last boundary entry pulls
        with open(sys.argv[1], encoding="utf-8") as file:
            force = json.load(file)["frames"][-1]["forces_by_boundary_N"][-1][0]
        good &= report("furrow, quadratic: P11 [MPa]", force / (SIZE[1] * SIZE[2]), LAWS["quadratic"][2])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
