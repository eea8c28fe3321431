//! The ratchet.

use std::fs;

use serde_json::{Value, json};

use super::{evaluate, folder, gold, lines};

/// Exit codes: all is well, and a run is below its floor.
const DONE: i32 = 0;
const BELOW_FLOOR: i32 = 1;

#[test]
fn floors_rise_hold_and_break() {
    let folder = folder();
    let evaluate = |arguments: &str| {
        evaluate(
            folder.path(),
            &format!("--gold @gold.jsonl --measures pairs --floors @floors.json {arguments}"),
        )
    };
    let stored = || -> Value {
        serde_json::from_slice(&fs::read(folder.path().join("floors.json")).unwrap()).unwrap()
    };

    assert!(evaluate("x=@good").is_err(), "no file yet");
    assert_eq!(evaluate("x=@good --update-floors").unwrap().0, DONE);
    assert_eq!(
        stored()["floors"],
        json!({"x": {"pairs/news": 100.0, "pairs/ALL": 100.0, "pairs/blogs singles": 100.0,
        "pairs/news singles": 100.0, "pairs/ALL singles": 100.0}})
    );
    assert_eq!(stored()["gold_digest"].as_str().unwrap().len(), 64);

    let (outcome, text) = evaluate("x=@good y=@half.jsonl.gz").unwrap();
    assert_eq!(outcome, DONE);
    assert!(
        text.contains("held. 5 held, 0 broken, 0 not measured here; 5 figures without a floor."),
        "{text}"
    );

    let (outcome, text) = evaluate("x=@half.jsonl.gz").unwrap();
    assert_eq!(outcome, BELOW_FLOOR);
    assert!(text.contains("- x, pairs/news: 84.44 is below 100.00\n"), "{text}");

    // Raising does not lower; only --allow-lower does.
    let (outcome, text) = evaluate("x=@half.jsonl.gz --update-floors").unwrap();
    assert_eq!(outcome, BELOW_FLOOR);
    assert!(text.ends_with("only --allow-lower lowers a floor.\n"));
    assert_eq!(stored()["floors"]["x"]["pairs/news"], 100.0);
    assert_eq!(evaluate("x=@half.jsonl.gz --update-floors --allow-lower").unwrap().0, DONE);
    assert_eq!(stored()["floors"]["x"]["pairs/news"], 84.44);
    assert_eq!(evaluate("x=@half.jsonl.gz").unwrap().0, DONE);
    assert_eq!(evaluate("x=@good --update-floors").unwrap().0, DONE);
    assert_eq!(stored()["floors"]["x"]["pairs/news"], 100.0);
}

#[test]
fn floors_belong_to_their_gold_and_setting() {
    let folder = folder();
    let command = "--gold @gold.jsonl @good --measures pairs --floors @floors.json";
    evaluate(folder.path(), &format!("{command} --update-floors")).unwrap();

    for other in ["--min-group 2", "--datasets news"] {
        let error = evaluate(folder.path(), &format!("{command} {other}")).unwrap_err();
        assert!(error.contains("holds floors for --min-group 3 --datasets \"\""), "{error}");
    }
    let mut changed = gold();
    changed[0]["gold_text"] = json!("other words altogether here now");
    fs::write(folder.path().join("gold.jsonl"), lines(&changed)).unwrap();
    for update in ["", "--update-floors"] {
        let error = evaluate(folder.path(), &format!("{command} {update}")).unwrap_err();
        assert!(error.contains("holds floors of another gold"), "{error}");
    }
    assert_eq!(
        evaluate(folder.path(), &format!("{command} --update-floors --allow-lower")).unwrap().0,
        DONE
    );
    assert_eq!(evaluate(folder.path(), command).unwrap().0, DONE);
}
