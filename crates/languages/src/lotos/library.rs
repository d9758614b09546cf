//! The types that `library … endlib` can name, in LOTOS. What has a remark `builtin` needs no equations.

/// Other names of types.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("BOOL", "BOOLEAN"),
    ("X_BOOLEAN", "BOOLEAN"),
    ("FBOOLEAN", "BOOLEAN"),
    ("NAT", "NATURAL"),
    ("NATURALNUMBER", "NATURAL"),
    ("BASICNATURALNUMBER", "NATURAL"),
    ("X_NATURAL", "NATURAL"),
    ("BASICNONEMPTYSTRING", "NONEMPTYSTRING"),
    ("RICHERNONEMPTYSTRING", "NONEMPTYSTRING"),
    ("STRING0", "STRING"),
    ("STRING1", "STRING"),
];

/// The types.
pub(super) const TEXT: &str = "
type BOOLEAN is
  sorts Bool
  opns
    false (*! constructor *), true (*! constructor *) : -> Bool
    not : Bool -> Bool
    _and_, _or_, _xor_, _implies_, _iff_, _andthen_, _orelse_ : Bool, Bool -> Bool
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : Bool, Bool -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : Bool, Bool -> Bool
  eqns
    forall x : Bool
    ofsort Bool
      not (true) = false; not (false) = true;
      true and x = x; false and x = false;
      true andthen x = x; false andthen x = false;
      true or x = true; false or x = x;
      true orelse x = true; false orelse x = x;
      true xor x = not (x); false xor x = x;
      true implies x = x; false implies x = true;
      true iff x = x; false iff x = not (x);
endtype

type NATURAL is BOOLEAN
  sorts Nat (*! natural *)
  opns
    succ (*! builtin successor *) : Nat -> Nat
    _+_ (*! builtin add *), _-_ (*! builtin subtract *), _*_ (*! builtin multiply *) : Nat, Nat -> Nat
    _**_ (*! builtin power *), _div_ (*! builtin divide *), _mod_ (*! builtin modulo *) : Nat, Nat -> Nat
    min (*! builtin minimum *), max (*! builtin maximum *) : Nat, Nat -> Nat
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : Nat, Nat -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : Nat, Nat -> Bool
    _lt_ (*! builtin less *), _<_ (*! builtin less *) : Nat, Nat -> Bool
    _le_ (*! builtin less_or_equal *), _<=_ (*! builtin less_or_equal *) : Nat, Nat -> Bool
    _gt_ (*! builtin greater *), _>_ (*! builtin greater *) : Nat, Nat -> Bool
    _ge_ (*! builtin greater_or_equal *), _>=_ (*! builtin greater_or_equal *) : Nat, Nat -> Bool
endtype

type BIT is BOOLEAN, NATURAL
  sorts Bit
  opns
    0 (*! constructor *), 1 (*! constructor *) : -> Bit
    not : Bit -> Bit
    _and_, _or_, _xor_ : Bit, Bit -> Bit
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : Bit, Bit -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : Bit, Bit -> Bool
    NatNum : Bit -> Nat
  eqns
    forall x : Bit
    ofsort Bit
      not (0) = 1 of Bit; not (1) = 0 of Bit;
      0 and x = 0 of Bit; 1 and x = x;
      0 or x = x; 1 or x = 1 of Bit;
      0 xor x = x; 1 xor x = not (x);
    ofsort Nat
      NatNum (0 of Bit) = 0; NatNum (1 of Bit) = 1;
endtype

