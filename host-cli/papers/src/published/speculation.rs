//! The slides on speculative load balancing: Eslami & Gropp.

/// Source of slides 33 to 38.
pub(crate) const TUNING_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slides 33 to 38 \
                                        and 42, pictures without printed numbers";

/// Source of slide 39.
pub(crate) const OPTIMUM_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slides 39 and \
                                         42: large geometric tree on 8 nodes";

/// Source of slides 40 and 41.
pub(crate) const SCALING_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slides 40 to \
                                         42, pictures without printed numbers";

/// Source of slide 46.
pub(crate) const STEALING_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slide 46";

/// Seconds of the original on slide 39, with an interval of 128, for a chunk of 8 and one of 12.
pub(crate) const ORIGINAL_SECONDS: [f64; 2] = [50.385, 26.681];
/// Seconds with speculation on slide 39, with an interval of 128, for a chunk of 8 and one of 12.
pub(crate) const SPECULATIVE_SECONDS: [f64; 2] = [18.902, 18.886];
/// Best interval and best chunk on slide 39, for the small tree on 4 nodes.
pub(crate) const BEST: (u32, u32) = (128, 12);

/// Upper limit of the percentage by which speculative stealing is quicker than prefetching, on
/// slide 46.
pub(crate) const STEALING_BENEFIT: f64 = 5.0;
