package lex

// Codes of the mistakes in SQL text that the lexer and the parser find. Binding
// has its own, from E2100 on.
const (
	CodeUnexpected  = "E2001" // a token that cannot stand there
	CodeUnclosed    = "E2002" // a string, quoted name, comment or bracket that is never closed
	CodeLiteral     = "E2003" // a literal that has no value: DATE '2024-13-01', X'1', 300Y
	CodeUnsupported = "E2004" // SQL that eslake does not have; the hint says what to use instead
	CodeType        = "E2005" // a type that does not exist or has wrong parameters
	CodeDepth       = "E2006" // brackets or queries within each other beyond the limit
	CodeVariable    = "E2007" // ${name} without a value
	CodeRepeated    = "E2008" // a clause that is given twice
	CodeRows        = "E2009" // rows of VALUES that differ in length
)
