"""The complete set of accelerations, compiled. No words and no certificate: what checks it shares no code with it."""
