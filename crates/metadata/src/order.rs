//! The order of day and month in numeric dates.

/// The order of day and month in `3/4/2012`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    DayFirst,
    MonthFirst,
    Unknown,
}

/// Provides the order of day and month, computing it only when needed: most dates do not need it.
pub(crate) trait KnowsOrder {
    /// The order, if known.
    fn order(&self) -> Order;
}

impl KnowsOrder for Order {
    fn order(&self) -> Order {
        *self
    }
}

impl Order {
    /// By language tag, or by country-code domain if the tag has no region.
    pub(crate) fn of(language: Option<&str>, host: Option<&str>) -> Self {
        let tag = language.unwrap_or_default().to_lowercase().replace('_', "-");
        let country = host.and_then(|h| h.rsplit('.').next()).unwrap_or_default();
        let region = tag.split('-').skip(1).find(|part| part.len() == 2).unwrap_or(country);
        match (tag.split('-').next().unwrap_or_default(), region) {
            ("en" | "", "us") => Self::MonthFirst,
            // Languages that write the year first, or use both orders.
            ("en" | "" | "zh" | "ja" | "ko" | "hu" | "lt" | "sv" | "mn" | "fil" | "tl", region) => {
                match region {
                    "gb" | "uk" | "au" | "nz" | "ie" | "in" | "sg" | "de" | "fr" | "es" | "it"
                    | "at" | "br" | "nl" => Self::DayFirst,
                    _ => Self::Unknown,
                }
            }
            _ => Self::DayFirst,
        }
    }
}
