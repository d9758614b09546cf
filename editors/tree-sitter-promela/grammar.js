// Promela for editors: what a text consists of, also while it is unfinished. What it means, and what is wrong with it,
// the language server says.
//
// Lines of the preprocessor may stand anywhere and count as white space, so both branches of an `#if` are parsed.
// Between statements `;` may be missing at the end of a line; here it may be missing anywhere.

/** How strongly operators bind, the weakest first. */
const OPERATORS = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!=', '!!='],
  ['<', '<=', '>', '>='],
  ['<<', '<=<', '>>', '>=>'],
  ['+', '-'],
  ['*', '/', '%'],
]

/** Those of formulas come before, and binary temporal ones between `&&` and the operators on bits. */
const FORMULA_OPERATORS = [
  ['->', '<->', 'implies', 'equivalent'],
  ['||', '\\/'],
  ['&&', '/\\'],
  ['U', 'V', 'W', 'R', 'until', 'stronguntil', 'weakuntil', 'release'],
  ...OPERATORS.slice(2),
]

const UNARY = FORMULA_OPERATORS.length + 1

const separated = (rule, separator) => seq(rule, repeat(seq(separator, rule)))
const listed = rule => separated(rule, ',')

const binary = (operators, operand) =>
  choice(
    ...operators.map((same, strength) =>
      prec.left(
        strength + 1,
        seq(
          field('left', operand),
          field('operator', same.length === 1 ? same[0] : choice(...same)),
          field('right', operand),
        ),
      ),
    ),
  )

