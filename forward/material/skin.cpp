#include "forward/material/skin.h"

#include "forward/material/skin_terms.h"

namespace furrow {
namespace skin_detail {
namespace {

/// J - 1 = tr H + I2(H) + det H.
Pack volume_change(const PackMat3& H) {
  const PackMat3 minors = cofactor(H);
  return (H.m[0][0] + H.m[1][1] + H.m[2][2]) + (minors.m[0][0] + minors.m[1][1] + minors.m[2][2]) +
         determinant(H);
}

/// vol and J vol', J^2 vol'' from J - 1.
Volume volume_response(Volumetric kind, Pack change) {
  const Pack j = 1.0 + change;
  if (kind == Volumetric::quadratic) return {0.5 * change * change, change * j, j * j};
  const Pack log_j = pack_log1p(change);
  return {0.5 * log_j * log_j, log_j, 1.0 - log_j};
}

PackMat3 minus_identity(const PackMat3& a) {
  PackMat3 h = a;
  for (int i = 0; i < 3; ++i) h.m[i][i] -= 1.0;
  return h;
}

/// Not positive, or not finite, or so large that squares of squares would not be.
PackMask unusable(const PackMat3& a, Pack det) {
  return ~((det > 0.0) & (det < 1e100) & (squared_norm(a) < 1e60));
}

/// F G - I = (F - I) G + (G - I).
PackMat3 prestretched_offset(const PackMat3& H, const PackMat3& G) {
  return H * G + minus_identity(G);
}

void decompose_terms(SkinTerms& terms, const std::array<PackMat3, 1 + kMaxBranches>& offsets) {
  int k = 0;
  for (; k + 1 < terms.count; k += 2)
    decompose_two(offsets[k], offsets[k + 1], terms.term[k].spectral, terms.term[k + 1].spectral);
  if (k < terms.count) terms.term[k].spectral = decompose(offsets[k]);
}

TermResponse steady_response(const SkinTerms& terms, const SkinModuli& moduli) {
  const Pack c = 2.0 * moduli.mu_inf * (1.0 + terms.exp_minus_1);
  return {c, 2.0 * moduli.stiffening * c, moduli.bulk * terms.unit.v1, moduli.bulk * terms.unit.v2};
}

}  // namespace

ElasticPart elastic_part(const PackMat3& F, const PackMat3& fv) {
  const PackMat3 cof = cofactor(fv);
  const Pack det = fv.m[0][0] * cof.m[0][0] + fv.m[0][1] * cof.m[0][1] + fv.m[0][2] * cof.m[0][2];
  ElasticPart part;
  part.refused = unusable(F, determinant(F)) | unusable(fv, det);
  part.fv_inverse = (1.0 / det) * transpose(cof);
  part.offset = (F - fv) * part.fv_inverse;
  if (pack_any(part.refused)) {
    part.fv_inverse = pack_select(part.refused, pack_identity(), part.fv_inverse);
    part.offset = pack_select(part.refused, PackMat3{}, part.offset);
  }
  return part;
}

SkinTerms skin_terms(const SkinPoint& point, const SkinModuli& moduli) {
  SkinTerms terms;
  terms.count = 1 + moduli.branches;
  std::array<PackMat3, 1 + kMaxBranches> offsets;
  offsets[0] = minus_identity(point.F);
  terms.term[0].M = pack_identity();
  Pack change = volume_change(offsets[0]);
  terms.refused = unusable(point.F, 1.0 + change);
  if (point.prestretch) {
    terms.term[0].M = *point.prestretch;
    terms.refused |= unusable(*point.prestretch, determinant(*point.prestretch));
    offsets[0] = prestretched_offset(offsets[0], *point.prestretch);
  }
  for (int k = 1; k < terms.count; ++k) {
    const ElasticPart part = elastic_part(point.F, point.fv[k - 1]);
    terms.term[k].M = part.fv_inverse;
    offsets[k] = part.offset;
    terms.refused |= part.refused;
  }
  if (pack_any(terms.refused)) {
    for (int k = 0; k < terms.count; ++k) {
      offsets[k] = pack_select(terms.refused, PackMat3{}, offsets[k]);
      terms.term[k].M = pack_select(terms.refused, pack_identity(), terms.term[k].M);
    }
    change = pack_select(terms.refused, Pack{}, change);
  }
  terms.unit = volume_response(moduli.volumetric, change);
  decompose_terms(terms, offsets);

  const Pack exponent = moduli.stiffening * terms.term[0].spectral.q;
  const PackMask usable = exponent <= kLargestExponent;
  terms.refused |= ~usable;
  terms.exp_minus_1 = pack_expm1(pack_select(usable, exponent, Pack{}));
  terms.j = pack_select(terms.refused, Pack{} - 1.0, 1.0 + change);
  for (int k = 0; k < terms.count; ++k) {
    SkinTerm& term = terms.term[k];
    term.W = k > 0 || point.prestretch ? term.M * term.spectral.V : term.spectral.V;
    term.response = k > 0 ? TermResponse{2.0 * moduli.branch[k - 1], Pack{}, Pack{}, Pack{}}
                          : steady_response(terms, moduli);
  }
  return terms;
}

/// mu/C expm1(C q) = mu q expm1(x)/x, with the series of the quotient for small x = C q.
Pack energy(const SkinTerms& terms, const SkinModuli& moduli) {
  const Pack q = terms.term[0].spectral.q, x = moduli.stiffening * q;
  const PackMask small = x < 1e-5;
  const Pack series = q * (1.0 + x * (0.5 + x * (1.0 / 6)));
  const Pack fung =
      pack_select(small, series, terms.exp_minus_1 / pack_select(small, Pack{} + 1.0, moduli.stiffening));
  Pack psi = moduli.mu_inf * fung + moduli.bulk * terms.unit.energy;
  for (int k = 1; k < terms.count; ++k) psi += moduli.branch[k - 1] * terms.term[k].spectral.q;
  return psi;
}

SkinStress stress_of(const SkinTerms& terms, const SkinModuli& moduli) {
  SkinStress stress{energy(terms, moduli), terms.j, {}};
  for (int k = 0; k < terms.count; ++k) stress.P = stress.P + frame_stress(terms.term[k], terms.term[k].W);
  return stress;
}

}  // namespace skin_detail

SkinStress skin_stress(const SkinPoint& point, const SkinModuli& moduli) {
  return skin_detail::stress_of(skin_detail::skin_terms(point, moduli), moduli);
}

}  // namespace furrow
