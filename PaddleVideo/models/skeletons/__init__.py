"""Networks that tell actions from skeletons: ST-GCN, AGCN, CTR-GCN, and the graphs of joints that they walk along."""
