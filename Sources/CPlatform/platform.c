// The module is its header; the package manager wants one file to compile.
