//! Random numbers that are the same everywhere and for ever.
//!
//! SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014): one word of state, and
//! neighbouring seeds give unrelated sequences. A library's generator may change with its version, and with it the
//! program that a number stands for.

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.word() >> 32) * bound as u64) >> 32) as usize
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as usize) as i64
    }

    /// True this many times in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }

    /// The index of one of several, each as likely as its weight.
    pub fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let total: u32 = weights.clone().sum();
        let mut left = self.below(total as usize) as u32;
        for (index, weight) in weights.enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        assert_eq!(
            [random.word(), random.word(), random.word()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn weights_are_kept() {
        let mut random = Random::new(7);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[random.weighted([1, 0, 3].into_iter())] += 1;
        }
        assert!((2_300..2_700).contains(&counts[0]) && counts[1] == 0);
        assert_eq!(random.pick::<u8>(&[]), None);
    }
}
