//! The choice among the dates found on a page.

use jiff::civil::Date;
use model::{Field, Source};

use crate::moment::Moment;

/// Keeps the first possible date, or a later one of the same day that also has a time. Dates are
/// offered in order of reliability; once the choice is settled, no other counts.
#[derive(Default)]
pub(crate) struct Choice {
    /// The latest possible day.
    latest: Option<Date>,
    /// The earliest possible day.
    pub(crate) earliest: Option<Date>,
    /// If set, the date must be within one day of this one.
    pub(crate) near: Option<Moment>,
    /// Whether any date offered was plausible, possible or not.
    pub(crate) any: bool,
    /// Whether any date offered was later than the latest possible day.
    pub(crate) late: bool,
    chosen: Option<(Source, Moment)>,
}

impl Choice {
    /// A choice among dates up to `latest`.
    pub(crate) fn up_to(latest: Option<Date>) -> Self {
        Self { latest, ..Self::default() }
    }

    /// Whether further offers change nothing.
    pub(crate) fn is_settled(&self) -> bool {
        self.chosen.is_some_and(|(_, chosen)| chosen.time.is_some())
    }

    pub(crate) fn offer(&mut self, source: Source, moment: Moment) {
        self.late |= self.latest.is_some_and(|latest| moment.date > latest);
        if self.is_settled() || !moment.is_plausible(self.latest) {
            return;
        }
        self.any = true;
        let is_possible = self.earliest.is_none_or(|earliest| moment.date >= earliest)
            && self.near.is_none_or(|near| moment.is_near(&near));
        let is_better = self
            .chosen
            .is_none_or(|(_, chosen)| chosen.date == moment.date && moment.time.is_some());
        if is_possible && is_better {
            self.chosen = Some((source, moment));
        }
    }

    /// The chosen date, without its source.
    pub(crate) fn moment(&self) -> Option<Moment> {
        self.chosen.map(|(_, moment)| moment)
    }

    /// Writes the chosen date in another way.
    pub(crate) fn replace(&mut self, moment: Moment) {
        self.chosen = self.chosen.map(|(source, _)| (source, moment));
    }

    /// The chosen date.
    pub(crate) fn chosen(&self) -> Option<Field<String>> {
        self.chosen.map(|(source, moment)| Field { value: moment.to_string(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(mut choice: Choice, dates: &[&str]) -> Option<String> {
        for date in dates {
            choice.offer(Source::Page, Moment::parse(date).unwrap());
        }
        choice.chosen().map(|field| field.value)
    }

    #[test]
    fn the_first_possible_date_and_its_time() {
        let free = || Choice::up_to(Some(Date::constant(2020, 1, 1)));
        let dates = ["2021-01-01", "2019-05-01", "2018-01-01T10:00", "2019-05-01T09:30"];
        assert_eq!(chosen(free(), &dates).as_deref(), Some("2019-05-01T09:30:00"));
        assert_eq!(chosen(free(), &dates[..3]).as_deref(), Some("2019-05-01"));
        let timed = ["2019-05-01T09:30", "2019-05-01T10:30"];
        assert_eq!(chosen(free(), &timed).as_deref(), Some("2019-05-01T09:30:00"));
        let late = Choice { earliest: Some(Date::constant(2019, 5, 2)), ..free() };
        assert_eq!(chosen(late, &dates), None);
        let near = Choice { near: Moment::parse("2018-01-02"), ..free() };
        assert_eq!(chosen(near, &dates).as_deref(), Some("2018-01-01T10:00:00"));
        assert_eq!(chosen(free(), &["1970-01-01"]), None);
    }
}
