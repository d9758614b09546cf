; Later patterns win over earlier ones.

(identifier) @variable

[
  "active" "proctype" "D_proctype" "init" "never" "trace" "notrace" "ltl" "inline" "typedef"
  "provided" "priority" "of" "in" "unless" "atomic" "d_step" "run" "c_code" "c_decl" "c_state" "c_track" "c_expr"
] @keyword

["if" "fi"] @keyword.conditional
["do" "od" "for" "select"] @keyword.repeat
["goto" "return"] @keyword.return
(break) @keyword.repeat
(else) @keyword.conditional
["assert" "printf" "printm" "set_priority" "xr" "xs" "eval"] @function.builtin
["len" "empty" "full" "nempty" "nfull" "enabled" "pc_value" "get_priority"] @function.builtin

(basic_type) @type.builtin
"mtype" @type.builtin
(visibility) @keyword.modifier
(named_type (identifier) @type)
(type_definition name: (identifier) @type)
(mtype_definition set: (identifier) @type)
(mtype set: (identifier) @type)
(mtype_definition constant: (identifier) @constant)

(proctype name: (identifier) @function)
(inline_definition name: (identifier) @function.macro)
(inline_definition parameter: (identifier) @variable.parameter)
(parameters (declaration (variable name: (identifier) @variable.parameter)))
(run name: (identifier) @function)
(remote_label process: (variable_reference (identifier) @function))
(remote_label process: (element (variable_reference (identifier) @function)))
(remote_variable process: (variable_reference (identifier) @function))
(remote_variable process: (element (variable_reference (identifier) @function)))
(call name: (identifier) @function.macro)
(never_claim name: (identifier) @function)
(ltl_property name: (identifier) @function)

(field name: (identifier) @property)
(labelled label: (identifier) @label)
(goto label: (identifier) @label)
(remote_label label: (identifier) @label)

(system_variable) @variable.builtin
((identifier) @variable.builtin
  (#any-of? @variable.builtin "_" "_pid" "_last" "_nr_pr" "_priority"))

(number) @number
(character) @character
(string) @string
(truth) @boolean
(comment) @comment
(stray_end) @comment
(left_out) @comment

(macro_definition "#define" @keyword.directive)
(macro_definition name: (identifier) @constant.macro)
(macro_parameters (identifier) @variable.parameter)
(macro_body) @string.special
(directive) @keyword.directive
(c_text) @string.special

(temporal operator: _ @operator)
(binary operator: _ @operator)
(unary operator: _ @operator)
["=" "!" "!!" "?" "??" "++" "--" "+=" "-=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" ">>=" "->" "-->" "::" ".." "@"] @operator
[";" "," "." ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
