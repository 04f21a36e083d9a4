# Runs that are killed, damaged files, and power loss, as many as requested; `make check` runs a few of each.
#
#   make torture [KILLS=4000] [FILES=9600] [STATES=3] [SEED=1]
#   make soak [MINUTES=60] [DEVICE=cpu]     the memory of long runs must not grow
.PHONY: torture soak
torture: $(BUILD)/gtrain
	@tests/torture/run.sh $(BUILD) $(or $(KILLS),4000) $(or $(FILES),9600) $(or $(SEED),1) --states $(or $(STATES),3)
soak: $(BUILD)/gtrain
	@GTRAIN=$(BUILD)/gtrain PYTHONDONTWRITEBYTECODE=1 python3 tests/torture/soak.py $$(( 60 * $(or $(MINUTES),60) )) $(or $(DEVICE),cpu)

CHECK_SCRIPTS += tests/torture/check.sh
