// Package money is the page of what runs have cost: today, by issue, by day and
// by kind of worker, and the tokens whose price nobody knows.
//
// It asks for the sums in commands, again after every firing, and keeps the
// ones it has until then. It sends nothing.
package money
