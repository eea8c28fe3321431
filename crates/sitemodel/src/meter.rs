//! Lets a caller measure the time of steps: this crate has no clock.

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Parsing HTML and counting words.
    Parse,
    /// Separating layouts, and assigning pages to them.
    Cluster,
    /// Terms and tf-idf.
    Signify,
    /// Ranking or judging structural patterns.
    Rank,
    /// Writing and testing XPaths.
    Wrap,
    /// Text, HTML and metadata.
    Extract,
}

/// Called for each step, from any thread.
pub trait Meter: Sync {
    /// Runs `work`, exactly once.
    fn measure(&self, step: Step, work: &mut dyn FnMut());
}

/// Measures nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn measure(&self, _: Step, work: &mut dyn FnMut()) {
        work();
    }
}

impl dyn Meter + '_ {
    /// Runs `work` as a step.
    ///
    /// # Panics
    /// If the meter did not run the work.
    pub fn step<T>(&self, step: Step, work: impl FnOnce() -> T) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.measure(step, &mut || result = work.take().map(|work| work()));
        match result {
            Some(result) => result,
            None => panic!("the meter left out the step {step:?}"),
        }
    }
}
