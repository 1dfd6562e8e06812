//! YAML as JSON, with anchors and merge keys resolved.

use serde_json::{Map, Value};
use yaml_rust2::{Yaml, YamlLoader};

use super::sample;

/// Every document of a sample.
pub(super) fn documents(name: &str) -> Vec<Value> {
    let read = YamlLoader::load_from_str(&sample(name));
    let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
    read.iter().map(json).collect()
}

/// The only document of a sample.
pub(super) fn document(name: &str) -> Value {
    let [document] = <[Value; 1]>::try_from(documents(name)).unwrap();
    document
}

fn json(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Integer(number) => Value::from(*number),
        Yaml::Boolean(truth) => Value::from(*truth),
        Yaml::Null => Value::Null,
        Yaml::Array(list) => list.iter().map(json).collect(),
        Yaml::Hash(members) => {
            let mut merged = Map::new();
            for (name, value) in members {
                let name = name.as_str().expect("names are texts");
                if name == "<<" {
                    for (name, value) in json(value).as_object().expect("a merged mapping") {
                        merged.entry(name).or_insert_with(|| value.clone());
                    }
                } else {
                    merged.insert(name.to_owned(), json(value));
                }
            }
            Value::Object(merged)
        }
        // Fractions and aliases of nothing: no sample needs them.
        Yaml::Real(_) | Yaml::Alias(_) | Yaml::BadValue => panic!("{yaml:?}"),
    }
}
