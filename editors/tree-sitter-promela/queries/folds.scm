[
  (block)
  (if)
  (do)
  (ltl_property)
  (type_definition)
  (mtype_definition)
  (comment)
] @fold
