//! Counts of the matching articles by site and by language.

use std::collections::BTreeMap;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::StrColumn;
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader, TantivyError};

/// Counts documents by the values of a field. The counts are exact.
pub(crate) struct CountBy(pub(crate) &'static str);

/// The counts of one segment, by the ordinal of the value.
pub(crate) struct OfSegment {
    values: Option<StrColumn>,
    counts: Vec<u64>,
}

impl Collector for CountBy {
    type Fruit = BTreeMap<String, u64>;
    type Child = OfSegment;

    fn for_segment(&self, _: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<OfSegment> {
        let values = reader.fast_fields().str(self.0)?;
        let known = values.as_ref().map_or(0, |values| values.num_terms());
        Ok(OfSegment { values, counts: vec![0; known] })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(
        &self,
        segments: Vec<tantivy::Result<BTreeMap<String, u64>>>,
    ) -> tantivy::Result<Self::Fruit> {
        let mut all = BTreeMap::new();
        for segment in segments {
            for (value, count) in segment? {
                *all.entry(value).or_default() += count;
            }
        }
        Ok(all)
    }
}

impl SegmentCollector for OfSegment {
    type Fruit = tantivy::Result<BTreeMap<String, u64>>;

    fn collect(&mut self, doc: DocId, _: Score) {
        let number = self.values.as_ref().and_then(|values| values.ords().first(doc));
        let number = number.and_then(|number| usize::try_from(number).ok());
        if let Some(count) = number.and_then(|number| self.counts.get_mut(number)) {
            *count += 1;
        }
    }

    fn harvest(self) -> Self::Fruit {
        let mut named = BTreeMap::new();
        let Some(values) = self.values else { return Ok(named) };
        for (number, count) in (0..).zip(self.counts).filter(|(_, count)| *count > 0) {
            let mut name = String::new();
            values.ord_to_str(number, &mut name).map_err(TantivyError::from)?;
            named.insert(name, count);
        }
        Ok(named)
    }
}
