"""Networks of videos: one file for each family, on backbones of PaddleClas.models where they have one."""
