"""Networks that find when actions begin and end in long videos: BMN and C-TCN, their losses and what follows them."""
