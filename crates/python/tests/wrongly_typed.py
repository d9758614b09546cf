"""Uses of the package that a checker of types has to refuse; nothing here is run."""

import narrows

states: str = narrows.load("a.pml").check().states
narrows.load("a.pml").check(engines="auto")
narrows.load_study("a.toml").sweep().plott()