module.exports = grammar({
  name: 'promela',

  word: $ => $.identifier,

  extras: $ => [/\s/, /\\\r?\n/, $.comment, $.stray_end, $.macro_definition, $.left_out, $.directive],

  supertypes: $ => [$._unit, $._statement, $._expression, $._formula],

  conflicts: $ => [
    // In `(a -> b : c)`, `b : c` is no variable of a process.
    [$._primary, $.remote_variable],
    // `a b` declares something, or `a` is a macro.
    [$.named_type, $.variable_reference],
  ],

  rules: {
    source_file: $ => repeat(choice($._unit, $._separator)),

    _unit: $ =>
      choice(
        $.proctype,
        $.init,
        $.never_claim,
        $.trace_assertion,
        $.ltl_property,
        $.type_definition,
        $.inline_definition,
        $.mtype_definition,
        $.declaration,
        $.embedded_c,
        $.call,
      ),

    // Processes and claims

    proctype: $ =>
      seq(
        optional(seq('active', optional(seq('[', field('count', $._expression), ']')))),
        choice('proctype', 'D_proctype'),
        field('name', $.identifier),
        field('parameters', $.parameters),
        repeat(choice($.priority, $.provided)),
        field('body', $.block),
      ),

    parameters: $ => seq('(', repeat(choice($.declaration, ';', ',')), ')'),

    priority: $ => seq('priority', choice($.number, $.identifier)),

    provided: $ => seq('provided', '(', $._expression, ')'),

    init: $ => seq('init', optional($.priority), field('body', $.block)),

    never_claim: $ => seq('never', optional(field('name', $.identifier)), field('body', $.block)),

    trace_assertion: $ => seq(choice('trace', 'notrace'), field('body', $.block)),

    ltl_property: $ =>
      seq('ltl', optional(field('name', $.identifier)), '{', $._formula, repeat(';'), '}'),

    inline_definition: $ =>
      seq(
        'inline',
        field('name', $.identifier),
        '(',
        optional(listed(field('parameter', $.identifier))),
        ')',
        field('body', $.block),
      ),

    // Declarations

    type_definition: $ =>
      seq('typedef', field('name', $.identifier), '{', repeat(choice($.declaration, ';')), '}'),

    mtype_definition: $ =>
      seq(
        optional($.visibility),
        'mtype',
        optional(seq(':', field('set', $.identifier))),
        optional('='),
        '{',
        repeat(choice(field('constant', $.identifier), ',')),
        '}',
      ),

    visibility: _ => choice('hidden', 'show', 'local'),

    declaration: $ => prec.right(seq(optional($.visibility), field('type', $._type), listed($.variable))),

    _type: $ => choice($.basic_type, $.mtype, $.named_type),

    basic_type: _ => choice('bit', 'bool', 'byte', 'pid', 'short', 'int', 'unsigned', 'chan'),

    mtype: $ => prec.right(seq('mtype', optional(seq(':', field('set', $.identifier))))),

    named_type: $ => $.identifier,

    variable: $ =>
      prec.right(
        seq(
          field('name', $.identifier),
          optional(
            choice(
              seq(':', field('width', choice($.number, $.identifier))),
              seq('[', field('length', $._expression), ']'),
            ),
          ),
          optional(seq('=', field('value', choice($._expression, $.list, $.channel)))),
        ),
      ),

    list: $ => seq('{', optional(listed($._expression)), '}'),

    channel: $ =>
      seq('[', field('capacity', $._expression), ']', 'of', '{', listed($._type), '}'),

    // Statements

    block: $ => seq('{', optional($._sequence), '}'),

    _sequence: $ => repeat1(choice($._step, $._separator)),

    _separator: _ => choice(';', '->', '-->'),

    _step: $ => choice($.declaration, $.exclusive, $._statement, $.unless),

    exclusive: $ => prec.right(seq(choice('xr', 'xs'), listed($._place))),

    unless: $ => prec.right(1, seq($._statement, 'unless', $._statement)),

    _statement: $ =>
      choice(
        $.labelled,
        $.if,
        $.do,
        $.for,
        $.select,
        $.atomic,
        $.d_step,
        $.block,
        $.goto,
        $.break,
        $.else,
        $.assert,
        $.print,
        $.set_priority,
        $.return,
        $.assignment,
        $.update,
        $.send,
        $.receive,
        $.embedded_c,
        $.condition,
      ),

    labelled: $ => prec.right(1, seq(field('label', $.identifier), ':', optional($._statement))),

    if: $ => seq('if', repeat($._separator), repeat($.option), 'fi'),

    do: $ => seq('do', repeat($._separator), repeat($.option), 'od'),

    option: $ => seq('::', optional($._sequence)),

    for: $ =>
      seq(
        'for',
        '(',
        field('variable', $._place),
        choice(seq(':', $._expression, '..', $._expression), seq('in', $._place)),
        ')',
        field('body', $.block),
      ),

    select: $ =>
      seq('select', '(', field('variable', $._place), ':', $._expression, '..', $._expression, ')'),

    atomic: $ => seq('atomic', $.block),

    d_step: $ => seq('d_step', $.block),

    goto: $ => seq('goto', field('label', $.identifier)),

    break: _ => 'break',

    else: _ => 'else',

    assert: $ => seq('assert', $._expression),

    print: $ =>
      seq(choice('printf', 'printm'), '(', optional(listed(choice($.string, $._expression))), ')'),

    set_priority: $ => seq('set_priority', '(', $._expression, ',', $._expression, ')'),

    return: $ => prec.right(seq('return', optional($._expression))),

    assignment: $ =>
      prec.right(
        seq(
          field('target', $._place),
          choice('=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='),
          field('value', $._expression),
        ),
      ),

    update: $ => seq(field('target', $._place), choice('++', '--')),

    send: $ =>
      prec.right(
        1,
        seq(
          field('channel', $._place),
          choice('!', '!!'),
          listed($._expression),
          optional(seq('(', optional(listed($._expression)), ')')),
        ),
      ),

    receive: $ =>
      prec.right(
        1,
        seq(
          field('channel', $._place),
          choice('?', '??'),
          choice($._received, seq('<', $._received, '>')),
        ),
      ),

    _received: $ =>
      choice(
        seq('(', $._received, ')'),
        prec.right(1, seq(listed($._pattern), optional(seq('(', $._received, ')')))),
      ),

    _pattern: $ => choice($._place, $._constant, alias($.negative, $.unary), $.evaluated),

    negative: $ => seq('-', $._constant),

    evaluated: $ => seq('eval', '(', $._expression, ')'),

    condition: $ => prec.right($._expression),

    // Expressions

    _expression: $ =>
      choice(
        $.binary,
        $.unary,
        $.conditional,
        $.parenthesized,
        $._primary,
      ),

    _primary: $ =>
      choice(
        $.run,
        $.query,
        $.poll,
        $.remote_label,
        $.remote_variable,
        $.embedded_c_expression,
        $._constant,
        $._place,
        alias('timeout', $.system_variable),
        alias('np_', $.system_variable),
      ),

    binary: $ => binary(OPERATORS, $._expression),

    unary: $ =>
      prec(UNARY, seq(field('operator', choice('!', '~', '-', '+')), field('operand', $._expression))),

    conditional: $ => seq('(', $._expression, '->', $._expression, ':', $._expression, ')'),

    parenthesized: $ => seq('(', $._expression, ')'),

    /** A macro, or an inline. */
    call: $ => prec(UNARY + 2, seq(field('name', $.identifier), $.arguments)),

    arguments: $ => seq('(', optional(listed(choice($._expression, $.string))), ')'),

    run: $ => prec.right(seq('run', field('name', $.identifier), $.arguments, optional($.priority))),

    query: $ =>
      seq(
        choice('len', 'empty', 'full', 'nempty', 'nfull', 'enabled', 'pc_value', 'get_priority', 'eval'),
        '(',
        $._expression,
        ')',
      ),

    poll: $ => seq(field('channel', $._place), choice('?', '??'), '[', $._received, ']'),

    remote_label: $ => seq(field('process', $._place), '@', field('label', $.identifier)),

    remote_variable: $ =>
      prec.dynamic(-1, seq(field('process', $._place), ':', field('variable', $._place))),

    /** A macro may stand for a variable. */
    _place: $ => choice($.variable_reference, $.element, $.field, $.call),

    variable_reference: $ => $.identifier,

    element: $ => prec(UNARY + 1, seq(choice($.variable_reference, $.field, $.call), '[', $._expression, ']')),

    field: $ => prec.left(UNARY + 1, seq($._place, '.', field('name', $.identifier))),

    // Formulas

    _formula: $ =>
      choice(
        alias($.formula_binary, $.binary),
        alias($.formula_unary, $.unary),
        $.temporal,
        alias($.formula_parenthesized, $.parenthesized),
        alias($.formula_conditional, $.conditional),
        $._primary,
      ),

    formula_binary: $ => binary(FORMULA_OPERATORS, $._formula),

    formula_unary: $ =>
      prec(UNARY, seq(field('operator', choice('!', '~', '-', '+')), field('operand', $._formula))),

    temporal: $ =>
      prec(
        UNARY,
        seq(
          field('operator', choice('[]', seq('[', ']'), '<>', 'X', 'next', 'always', 'eventually')),
          field('operand', $._formula),
        ),
      ),

    formula_conditional: $ => seq('(', $._formula, '->', $._formula, ':', $._formula, ')'),

    formula_parenthesized: $ => seq('(', $._formula, ')'),

    // C

    embedded_c: $ =>
      choice(
        seq(choice('c_code', 'c_decl'), optional(seq('[', /[^\]]*/, ']')), $.c_block),
        prec.right(seq(choice('c_state', 'c_track'), repeat1($.string))),
      ),

    embedded_c_expression: $ => seq('c_expr', optional(seq('[', /[^\]]*/, ']')), $.c_block),

    c_block: $ => seq('{', repeat(choice($.c_block, $.c_text)), '}'),

    c_text: _ => token(prec(-1, /[^{}\s]+/)),

    // Lines of the preprocessor

    macro_definition: $ =>
      seq(
        alias(token(/#[ \t]*define[ \t]+/), '#define'),
        field('name', $.identifier),
        optional($.macro_parameters),
        optional(field('body', $.macro_body)),
        token.immediate(/\r?\n/),
      ),

    macro_parameters: $ =>
      seq(token.immediate('('), optional(listed($.identifier)), ')'),

    macro_body: _ => token.immediate(/[ \t]+([^\n\\\r]|\\[^\n]|\\\r?\n)*/),

    /** What `#if 0` leaves out need not be Promela. */
    left_out: _ => token(/#[ \t]*if[ \t]+0[ \t]*\r?\n([^#\n][^\n]*\n|\r?\n)*/),

    directive: _ =>
      token(/#[ \t]*(if|ifdef|ifndef|elif|else|endif|undef|include|line|error|warning|pragma|[0-9]+)([^\n\\]|\\[^\n]|\\\r?\n)*/),

    // Words

    comment: _ => token(choice(/\/\/([^\n\\]|\\[^\n]|\\\r?\n)*/, /\/\*([^*]|\*+[^*/])*\*+\//)),

    /** SPIN takes the end of a comment that nothing begins. */
    stray_end: _ => '*/',

    identifier: _ => /[A-Za-z_][A-Za-z_0-9]*/,

    _constant: $ => choice($.number, $.character, $.truth),

    truth: _ => choice('true', 'false', 'skip'),

    number: _ => /[0-9][0-9A-Za-z_]*/,

    character: _ => /'([^'\\\n]|\\[^\n])'/,

    string: _ => /"([^"\\\n]|\\[^\n])*"/,
  },
})
