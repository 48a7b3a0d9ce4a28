"""Any number of readings at constant cost: every place is told of by the readings that matter for it."""
