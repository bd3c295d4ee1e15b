//! Do maps come from `bitvec` and from words as they went in?

use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use raddle_bitmap::{FreeMap, Full, Polarity, Search, View};

type Vector = BitVec<u64, Lsb0>;

#[test]
fn there_and_back() {
    for blocks in [1, 5, 63, 64, 65, 127, 128, 200, 1824] {
        let bits: Vector = (0..blocks).map(|n| n % 7 < 4 || n % 50 == 0).collect();
        let map = FreeMap::try_from(bits.as_bitslice()).unwrap();
        assert!((0..blocks).all(|n| map.is_free(n) == bits[n as usize]));
        assert_eq!(Vector::from(map.view()), bits);
        // Bits that are stored in bytes give an equal map.
        let bytes: BitVec<u8, Lsb0> = bits.iter().by_vals().collect();
        assert_eq!(FreeMap::try_from(bytes.as_bitslice()), Ok(map));
    }
}

#[test]
fn a_slice_may_begin_and_end_anywhere() {
    let bits: Vector = (0..200).map(|n| n % 3 > 0).collect();
    for (start, end) in [(1, 2), (3, 67), (63, 127), (64, 128), (70, 200), (0, 128)] {
        let slice: &BitSlice<u64, Lsb0> = &bits[start..end];
        let map = FreeMap::try_from(slice).unwrap();
        assert!((start..end).all(|n| map.is_free((n - start) as u32) == bits[n]));
        assert_eq!(Vector::from(map.view()), slice);
    }
    assert_eq!(
        FreeMap::try_from(&bits[..0]).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
}

#[test]
fn words_in_either_polarity() {
    let same = [
        FreeMap::from_words(&[0b0110, 0b1], 66, Polarity::FreeIsOne),
        FreeMap::from_words(&[!0b0110, 0b10], 66, Polarity::FreeIsZero),
        // Past the end: the digit of an occupied block.
        FreeMap::from_words(&[!0b0110, !0b01], 66, Polarity::FreeIsZero),
    ];
    for map in same {
        let map = map.unwrap();
        assert_eq!((map.free_blocks(), map.longest()), (3, 2));
        assert!(map.is_free(1) && map.is_free(2) && map.is_free(64) && !map.is_free(65));
    }
    let stray =
        "a bit past the last of 3 blocks would be free: clear the rest of the last word".to_owned();
    assert_eq!(
        FreeMap::from_words(&[0b1111], 3, Polarity::FreeIsOne).map_err(|error| error.to_string()),
        Err(stray.clone())
    );
    assert_eq!(
        FreeMap::from_words(&[0b11111], 3, Polarity::FreeIsZero).map_err(|error| error.to_string()),
        Err(stray.clone())
    );
    let count = |words| format!("65 blocks take 2 words, not {words}: give as many");
    assert_eq!(
        FreeMap::from_words(&[0], 65, Polarity::FreeIsOne).map_err(|error| error.to_string()),
        Err(count(1))
    );
    assert_eq!(
        FreeMap::from_words(&[0; 3], 65, Polarity::FreeIsOne).map_err(|error| error.to_string()),
        Err(count(3))
    );
}

#[test]
fn words_of_your_own_can_be_searched_where_they_stand() {
    let words = [u64::MAX << 60, 0b111];
    let view = View::new(&words, 67).unwrap();
    assert_eq!((view.blocks(), view.free_blocks(), view.longest()), (67, 7, 7));
    assert_eq!(Full.longest(view), Ok(7));
    assert_eq!(format!("{view:?}"), format!("View({:0>67})", "1111111"));
    assert_eq!(
        View::new(&words, 66).map(View::blocks).map_err(|error| error.to_string()),
        Err("a bit past the last of 66 blocks would be free: clear the rest of the last word"
            .to_owned())
    );
    assert_eq!(
        View::new(&[], 0).map(View::blocks).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
}

#[test]
fn digits_in_either_polarity() {
    let map = FreeMap::from_digits("0110", Polarity::FreeIsZero).unwrap();
    assert_eq!(map.digits(Polarity::FreeIsZero).to_string(), "0110");
    assert_eq!(map.digits(Polarity::FreeIsOne).to_string(), "1001");
    let error = FreeMap::from_digits("01x0", Polarity::FreeIsOne);
    assert_eq!(
        error.map_err(|error| error.to_string()),
        Err("byte 2 is neither 0 nor 1: give digits only".to_owned())
    );
}

#[test]
fn a_map_grows_by_free_blocks() {
    let mut map = crate::map("0110");
    for (by, longest) in [(0, 2), (2, 2), (60, 62), (70, 132)] {
        map.grow(by).unwrap();
        assert_eq!(map.longest(), longest, "{by}");
    }
    assert_eq!((map.blocks(), map.free_blocks()), (136, 134));
    let before = map.clone();
    let many = "4294967431 blocks are too many here: give at most 4294967295".to_owned();
    assert_eq!(map.grow(u32::MAX).map_err(|error| error.to_string()), Err(many.clone()));
    assert_eq!(map, before);
}
