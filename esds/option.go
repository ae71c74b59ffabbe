package esds

// Options are the settings of a table, checked and under their full names:
// lower case with the prefix "es." or "eslake.". Parse makes them; a key that is
// absent has the default of the catalogue, which the methods return.
type Options map[string]string
