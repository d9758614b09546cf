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
    ("NATREPRESENTATIONS", "NATURAL"),
    ("DECNATREPR", "NATURAL"),
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
";
