module github.com/matrix-nexus/skillkit

go 1.26
