# Short selftests for ./scripts/test.sh. `make check` does not run them, because tests/selftest has the whole ones.
