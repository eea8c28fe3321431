//! Hand-written code for AVX-512, which compilers do not generate.

/// Leaves a tree can have.
pub(crate) const LEAVES: usize = 32;

/// Number of values in a cache line, and in the longest vectors.
pub(crate) const TILE: usize = 16;

/// Values of rows, or of columns.
pub(crate) type Tile = [[f32; TILE]; TILE];

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512 {
    use std::arch::x86_64::{
        __m128i, __m512, _CMP_LT_OQ, _mm512_add_ps, _mm512_castpd_ps, _mm512_castps_pd,
        _mm512_cmp_ps_mask, _mm512_cvtepi32_epi8, _mm512_cvtepu8_epi32, _mm512_mask_add_epi32,
        _mm512_permutex2var_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
        _mm512_shuffle_f32x4, _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd,
        _mm512_unpacklo_ps,
    };

    use fearless_simd::{SimdBase, SimdInto, f32x16, u8x16};

    use super::{LEAVES, TILE, Tile};

    fearless_simd::kernel!(
        /// Adds to each sum the leaf found for it. The leaves of a tree are two registers, of which one
        /// instruction picks for sixteen rows.
        #[inline]
        pub(crate) fn add_leaves(
            avx512: Avx512,
            leaves: &[f32; LEAVES],
            found: &[u8],
            sums: &mut [f32],
        ) {
            let (low, high) = leaves.split_at(LEAVES / 2);
            let low: __m512 = f32x16::from_slice(avx512, low).into();
            let high: __m512 = f32x16::from_slice(avx512, high).into();
            for (found, sums) in found.chunks_exact(16).zip(sums.chunks_exact_mut(16)) {
                let found: __m128i = u8x16::from_slice(avx512, found).into();
                let own = _mm512_permutex2var_ps(low, _mm512_cvtepu8_epi32(found), high);
                let sum: __m512 = f32x16::from_slice(avx512, sums).into();
                let sum: f32x16<_> = _mm512_add_ps(sum, own).simd_into(avx512);
                sum.store_slice(sums);
            }
        }
    );

    fearless_simd::kernel!(
        /// Per value how many thresholds it is below.
        #[inline]
        pub(crate) fn count_below(
            avx512: Avx512,
            values: &[f32; TILE],
            thresholds: &[f32],
            counts: &mut [u8],
        ) {
            let values: __m512 = f32x16::from_slice(avx512, values).into();
            let one = _mm512_set1_epi32(1);
            let mut sums = _mm512_setzero_si512();
            for &threshold in thresholds {
                let is_below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(values, _mm512_set1_ps(threshold));
                sums = _mm512_mask_add_epi32(sums, is_below, sums, one);
            }
            let bytes: u8x16<_> = _mm512_cvtepi32_epi8(sums).simd_into(avx512);
            bytes.store_slice(counts);
        }
    );

    fearless_simd::kernel!(
        /// Rows become columns: by neighbouring rows, pairs of them, and so on.
        #[inline]
        pub(crate) fn transpose(avx512: Avx512, tile: &mut Tile) {
            let zero: __m512 = f32x16::splat(avx512, 0.0).into();
            let (mut rows, mut pairs, mut fours) = ([zero; TILE], [zero; TILE], [zero; TILE]);
            for (row, values) in rows.iter_mut().zip(&*tile) {
                *row = f32x16::from_slice(avx512, values).into();
            }
            for at in (0..TILE).step_by(2) {
                pairs[at] = _mm512_unpacklo_ps(rows[at], rows[at + 1]);
                pairs[at + 1] = _mm512_unpackhi_ps(rows[at], rows[at + 1]);
            }
            macro_rules! of_pairs {
                ($unpack:ident, $one:expr, $other:expr) => {
                    _mm512_castpd_ps($unpack(_mm512_castps_pd($one), _mm512_castps_pd($other)))
                };
            }
            for at in (0..TILE).step_by(4) {
                fours[at] = of_pairs!(_mm512_unpacklo_pd, pairs[at], pairs[at + 2]);
                fours[at + 1] = of_pairs!(_mm512_unpackhi_pd, pairs[at], pairs[at + 2]);
                fours[at + 2] = of_pairs!(_mm512_unpacklo_pd, pairs[at + 1], pairs[at + 3]);
                fours[at + 3] = of_pairs!(_mm512_unpackhi_pd, pairs[at + 1], pairs[at + 3]);
            }
            // Each holds four rows of four columns now, which are four columns apart.
            for at in 0..4 {
                const EVEN: i32 = 0b10_00_10_00;
                const ODD: i32 = 0b11_01_11_01;
                let (a, b, c, d) = (fours[at], fours[at + 4], fours[at + 8], fours[at + 12]);
                let above = [_mm512_shuffle_f32x4::<EVEN>(a, b), _mm512_shuffle_f32x4::<ODD>(a, b)];
                let below = [_mm512_shuffle_f32x4::<EVEN>(c, d), _mm512_shuffle_f32x4::<ODD>(c, d)];
                let columns = [
                    (at, _mm512_shuffle_f32x4::<EVEN>(above[0], below[0])),
                    (at + 4, _mm512_shuffle_f32x4::<EVEN>(above[1], below[1])),
                    (at + 8, _mm512_shuffle_f32x4::<ODD>(above[0], below[0])),
                    (at + 12, _mm512_shuffle_f32x4::<ODD>(above[1], below[1])),
                ];
                for (column, values) in columns {
                    let values: f32x16<_> = values.simd_into(avx512);
                    values.store_slice(&mut tile[column]);
                }
            }
        }
    );

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn rows_become_columns() {
            let Some(avx512) = fearless_simd::Level::new().as_avx512() else { return };
            let value = |row: usize, column: usize| (row * TILE + column) as f32;
            let mut tile: Tile =
                std::array::from_fn(|row| std::array::from_fn(|column| value(row, column)));
            transpose(avx512, &mut tile);
            for (column, values) in tile.iter().enumerate() {
                assert_eq!(*values, std::array::from_fn(|row| value(row, column)));
            }
        }
    }
}
