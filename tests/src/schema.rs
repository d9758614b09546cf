//! A validator for the part of JSON Schema that the schemas of this repository use. A keyword that it does
//! not know is an error, so that nothing in a schema goes unchecked.

use serde_json::Value;

/// Returns what is wrong with a value: where, and what. Empty if it is as the schema says.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Checker { root: schema }.check(schema, value, "", &mut found);
    found
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
        let Some(keywords) = schema.as_object() else {
            // `true` allows everything, `false` nothing.
            if schema != &Value::Bool(true) {
                found.push(format!("{place}: nothing is allowed here"));
            }
            return;
        };
        let mut say = |what: String| found.push(format!("{place}: {what}"));
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "additionalProperties" => {}
                "type" if !is_of(value, wanted.as_str().unwrap_or("")) => {
                    say(format!("not of type {wanted}"));
                }
                "const" if value != wanted => say(format!("not {wanted}")),
                "enum" if !list(wanted).contains(value) => say(format!("none of {wanted}")),
                "minimum" if value.as_f64() < wanted.as_f64() && value.is_number() => {
                    say(format!("below {wanted}"));
                }
                "minItems" if value.as_array().is_some_and(|list| (list.len() as u64) < number(wanted)) => {
                    say(format!("fewer than {wanted}"));
                }
                "maxItems" if value.as_array().is_some_and(|list| list.len() as u64 > number(wanted)) => {
                    say(format!("more than {wanted}"));
                }
                "required" if value.is_object() => {
                    let missing =
                        list(wanted).iter().filter_map(Value::as_str).filter(|key| value.get(key).is_none());
                    missing.for_each(|key| say(format!("`{key}` is missing")));
                }
                "type" | "const" | "enum" | "minimum" | "minItems" | "maxItems" | "required" => {}
                "properties" | "items" | "$ref" | "anyOf" | "oneOf" => {}
                unknown => say(format!("the schema has the keyword `{unknown}`, which is not checked")),
            }
        }
        self.inner(schema, value, place, found);
    }

    /// Checks what is inside a value, and what other schemas say about it.
    fn inner(&self, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
        if let Some(target) =
            schema["$ref"].as_str().and_then(|link| self.root.pointer(link.trim_start_matches('#')))
        {
            self.check(target, value, place, found);
        } else if !schema["$ref"].is_null() {
            found.push(format!("{place}: {} leads nowhere", schema["$ref"]));
        }
        if let Some(members) = value.as_object() {
            for (key, member) in members {
                let inside = format!("{place}/{key}");
                match (schema["properties"].get(key), schema.get("additionalProperties")) {
                    (Some(known), _) => self.check(known, member, &inside, found),
                    (None, Some(Value::Bool(false))) => found.push(format!("{inside}: unknown key")),
                    (None, Some(other)) => self.check(other, member, &inside, found),
                    (None, None) => {}
                }
            }
        }
        if let (Some(items), Some(entries)) = (schema.get("items"), value.as_array()) {
            for (number, entry) in entries.iter().enumerate() {
                self.check(items, entry, &format!("{place}/{number}"), found);
            }
        }
        for (keyword, is_one) in [("anyOf", false), ("oneOf", true)] {
            let Some(choices) = schema[keyword].as_array() else { continue };
            let tried: Vec<Vec<String>> = choices
                .iter()
                .map(|choice| {
                    let mut wrong = Vec::new();
                    self.check(choice, value, place, &mut wrong);
                    wrong
                })
                .collect();
            let fitting = tried.iter().filter(|wrong| wrong.is_empty()).count();
            if fitting == 0 {
                let closest = tried.iter().min_by_key(|wrong| wrong.len()).map_or("", |wrong| &wrong[0]);
                found.push(format!("{place}: fits none of {keyword}; {closest}"));
            } else if is_one && fitting > 1 {
                found.push(format!("{place}: fits {fitting} of {keyword}"));
            }
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::violations;

    #[test]
    fn what_is_wrong_is_found_where_it_is() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {
                "a": { "$ref": "#/$defs/pair" }, "b": { "enum": ["x", "y"] }, "c": { "type": "integer", "minimum": 1 },
            },
            "oneOf": [{ "required": ["b"] }, { "required": ["c"] }],
            "$defs": { "pair": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 } },
        });
        let rows = [
            (json!({ "a": [1, 2.5], "b": "x" }), 0),
            (json!({ "a": [1], "b": "x" }), 1),
            (json!({ "a": [1, "2"], "b": "x" }), 1),
            (json!({ "a": [1, 2, 3], "c": 0 }), 2),
            (json!({ "b": "z" }), 2),
            (json!({ "a": [1, 2] }), 1),
            (json!({ "a": [1, 2], "b": "x", "c": 1 }), 1),
            (json!({ "a": [1, 2], "b": "x", "d": 1 }), 1),
            (json!([]), 2),
        ];
        for (value, count) in rows {
            let found = violations(&schema, &value);
            assert_eq!(found.len(), count, "{value}: {found:?}");
        }
        assert_eq!(violations(&json!({ "pattern": "x" }), &json!("x")).len(), 1);
        assert_eq!(violations(&json!({ "$ref": "#/nowhere" }), &json!("x")).len(), 1);
    }
}