type OCTET is BIT
  sorts Octet
  opns
    Octet (*! constructor *) : Bit, Bit, Bit, Bit, Bit, Bit, Bit, Bit -> Octet
    Bit1, Bit2, Bit3, Bit4, Bit5, Bit6, Bit7, Bit8 : Octet -> Bit
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : Octet, Octet -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : Octet, Octet -> Bool
    NatNum : Octet -> Nat
  eqns
    forall a, b, c, d, e, f, g, h : Bit
    ofsort Bit
      Bit1 (Octet (a, b, c, d, e, f, g, h)) = a;
      Bit2 (Octet (a, b, c, d, e, f, g, h)) = b;
      Bit3 (Octet (a, b, c, d, e, f, g, h)) = c;
      Bit4 (Octet (a, b, c, d, e, f, g, h)) = d;
      Bit5 (Octet (a, b, c, d, e, f, g, h)) = e;
      Bit6 (Octet (a, b, c, d, e, f, g, h)) = f;
      Bit7 (Octet (a, b, c, d, e, f, g, h)) = g;
      Bit8 (Octet (a, b, c, d, e, f, g, h)) = h;
    ofsort Nat
      NatNum (Octet (a, b, c, d, e, f, g, h)) =
        (((((((((((((NatNum (a) * 2) + NatNum (b)) * 2) + NatNum (c)) * 2) + NatNum (d)) * 2)
          + NatNum (e)) * 2) + NatNum (f)) * 2) + NatNum (g)) * 2) + NatNum (h);
endtype

type ELEMENT is BOOLEAN
  formalsorts Element
  formalopns
    _eq_, _ne_ : Element, Element -> Bool
endtype

type STRING is ELEMENT, NATURAL
  sorts String
  opns
    <> (*! constructor *) : -> String
    _+_ (*! constructor *) : Element, String -> String
    _+_ : String, Element -> String
    String : Element -> String
    _++_ : String, String -> String
    Reverse, Tail : String -> String
    Head : String -> Element
    Length : String -> Nat
    IsEmpty : String -> Bool
    _IsIn_ : Element, String -> Bool
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : String, String -> Bool
  eqns
    forall x, y : Element, s, t : String
    ofsort String
      String (x) = x + <>;
      <> + x = x + <>;
      (y + s) + x = y + (s + x);
      <> ++ t = t;
      (x + s) ++ t = x + (s ++ t);
      Reverse (<>) = <>;
      Reverse (x + s) = Reverse (s) ++ String (x);
      Tail (x + s) = s;
    ofsort Element
      Head (x + s) = x;
    ofsort Nat
      Length (<>) = 0;
      Length (x + s) = succ (Length (s));
    ofsort Bool
      IsEmpty (<>) = true;
      IsEmpty (x + s) = false;
      x IsIn <> = false;
      x eq y => x IsIn (y + s) = true;
      x IsIn (y + s) = x IsIn s;
endtype

type SET is ELEMENT, NATURAL
  sorts Set
  opns
    {} (*! constructor *) : -> Set
    _With_ (*! constructor *) : Element, Set -> Set
    Insert, Remove : Element, Set -> Set
    _IsIn_, _NotIn_ : Element, Set -> Bool
    _Union_, _Ints_, _Minus_ : Set, Set -> Set
    _Includes_, _IsSubsetOf_, _eq_, _ne_ : Set, Set -> Bool
    Card : Set -> Nat
    IsEmpty : Set -> Bool
  eqns
    forall x, y : Element, s, t : Set
    ofsort Set
      x IsIn s => Insert (x, s) = s;
      Insert (x, s) = x With s;
      Remove (x, {}) = {};
      x eq y => Remove (x, y With s) = s;
      Remove (x, y With s) = y With Remove (x, s);
      {} Union t = t;
      (x With s) Union t = s Union Insert (x, t);
      {} Ints t = {};
      x IsIn t => (x With s) Ints t = x With (s Ints t);
      (x With s) Ints t = s Ints t;
      s Minus {} = s;
      s Minus (x With t) = Remove (x, s) Minus t;
    ofsort Bool
      x IsIn {} = false;
      x eq y => x IsIn (y With s) = true;
      x IsIn (y With s) = x IsIn s;
      x NotIn s = not (x IsIn s);
      s Includes {} = true;
      s Includes (x With t) = (x IsIn s) and (s Includes t);
      s IsSubsetOf t = t Includes s;
      s eq t = (s Includes t) and (t Includes s);
      s ne t = not (s eq t);
      IsEmpty ({}) = true;
      IsEmpty (x With s) = false;
    ofsort Nat
      Card ({}) = 0;
      Card (x With s) = succ (Card (s));
endtype

