//! Which pseudo-random numbers and which hash has the placement contract (a fixed test run)?

/// The random generator xorshift64*, whose first state is the number that the placement contract (a
/// fixed test run) gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XorShift(u64);

impl Default for XorShift {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl XorShift {
    /// Draws the next random number of 64 bits.
    pub const fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

/// The 64-bit FNV-1a hash of the bytes added until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv1a(pub u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    /// Adds more bytes to the FNV-1a hash.
    pub fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_are_those_of_the_contract() {
        let mut draws = XorShift::default();
        let first = [(); 3].map(|()| draws.draw());
        assert_eq!(first, [0x0d83_b3e2_9a21_487a, 0x54c4_4c79_f1fe_9d67, 0xa845_f342_007a_0e78]);
        let mut draws = XorShift::default();
        let small = [(); 8].map(|()| draws.draw() % 1000);
        assert_eq!(small, [410, 487, 712, 617, 477, 326, 845, 144]);
    }

    #[test]
    fn known_hashes() {
        let hash = |bytes: &[u8]| {
            let mut hash = Fnv1a::default();
            hash.update(bytes);
            hash.0
        };
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
