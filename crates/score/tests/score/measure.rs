//! Names of measures.

use sitegrove_score::QualityMeasure;

#[test]
fn names_lead_back_to_their_measures() {
    for measure in QualityMeasure::all() {
        assert_eq!(measure.name().parse(), Ok(measure));
    }
    let unknown = "rouge".parse::<QualityMeasure>().unwrap_err();
    assert!(unknown.starts_with("no measure is called \"rouge\"; there are pairs, pairs-fields,"));
}
