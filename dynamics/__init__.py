"""Mass, force and friction at one instant. Imports geometry; knows no file and no plot."""
