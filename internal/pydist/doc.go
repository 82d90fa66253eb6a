// Package pydist reads the names, versions and requirements of Python
// distributions: PEP 503, PEP 440 and PEP 508 as far as they tell whether what
// is installed is what is asked for. Markers and URLs are split off and not
// understood.
package pydist
