"""Tables and codes that kernels fill and files hold: records, status, account, branches. NumPy only."""
