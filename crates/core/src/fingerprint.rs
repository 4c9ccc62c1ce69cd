//! Fingerprints: 128 bits that stand for a whole state.
//!
//! With a billion states the chance that any two share a fingerprint is below 10^-20, so engines store fingerprints in
//! place of states.

use smallvec::SmallVec;
use std::hash::Hasher;
use xxhash_rust::xxh3::xxh3_128;

/// 128 bits of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The fingerprint of a sequence of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Fingerprint(xxh3_128(bytes))
    }
}

/// Collects what a `Hash` implementation writes and takes its fingerprint in one go, which is several times faster
/// than a streaming hash on the few dozen bytes of a usual state.
#[derive(Default)]
pub struct FingerprintHasher {
    /// A usual state fits without an allocation.
    bytes: SmallVec<[u8; 256]>,
}

impl FingerprintHasher {
    /// The fingerprint of what was written since the last call.
    pub fn take(&mut self) -> Fingerprint {
        let fingerprint = Fingerprint::of_bytes(&self.bytes);
        self.bytes.clear();
        fingerprint
    }
}

impl Hasher for FingerprintHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn write_u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    fn finish(&self) -> u64 {
        xxh3_128(&self.bytes) as u64
    }
}
