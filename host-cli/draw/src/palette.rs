//! Colours that colour-blind people can tell apart, as red, green and blue.

/// A colour.
pub type Rgb = [u8; 3];

/// Colours of categories, by Okabe & Ito 2008 (*Color Universal Design*), with grey for yellow,
/// which is pale on white.
pub const CATEGORIES: [Rgb; 8] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [230, 159, 0],
    [0, 0, 0],
    [140, 140, 140],
];

/// Colour of values that are not finite.
pub const NOT_FINITE: Rgb = [128, 128, 128];

/// Returns the colour of the `index`-th of `count` things: from the palette where it has enough
/// colours, or else from a scale.
pub fn colour(index: usize, count: usize) -> Rgb {
    if count <= CATEGORIES.len() {
        return category(index);
    }
    // The scale's end is yellow, too pale on white.
    scale(0.9 * index as f64 / (count - 1) as f64)
}

/// Returns the colour of the `index`-th of a few categories; after eight the colours come again.
pub fn category(index: usize) -> Rgb {
    CATEGORIES.iter().cycle().nth(index % CATEGORIES.len()).copied().unwrap_or_default()
}

/// Returns the colour of a share from 0 to 1 of something that is counted: dark blue to yellow.
pub fn scale(share: f64) -> Rgb {
    colorous::VIRIDIS.eval_continuous(share.clamp(0.0, 1.0)).into_array()
}

/// Returns the colour of a share from 0, the lowest value of a field, to 1, the highest: black to
/// pale yellow.
pub fn heat(share: f64) -> Rgb {
    if share.is_finite() {
        colorous::INFERNO.eval_continuous(share.clamp(0.0, 1.0)).into_array()
    } else {
        NOT_FINITE
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn things_differ() {
        for count in [2, 8, 9, 64] {
            let colours: HashSet<_> = (0..count).map(|index| colour(index, count)).collect();
            assert_eq!(colours.len(), count);
        }
        assert_eq!(heat(f64::NAN), NOT_FINITE);
        assert!(heat(0.0) < heat(0.5) && heat(2.0) == heat(1.0));
    }
}
