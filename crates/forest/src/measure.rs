//! The measures of §§3.3–3.5, one function per equation.

/// Jeffrey's statistical density `J` (equation 2): the lower end of the 70 % confidence interval of
/// the share of signifiers among `x + y` terms, after Jeffrey's add-half rule; never below 0.
///
/// Takes the number of signifiers `x` and of other terms `y` in an element's text.
pub fn jeffreys_density(x: u32, y: u32) -> f64 {
    let (x, y) = (f64::from(x), f64::from(y));
    let n = x + y;
    if n == 0.0 {
        return 0.0;
    }
    let deviation = ((x + 0.5) * (y + 0.5) / n).sqrt();
    ((x + 0.5 - deviation) / (n + 1.0)).max(0.0)
}

/// Unexpectedness `U` (equation 3): generation minus description complexity of an element with `x`
/// signifiers and `y` other terms, on a page with `page_x` and `page_y` of them.
///
/// In nats: the paper mentions bits, but its worked values (23 and 6) are obtained with natural
/// logarithms. The base does not affect the ranking.
pub fn unexpectedness(x: u32, y: u32, page_x: u32, page_y: u32) -> f64 {
    let term = |n: u32, of: f64| if n == 0 { 0.0 } else { f64::from(n) * libm::log(of) };
    let (total_x, total_y) = (f64::from(page_x), f64::from(page_y));
    term(x + y, total_x + total_y) - term(x, total_x) - term(y, total_y)
}

/// Informativeness `I = J · U` (equation 4).
pub fn informativeness(x: u32, y: u32, page_x: u32, page_y: u32) -> f64 {
    jeffreys_density(x, y) * unexpectedness(x, y, page_x, page_y)
}

/// Relevance of a structural pattern (equations 5 and 7): the sum of its informativeness (or
/// coverage) over the pages, times the number of pages `p` it is significant in, times its level.
pub fn relevance(sum: f64, pages: u32, level: u32) -> f64 {
    sum * f64::from(pages) * f64::from(level)
}

/// Coverage (equation 6): the normalised weights of the distinct signifiers in an element's text,
/// divided by the number of the page's signifiers.
///
/// Takes the sum of the weights found, the sum of all weights, and the number of signifiers. The
/// paper does not specify the normalisation; here the weights sum to 1 over a page.
pub fn coverage(found: f64, all: f64, signifiers: usize) -> f64 {
    if all > 0.0 && signifiers > 0 { found / all / signifiers as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() < tolerance, "{value} is not about {expected}");
    }

    #[test]
    fn density_of_the_paper() {
        close(jeffreys_density(8, 20), 0.21, 0.005);
        close(jeffreys_density(3, 5), 0.22, 0.005);
        close(jeffreys_density(1, 0), 0.32, 0.005);
    }

    #[test]
    fn unexpectedness_of_the_paper() {
        close(unexpectedness(10, 26, 20, 100), 22.7, 0.05);
        close(unexpectedness(3, 1, 20, 100), 5.6, 0.05);
    }

    #[test]
    fn edges() {
        assert_eq!(jeffreys_density(0, 0), 0.0);
        assert_eq!(jeffreys_density(0, 100), 0.0);
        assert_eq!(unexpectedness(0, 0, 0, 0), 0.0);
        close(unexpectedness(5, 0, 5, 0), 0.0, 1e-12);
        assert_eq!(informativeness(0, 9, 0, 9), 0.0);
        close(relevance(2.0, 3, 4), 24.0, 1e-12);
        close(coverage(0.5, 2.0, 10), 0.025, 1e-12);
    }
}
