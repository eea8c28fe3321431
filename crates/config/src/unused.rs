//! Settings that differ from their defaults but have no effect with the chosen engine.

use sitemodel::Engine;
use toml::{Table, Value};

use super::{Config, DEFAULT};

/// A setting without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// Name of the setting, e.g. `signify.top`.
    pub setting: String,
    /// The engines that use it.
    pub engines: Vec<&'static str>,
}

type Uses = fn(Engine) -> bool;

/// Settings that only some engines use.
const RULES: [(&str, Uses); 8] = [
    ("signify.top", |engine| ranks_patterns(engine) || engine == Engine::Sigfeed),
    ("signify.source", ranks_patterns),
    ("signify.weighting", ranks_patterns),
    ("rank.learn_from", learns_templates),
    ("rank.fast_path", is_grove),
    ("wrap.hold_back", learns_templates),
    ("emit.page_types", is_grove),
    ("grove.weights", is_grove),
];

fn is_grove(engine: Engine) -> bool {
    engine == Engine::Grove
}

fn ranks_patterns(engine: Engine) -> bool {
    matches!(engine, Engine::Forest(_))
}

fn learns_templates(engine: Engine) -> bool {
    is_grove(engine) || ranks_patterns(engine)
}

/// Tables with the parameters of the engines of the same names.
const METHODS: [&str; 5] = ["words_leaves", "euclid", "blocks", "density", "text_density"];

fn at<'a>(table: &'a Table, name: &str) -> Option<&'a Value> {
    let (section, key) = name.split_once('.')?;
    table.get(section)?.get(key)
}

impl Config {
    /// Returns the settings that differ from the defaults and have no effect with the chosen engine.
    pub fn unused(&self) -> Vec<Unused> {
        let defaults = toml::from_str::<Table>(DEFAULT).unwrap_or_default();
        let own = Table::try_from(self).unwrap_or_default();
        let engine = self.rank.engine;
        let all = Engine::all();
        let mut found = Vec::new();
        let mut add = |name: &str, uses: Uses| {
            let engines = all.iter().filter(|own| uses(**own)).map(|own| own.name()).collect();
            found.push(Unused { setting: name.to_owned(), engines });
        };
        for (name, uses) in RULES {
            if !uses(engine) && at(&own, name) != at(&defaults, name) {
                add(name, uses);
            }
        }
        if self.template_corrections.is_some() && !learns_templates(engine) {
            add("corrections of templates", learns_templates);
        }
        for method in METHODS {
            let is_meant = |of: &Engine| of.name().replace('-', "_") == method;
            if is_meant(&engine) || is_meant(&self.extract.page_wise) {
                continue;
            }
            let keys = own.get(method).and_then(Value::as_table).into_iter().flat_map(Table::keys);
            for key in keys {
                let name = format!("{method}.{key}");
                if at(&own, &name) != at(&defaults, &name) {
                    let engines = all.iter().filter(|own| is_meant(own)).map(|own| own.name());
                    found.push(Unused { setting: name, engines: engines.collect() });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(text: &str) -> Vec<String> {
        let changes: Table = toml::from_str(text).unwrap();
        let config = Config::load(None).unwrap().with(changes).unwrap();
        config.unused().into_iter().map(|unused| unused.setting).collect()
    }

    #[test]
    fn settings_without_effect_are_found() {
        assert!(unused("").is_empty());
        let euclid = "[rank]\nengine = \"euclid\"\n";
        assert_eq!(unused(&format!("{euclid}[signify]\ntop = 50")), ["signify.top"]);
        assert_eq!(unused("[signify]\ntop = 50"), ["signify.top"]);
        for engine in ["forest", "sigfeed"] {
            let text = format!("[signify]\ntop = 50\n[rank]\nengine = \"{engine}\"");
            assert!(unused(&text).is_empty(), "{engine}");
        }
        assert_eq!(unused("[rank]\nengine = \"forest\"\nfast_path = false"), ["rank.fast_path"]);
        assert!(unused("[euclid]\ncandidates = 4").is_empty(), "it is the page-wise method");
        assert_eq!(unused("[blocks]\nthreshold = 2.0"), ["blocks.threshold"]);
        assert!(unused("[blocks]\nthreshold = 2.0\n[rank]\nengine = \"blocks\"").is_empty());
    }

    #[test]
    fn rules_name_settings_and_engines() {
        let defaults: Table = toml::from_str(DEFAULT).unwrap();
        for (name, uses) in RULES {
            assert!(at(&defaults, name).is_some(), "{name}");
            assert!(Engine::all().into_iter().any(uses), "{name}");
        }
        for method in METHODS {
            assert!(Engine::all().iter().any(|own| own.name().replace('-', "_") == method));
        }
    }
}
