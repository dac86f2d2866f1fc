"""The regression gate: two stores of records paired cell by cell, and a verdict on every row."""
