//! Structs whose fields are known at run time, so that outputs can write all fields of a record.

use serde::{Serialize, Serializer};

/// A field of a record.
#[derive(Debug)]
pub struct RecordField {
    /// Its name in `articles.jsonl` and all other outputs.
    pub name: &'static str,
    /// Its documentation, in Markdown.
    pub doc: &'static str,
    /// Type of its values.
    pub kind: FieldKind,
    /// Whether the value may be null.
    pub is_nullable: bool,
    /// Its serde attributes.
    pub serde: &'static str,
}

impl RecordField {
    /// Whether the value may be missing: null, or the field is left out.
    pub fn is_optional(&self) -> bool {
        self.is_nullable || self.serde.contains("skip_serializing_if")
    }
}

/// The type of the values of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// Text, or one of several names.
    Text,
    /// An RFC 3339 time in UTC.
    Time,
    /// An integer of 32 bits.
    Integer,
    /// An integer of 64 bits.
    Long,
    /// A number, written with four decimals.
    Number,
    /// True or false.
    Boolean,
    /// A list of values.
    List(&'static FieldKind),
    /// Another record.
    Record(&'static [RecordField]),
}

/// A type of fields of records.
pub trait FieldType {
    /// The type of the values.
    const KIND: FieldKind;
    /// Whether the value may be null.
    const IS_NULLABLE: bool = false;
}

macro_rules! field_types {
    ($($kind:ident: $($type:ty),+;)*) => {
        $($(impl FieldType for $type {
            const KIND: FieldKind = FieldKind::$kind;
        })+)*
    };
}

field_types! {
    Text: String, std::sync::Arc<str>, crate::EncodingName;
    Time: jiff::Timestamp;
    Integer: u16, u32;
    Long: u64;
    Number: f64;
    Boolean: bool;
}

impl<T: FieldType> FieldType for Option<T> {
    const KIND: FieldKind = T::KIND;
    const IS_NULLABLE: bool = true;
}

impl<T: FieldType> FieldType for Vec<T> {
    const KIND: FieldKind = FieldKind::List(&T::KIND);
}

/// Declares an enum by the names of its values in outputs.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$of_value:meta])* $value:ident => $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
        pub enum $name {
            $($(#[$of_value])* #[serde(rename = $text)] $value,)*
        }

        impl $name {
            /// All values, in order.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$value),*];

            /// The name written to outputs.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text,)* }
            }

            /// The value with this name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.as_str() == name)
            }
        }

        impl $crate::FieldType for $name {
            const KIND: $crate::FieldKind = $crate::FieldKind::Text;
        }
    };
}

/// Receives the fields of a record.
pub trait FieldVisitor {
    /// Takes a field with its value.
    fn visit<T: Serialize>(&mut self, field: &'static RecordField, value: &T);
}

/// Declares a struct whose fields are also listed in `FIELDS`, with their types and documentation.
macro_rules! record {
    ($(#[$meta:meta])* pub struct $record:ident {
        $($(#[doc = $doc:expr])+ $(#[serde($($serde:tt)*)])? pub $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        pub struct $record {
            $($(#[doc = $doc])+ $(#[serde($($serde)*)])? pub $field: $type,)*
        }

        impl $record {
            /// All fields, in the order in which they are written.
            pub const FIELDS: &'static [$crate::RecordField] = &[$($crate::RecordField {
                name: stringify!($field),
                doc: concat!($($doc),+),
                kind: <$type as $crate::FieldType>::KIND,
                is_nullable: <$type as $crate::FieldType>::IS_NULLABLE,
                serde: stringify!($($($serde)*)?),
            },)*];

            /// Calls the visitor with each field, in order.
            pub fn visit_fields(&self, visitor: &mut impl $crate::FieldVisitor) {
                let mut fields = Self::FIELDS.iter();
                $(if let Some(field) = fields.next() {
                    visitor.visit(field, &self.$field);
                })*
            }
        }

        impl $crate::FieldType for $record {
            const KIND: $crate::FieldKind = $crate::FieldKind::Record(Self::FIELDS);
        }
    };
}

pub(crate) use record;

/// Rounds to four decimals, which are precise enough for a confidence and keep lines short.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Serialises four decimals in records, and all decimals in the temporary files of a run.
pub(crate) fn serialize_rounded<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    let is_record = to.is_human_readable();
    to.serialize_f64(if is_record { rounded(*value) } else { *value })
}

pub(crate) fn serialize_rounded_if_some<S: Serializer>(
    value: &Option<f64>,
    to: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if to.is_human_readable() => to.serialize_some(&rounded(*value)),
        other => other.serialize(to),
    }
}
