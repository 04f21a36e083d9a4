# Kills, damaged files and power loss, as many as one has patience for; `make check` runs a few of each.
#
#   make torture [KILLS=4000] [FILES=9600] [STATES=3] [SEED=1]
.PHONY: torture
torture: $(BUILD)/gtrain
	@tests/torture/run.sh $(BUILD) $(or $(KILLS),4000) $(or $(FILES),9600) $(or $(SEED),1) --states $(or $(STATES),3)

CHECK_SCRIPTS += tests/torture/check.sh
