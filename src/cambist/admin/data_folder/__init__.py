"""The data folder and its database: prepare, check, upgrade, move and measure them."""
