"""Networks that find when actions begin and end: BMN, BSN and C-TCN, their losses and what follows them."""
