//! The slides on speculative load balancing: Eslami & Gropp.

/// Slides 33 to 38.
pub(crate) const TUNING_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slides 33 to 38 \
                                        and 42, pictures without printed numbers";

/// Slide 39.
pub(crate) const OPTIMUM_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slides 39 and \
                                         42: large geometric tree on 8 nodes";

/// Slides 40 and 41.
pub(crate) const SCALING_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slides 40 to \
                                         42, pictures without printed numbers";

/// Slide 46.
pub(crate) const STEALING_SOURCE: &str = "Eslami & Gropp, Speculative load balancing, slide 46";

/// Slide 39: seconds with an interval of 128, each for a chunk of 8 and one of 12.
pub(crate) const ORIGINAL_SECONDS: [f64; 2] = [50.385, 26.681];
/// The same with speculation.
pub(crate) const SPECULATIVE_SECONDS: [f64; 2] = [18.902, 18.886];
/// Slide 39, small on 4 nodes: the best interval and the best chunk.
pub(crate) const BEST: (u32, u32) = (128, 12);

/// Slide 46: by how many percent speculative stealing is quicker than prefetching, less than this.
pub(crate) const STEALING_BENEFIT: f64 = 5.0;
