"""The checks: one file each, history to verdict; `ALL` lists them."""
