//! Interns conditions and steps, so that each one is weighed and evaluated only once.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use dom::LocalName;
use dom::xpath::{Path, PathStep, Predicate};
use rustc_hash::FxHashMap;

use crate::conditions::{conditions_cost, leading_cost, predicate_cost};

/// A condition on an element, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Condition(pub(crate) u32);

/// A test of elements (a name and some conditions), by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TestId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stride {
    pub(crate) deep: bool,
    pub(crate) test: TestId,
}

/// A path to try: steps from the root down, at least one.
pub(crate) type Trail = Vec<Stride>;

/// The conditions and steps tried on the sample pages of one layout.
#[derive(Default)]
pub(crate) struct StepTable {
    conditions: RefCell<Conditions>,
    tests: RefCell<Tests>,
}

#[derive(Default)]
struct Conditions {
    /// All conditions with their costs.
    all: Vec<(Predicate, u32)>,
    numbers: FxHashMap<Predicate, Condition>,
}

#[derive(Default)]
struct Tests {
    all: Vec<InternedTest>,
    numbers: FxHashMap<TestKey, TestId>,
}

type TestKey = (Option<LocalName>, Box<[Condition]>);

struct InternedTest {
    name: Option<LocalName>,
    /// The test as a step to any depth, built on first use.
    step: OnceCell<Rc<PathStep>>,
    conditions: Rc<[Condition]>,
    /// Cost of its conditions, and its cost as the first step.
    cost: u32,
    leading: u32,
}

impl StepTable {
    pub(crate) fn condition(&self, predicate: &Predicate) -> Condition {
        let mut conditions = self.conditions.borrow_mut();
        if let Some(&number) = conditions.numbers.get(predicate) {
            return number;
        }
        let number = Condition(conditions.all.len() as u32);
        conditions.all.push((predicate.clone(), predicate_cost(predicate)));
        conditions.numbers.insert(predicate.clone(), number);
        number
    }

    pub(crate) fn condition_cost(&self, condition: Condition) -> u32 {
        self.conditions.borrow().all[condition.0 as usize].1
    }

    pub(crate) fn conditions_cost(&self, conditions: &[Condition]) -> u32 {
        let all = &self.conditions.borrow().all;
        conditions_cost(conditions.iter().map(|condition| all[condition.0 as usize].1))
    }

    pub(crate) fn test(&self, name: Option<LocalName>, conditions: &[Condition]) -> TestId {
        let mut tests = self.tests.borrow_mut();
        let asking: TestKey = (name, conditions.into());
        if let Some(&number) = tests.numbers.get(&asking) {
            return number;
        }
        let number = TestId(tests.all.len() as u32);
        let cost = self.conditions_cost(conditions);
        let (name, step) = (asking.0.clone(), OnceCell::new());
        let leading = leading_cost(name.as_ref(), conditions.is_empty(), cost);
        tests.all.push(InternedTest { name, step, conditions: conditions.into(), cost, leading });
        tests.numbers.insert(asking, number);
        number
    }

    /// A test as a step to any depth.
    pub(crate) fn step(&self, test: TestId) -> Rc<PathStep> {
        let asked = &self.tests.borrow().all[test.0 as usize];
        let step = asked.step.get_or_init(|| {
            let all = &self.conditions.borrow().all;
            let predicates = asked.conditions.iter().map(|c| all[c.0 as usize].0.clone()).collect();
            Rc::new(PathStep { deep: true, name: asked.name.clone(), predicates })
        });
        Rc::clone(step)
    }

    pub(crate) fn conditions(&self, test: TestId) -> Rc<[Condition]> {
        Rc::clone(&self.tests.borrow().all[test.0 as usize].conditions)
    }

    /// The test without some of its conditions.
    pub(crate) fn without(&self, test: TestId, left_out: impl Fn(usize) -> bool) -> TestId {
        let conditions = self.conditions(test);
        let left = conditions.iter().enumerate().filter(|(at, _)| !left_out(*at));
        let left: Vec<Condition> = left.map(|(_, &condition)| condition).collect();
        if left.len() == conditions.len() {
            return test;
        }
        let name = self.tests.borrow().all[test.0 as usize].name.clone();
        self.test(name, &left)
    }

    /// The interned form of a path.
    pub(crate) fn trail(&self, path: &Path) -> Trail {
        let stride = |step: &PathStep| {
            let conditions: Vec<Condition> =
                step.predicates.iter().map(|predicate| self.condition(predicate)).collect();
            Stride { deep: step.deep, test: self.test(step.name.clone(), &conditions) }
        };
        path.steps.iter().map(stride).collect()
    }

    pub(crate) fn path(&self, trail: &[Stride]) -> Path {
        let step =
            |stride: &Stride| PathStep { deep: stride.deep, ..(*self.step(stride.test)).clone() };
        Path { steps: trail.iter().map(step).collect() }
    }

    pub(crate) fn cost(&self, trail: &[Stride]) -> u32 {
        let tests = &self.tests.borrow().all;
        let Some((first, others)) = trail.split_first() else { return 0 };
        let asked = |stride: &Stride| &tests[stride.test.0 as usize];
        // A step to children is as short as a step to any depth, and more specific.
        let others: u32 = others.iter().map(|s| 6 + u32::from(s.deep) + asked(s).cost).sum();
        let place = if first.deep { 0 } else { 12 };
        let last = trail.last().filter(|last| asked(last).conditions.is_empty());
        let unsaid = last.map_or(0, |last| unsaid(last.deep, trail.len()));
        place + asked(first).leading + others + unsaid
    }
}

/// The penalty for a path that ends in a bare tag name, which does not describe the selected elements: any element with
/// this name below the rest of the path matches.
pub(crate) fn unsaid(deep: bool, steps: usize) -> u32 {
    match (steps > 1, deep) {
        (true, true) => 14,
        (true, false) => 10,
        (false, _) => 0,
    }
}
