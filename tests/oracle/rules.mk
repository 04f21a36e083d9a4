# Comparison with PyTorch in double precision, step by step. Not part of `make
# check`, since PyTorch is large: on Debian and Ubuntu, apt-get install python3-torch. Splines are compared with scipy
# (python3-scipy), `crop:` with torchvision's center_crop or its rule, metrics with scikit-learn (python3-sklearn).
#
#   make oracle [DEVICE=vulkan] [FILTER=optimizer]
.PHONY: oracle
oracle: $(BUILD)/gtrain
	@tests/oracle/run.sh $(BUILD) $(if $(DEVICE),--device $(DEVICE)) $(if $(FILTER),--filter '$(FILTER)')