type NONEMPTYSTRING is ELEMENT, NATURAL
  sorts NonEmptyString
  opns
    String (*! constructor *) : Element -> NonEmptyString
    _+_ (*! constructor *) : Element, NonEmptyString -> NonEmptyString
    _+_ : NonEmptyString, Element -> NonEmptyString
    _++_ : NonEmptyString, NonEmptyString -> NonEmptyString
    Reverse : NonEmptyString -> NonEmptyString
    First, Last : NonEmptyString -> Element
    Length : NonEmptyString -> Nat
    _IsIn_ : Element, NonEmptyString -> Bool
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : NonEmptyString, NonEmptyString -> Bool
  eqns
    forall x, y : Element, s, t : NonEmptyString
    ofsort NonEmptyString
      String (y) + x = y + String (x);
      (y + s) + x = y + (s + x);
      String (x) ++ t = x + t;
      (x + s) ++ t = x + (s ++ t);
      Reverse (String (x)) = String (x);
      Reverse (x + s) = Reverse (s) + x;
    ofsort Element
      First (String (x)) = x;
      First (x + s) = x;
      Last (String (x)) = x;
      Last (x + s) = Last (s);
    ofsort Nat
      Length (String (x)) = 1;
      Length (x + s) = succ (Length (s));
    ofsort Bool
      x IsIn String (y) = x eq y;
      x eq y => x IsIn (y + s) = true;
      x IsIn (y + s) = x IsIn s;
endtype

type BITSTRING is STRING actualizedby BIT using
  sortnames Bit for Element BitString for String
  opnnames Bit for String
endtype

type BITNATREPR is BITSTRING
  opns
    NatNum : BitString -> Nat
  eqns
    forall x : Bit, s : BitString
    ofsort Nat
      NatNum (<> of BitString) = 0;
      NatNum (x + s) = (NatNum (x) * (2 ** Length (s))) + NatNum (s);
endtype

type OCTETSTRING is STRING actualizedby OCTET using
  sortnames Octet for Element OctetString for String
  opnnames Octet for String
endtype

type OCTDIGIT is NATURAL
  sorts OctDigit
  opns
    0 (*! constructor *), 1 (*! constructor *), 2 (*! constructor *), 3 (*! constructor *),
    4 (*! constructor *), 5 (*! constructor *), 6 (*! constructor *), 7 (*! constructor *) : -> OctDigit
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : OctDigit, OctDigit -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : OctDigit, OctDigit -> Bool
    _lt_, _le_, _gt_, _ge_ : OctDigit, OctDigit -> Bool
    NatNum : OctDigit -> Nat
  eqns
    forall x, y : OctDigit
    ofsort Nat
      NatNum (0 of OctDigit) = 0; NatNum (1 of OctDigit) = 1;
      NatNum (2 of OctDigit) = 2; NatNum (3 of OctDigit) = 3;
      NatNum (4 of OctDigit) = 4; NatNum (5 of OctDigit) = 5;
      NatNum (6 of OctDigit) = 6; NatNum (7 of OctDigit) = 7;
    ofsort Bool
      x lt y = NatNum (x) lt NatNum (y); x le y = NatNum (x) le NatNum (y);
      x gt y = NatNum (x) gt NatNum (y); x ge y = NatNum (x) ge NatNum (y);
endtype

type OCTSTRING is STRING actualizedby OCTDIGIT using
  sortnames OctDigit for Element OctString for String
  opnnames Oct for String
endtype

type OCTNATREPR is OCTSTRING
  opns
    NatNum : OctString -> Nat
  eqns
    forall x : OctDigit, s : OctString
    ofsort Nat
      NatNum (<> of OctString) = 0;
      NatNum (x + s) = (NatNum (x) * (8 ** Length (s))) + NatNum (s);
endtype

