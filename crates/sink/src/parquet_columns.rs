//! Records → columns with definition and repetition levels (Dremel encoding, as used by Parquet).
//!
//! Works with any record as JSON and any schema of groups, lists and primitives, so a field added
//! to a record only needs a line in the schema.

use parquet::basic::{LogicalType, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{SchemaDescriptor, Type};
use serde_json::Value;

/// The values of a column, without nulls.
#[derive(Debug)]
enum Values {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Double(Vec<f64>),
    Text(Vec<ByteArray>),
}

/// A column of the rows collected so far.
#[derive(Debug)]
struct Column {
    path: String,
    values: Values,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl Column {
    fn new(path: String, physical: Physical) -> Result<Self> {
        let values = match physical {
            Physical::BOOLEAN => Values::Bool(Vec::new()),
            Physical::INT32 => Values::Int32(Vec::new()),
            Physical::INT64 => Values::Int64(Vec::new()),
            Physical::DOUBLE => Values::Double(Vec::new()),
            Physical::BYTE_ARRAY => Values::Text(Vec::new()),
            other => return Err(ParquetError::NYI(format!("{path} as {other}"))),
        };
        Ok(Self { path, values, definition: Vec::new(), repetition: Vec::new() })
    }

    /// Adds a value; returns its size in bytes.
    fn push(&mut self, value: Value) -> Result<usize> {
        let wrong = |value: &Value| {
            ParquetError::General(format!("{} does not take the value {value}", self.path))
        };
        match (&mut self.values, value) {
            (Values::Bool(values), Value::Bool(value)) => values.push(value),
            (Values::Int32(values), Value::Number(number)) => {
                let value = number.as_i64().and_then(|n| i32::try_from(n).ok());
                values.push(value.ok_or_else(|| wrong(&Value::Number(number)))?);
            }
            (Values::Int64(values), Value::Number(number)) => {
                values.push(number.as_i64().ok_or_else(|| wrong(&Value::Number(number)))?);
            }
            (Values::Double(values), Value::Number(number)) => {
                values.push(number.as_f64().ok_or_else(|| wrong(&Value::Number(number)))?);
            }
            (Values::Text(values), Value::String(text)) => {
                let length = text.len();
                values.push(ByteArray::from(text.into_bytes()));
                return Ok(length);
            }
            (_, value) => return Err(wrong(&value)),
        }
        Ok(8)
    }
}

/// The columns of the rows collected for a row group.
#[derive(Debug)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

/// The position of a value: its repetition and definition levels.
#[derive(Clone, Copy)]
struct Level {
    repetition: i16,
    definition: i16,
    /// Number of enclosing lists.
    depth: i16,
}

impl Columns {
    /// Without rows.
    pub(crate) fn new(schema: &SchemaDescriptor) -> Result<Self> {
        let column = |c: &parquet::schema::types::ColumnDescPtr| {
            Column::new(c.path().string(), c.physical_type())
        };
        Ok(Self {
            columns: schema.columns().iter().map(column).collect::<Result<_>>()?,
            rows: 0,
            bytes: 0,
        })
    }

    /// Number of rows collected.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Total size of the collected values, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a required field is missing, a value has a different type than its column, or the record
    /// has a field that is not in the schema.
    pub(crate) fn push(&mut self, schema: &Type, record: Value) -> Result<()> {
        let start = Level { repetition: 0, definition: 0, depth: 0 };
        self.group(schema, record, start, 0)?;
        self.rows += 1;
        Ok(())
    }

    /// Adds the fields of an object; returns the next leaf.
    fn group(&mut self, group: &Type, value: Value, level: Level, leaf: usize) -> Result<usize> {
        let Value::Object(mut object) = value else {
            return Err(ParquetError::General(format!("{} is no object", group.name())));
        };
        let mut next = leaf;
        for field in group.get_fields() {
            let value = object.remove(field.name()).unwrap_or(Value::Null);
            next = self.field(field, value, level, next)?;
        }
        match object.keys().next() {
            Some(name) => Err(ParquetError::General(format!("the schema has no field {name}"))),
            None => Ok(next),
        }
    }

    fn field(&mut self, field: &Type, value: Value, level: Level, leaf: usize) -> Result<usize> {
        let is_list = matches!(field.get_basic_info().logical_type_ref(), Some(LogicalType::List));
        let mut level = level;
        if field.is_optional() {
            if value.is_null() {
                return Ok(self.absent(field, level, leaf));
            }
            level.definition += 1;
        }
        if is_list {
            return self.list(field, value, level, leaf);
        }
        if field.is_group() {
            return self.group(field, value, level, leaf);
        }
        let column = &mut self.columns[leaf];
        if value.is_null() {
            return Err(ParquetError::General(format!("{} is missing", column.path)));
        }
        self.bytes += column.push(value)?;
        column.definition.push(level.definition);
        column.repetition.push(level.repetition);
        Ok(leaf + 1)
    }

    /// Adds a list in its three-level form: the list, `list` repeated, `element`.
    fn list(&mut self, field: &Type, value: Value, level: Level, leaf: usize) -> Result<usize> {
        let element = field.get_fields().first().and_then(|list| list.get_fields().first());
        let (Some(element), Value::Array(items)) = (element, value) else {
            return Err(ParquetError::General(format!("{} is no list", field.name())));
        };
        let depth = level.depth + 1;
        let mut next = None;
        for (number, item) in items.into_iter().enumerate() {
            let repetition = if number == 0 { level.repetition } else { depth };
            let of_item = Level { repetition, definition: level.definition + 1, depth };
            next = Some(self.field(element, item, of_item, leaf)?);
        }
        Ok(next.unwrap_or_else(|| self.absent(field, level, leaf)))
    }

    /// Adds a null to all columns of a field; returns the next leaf.
    fn absent(&mut self, field: &Type, level: Level, leaf: usize) -> usize {
        if field.is_group() {
            return field
                .get_fields()
                .iter()
                .fold(leaf, |next, inner| self.absent(inner, level, next));
        }
        self.columns[leaf].definition.push(level.definition);
        self.columns[leaf].repetition.push(level.repetition);
        leaf + 1
    }

    /// Writes a column and clears it.
    pub(crate) fn write(
        &mut self,
        number: usize,
        to: &mut SerializedColumnWriter<'_>,
    ) -> Result<()> {
        let column = &mut self.columns[number];
        let (definition, repetition) = (Some(&*column.definition), Some(&*column.repetition));
        match &column.values {
            Values::Bool(v) => to.typed::<BoolType>().write_batch(v, definition, repetition)?,
            Values::Int32(v) => to.typed::<Int32Type>().write_batch(v, definition, repetition)?,
            Values::Int64(v) => to.typed::<Int64Type>().write_batch(v, definition, repetition)?,
            Values::Double(v) => to.typed::<DoubleType>().write_batch(v, definition, repetition)?,
            Values::Text(v) => {
                to.typed::<ByteArrayType>().write_batch(v, definition, repetition)?
            }
        };
        match &mut column.values {
            Values::Bool(v) => v.clear(),
            Values::Int32(v) => v.clear(),
            Values::Int64(v) => v.clear(),
            Values::Double(v) => v.clear(),
            Values::Text(v) => v.clear(),
        }
        column.definition.clear();
        column.repetition.clear();
        Ok(())
    }

    /// Clears the columns after they were written.
    pub(crate) fn restart(&mut self) {
        self.rows = 0;
        self.bytes = 0;
    }
}
