"""Elements at positions: slices, subscripts, gathering, scattering, masks, sorting, searching."""