type DECDIGIT is NATURAL
  sorts DecDigit
  opns
    0 (*! constructor *), 1 (*! constructor *), 2 (*! constructor *), 3 (*! constructor *),
    4 (*! constructor *), 5 (*! constructor *), 6 (*! constructor *), 7 (*! constructor *),
    8 (*! constructor *), 9 (*! constructor *) : -> DecDigit
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : DecDigit, DecDigit -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : DecDigit, DecDigit -> Bool
    _lt_, _le_, _gt_, _ge_ : DecDigit, DecDigit -> Bool
    NatNum : DecDigit -> Nat
  eqns
    forall x, y : DecDigit
    ofsort Nat
      NatNum (0 of DecDigit) = 0; NatNum (1 of DecDigit) = 1;
      NatNum (2 of DecDigit) = 2; NatNum (3 of DecDigit) = 3;
      NatNum (4 of DecDigit) = 4; NatNum (5 of DecDigit) = 5;
      NatNum (6 of DecDigit) = 6; NatNum (7 of DecDigit) = 7;
      NatNum (8 of DecDigit) = 8; NatNum (9 of DecDigit) = 9;
    ofsort Bool
      x lt y = NatNum (x) lt NatNum (y); x le y = NatNum (x) le NatNum (y);
      x gt y = NatNum (x) gt NatNum (y); x ge y = NatNum (x) ge NatNum (y);
endtype

type DECSTRING is STRING actualizedby DECDIGIT using
  sortnames DecDigit for Element DecString for String
  opnnames Dec for String
endtype

type DECNATREPR is DECSTRING
  opns
    NatNum : DecString -> Nat
  eqns
    forall x : DecDigit, s : DecString
    ofsort Nat
      NatNum (<> of DecString) = 0;
      NatNum (x + s) = (NatNum (x) * (10 ** Length (s))) + NatNum (s);
endtype

type HEXDIGIT is NATURAL
  sorts HexDigit
  opns
    0 (*! constructor *), 1 (*! constructor *), 2 (*! constructor *), 3 (*! constructor *),
    4 (*! constructor *), 5 (*! constructor *), 6 (*! constructor *), 7 (*! constructor *),
    8 (*! constructor *), 9 (*! constructor *), A (*! constructor *), B (*! constructor *),
    C (*! constructor *), D (*! constructor *), E (*! constructor *), F (*! constructor *) : -> HexDigit
    _eq_ (*! builtin equal *), _ne_ (*! builtin not_equal *) : HexDigit, HexDigit -> Bool
    _==_ (*! builtin equal *), _<>_ (*! builtin not_equal *) : HexDigit, HexDigit -> Bool
    _lt_, _le_, _gt_, _ge_ : HexDigit, HexDigit -> Bool
    NatNum : HexDigit -> Nat
  eqns
    forall x, y : HexDigit
    ofsort Nat
      NatNum (0 of HexDigit) = 0; NatNum (1 of HexDigit) = 1;
      NatNum (2 of HexDigit) = 2; NatNum (3 of HexDigit) = 3;
      NatNum (4 of HexDigit) = 4; NatNum (5 of HexDigit) = 5;
      NatNum (6 of HexDigit) = 6; NatNum (7 of HexDigit) = 7;
      NatNum (8 of HexDigit) = 8; NatNum (9 of HexDigit) = 9;
      NatNum (A of HexDigit) = 10; NatNum (B of HexDigit) = 11;
      NatNum (C of HexDigit) = 12; NatNum (D of HexDigit) = 13;
      NatNum (E of HexDigit) = 14; NatNum (F of HexDigit) = 15;
    ofsort Bool
      x lt y = NatNum (x) lt NatNum (y); x le y = NatNum (x) le NatNum (y);
      x gt y = NatNum (x) gt NatNum (y); x ge y = NatNum (x) ge NatNum (y);
endtype

type HEXSTRING is STRING actualizedby HEXDIGIT using
  sortnames HexDigit for Element HexString for String
  opnnames Hex for String
endtype

type HEXNATREPR is HEXSTRING
  opns
    NatNum : HexString -> Nat
  eqns
    forall x : HexDigit, s : HexString
    ofsort Nat
      NatNum (<> of HexString) = 0;
      NatNum (x + s) = (NatNum (x) * (16 ** Length (s))) + NatNum (s);
endtype

type NATREPRESENTATIONS is HEXNATREPR, DECNATREPR, OCTNATREPR, BITNATREPR
endtype
";
