//! Kinds of channel, sends and receives.

use narrows_model::{ChannelKind, Expr, Pattern, Place, Receive, Scalar, Send};
use narrows_source::{Diagnostic, Span};

use super::expressions::PREDEFINED;
use super::types::Type;
use super::{Lowering, MAX_KINDS, count};
use crate::promela::ast::{self, ChannelInit, ReceiveArgument};

impl Lowering<'_> {
    pub(super) fn channel_kind(&mut self, channel: &ChannelInit, name: &str) -> u16 {
        let capacity = self.constant(&channel.capacity).unwrap_or(0);
        let capacity = u16::try_from(capacity).unwrap_or_else(|_| {
            let title = format!("a channel can't hold {capacity} messages");
            Diagnostic::error("P0228", channel.capacity.span, title)
                .help("0 makes a rendezvous channel; 65535 messages are the most")
                .emit(self.diagnostics);
            1
        });
        let mut fields = Vec::new();
        for (kind, span) in &channel.fields {
            if *kind == ast::Type::Unsigned {
                Diagnostic::error("P0237", *span, "a message field can't be `unsigned`")
                    .help("use `bit`, `byte`, `short` or `int`")
                    .emit(self.diagnostics);
                continue;
            }
            let kind = self.resolve_type(kind, None, false, *span);
            let slots = u32::from(capacity.max(1));
            if !self.take_room(kind, slots, "", true, *span) {
                continue;
            }
            fields.extend(self.leaves(kind, None).into_iter().map(|leaf| leaf.scalar));
        }
        // SPIN keeps a field that stands alone in a byte.
        if let [alone @ (Scalar::Bit | Scalar::Bool)] = fields.as_mut_slice() {
            *alone = Scalar::Byte;
        }
        let kind = ChannelKind { name: name.to_owned(), capacity, fields };
        if self.system.channel_kinds.len() >= MAX_KINDS {
            let title = format!("more than {MAX_KINDS} channels are declared");
            Diagnostic::error("P0240", channel.span, title)
                .help("declare an array of channels instead")
                .emit(self.diagnostics);
            return 0;
        }
        self.system.channel_kinds.push(kind);
        self.system.channel_kinds.len() as u16 - 1
    }

    /// Lowers the channel of an operation, and says what is known of its kind.
    pub(super) fn channel(&mut self, place: &ast::Place) -> (Expr, Option<u16>) {
        let name = &place.parts[0].name;
        let known = match self.scopes.find(&name.name) {
            Some(variable) if place.parts.len() == 1 => variable.channel,
            _ => None,
        };
        match self.place(place) {
            Some(lowered) => {
                if lowered.scalar != Scalar::Channel && !matches!(lowered.scalar, Scalar::Byte | Scalar::Pid)
                {
                    let text = crate::promela::text::place(place);
                    let mut diagnostic =
                        Diagnostic::error("P0206", place.span, format!("`{text}` is not a channel"))
                            .label("a channel is needed here");
                    if let Some(variable) = self.scopes.find(&name.name) {
                        diagnostic = diagnostic.also(variable.span, "it is declared here");
                    }
                    self.diagnostics.push(diagnostic);
                }
                (Expr::Load(Box::new(lowered)), known)
            }
            None => (Expr::Constant(0), None),
        }
    }

    pub(super) fn send(
        &mut self,
        channel: &ast::Place,
        arguments: &[ast::Expr],
        sorted: bool,
        span: Span,
    ) -> Send {
        let (channel, kind) = self.channel(channel);
        let arguments = self.arguments(arguments);
        self.warn_field_count(kind, arguments.len(), "sends", span);
        Send { channel, arguments, sorted, span }
    }

    fn warn_field_count(&mut self, kind: Option<u16>, given: usize, verb: &str, span: Span) {
        let Some(kind) = kind else { return };
        let expected = self.system.channel_kinds[kind as usize].fields.len();
        if given != expected {
            Diagnostic::warning(
                "P0302",
                span,
                format!("this {verb} {}, but the channel's messages have {expected}", count(given, "field")),
            )
            .note("it is a fault when it is executed")
            .emit(self.diagnostics);
        }
    }

    /// Lowers arguments; a structure stands for all its fields.
    pub(super) fn arguments(&mut self, arguments: &[ast::Expr]) -> Vec<Expr> {
        let mut list = Vec::new();
        for argument in arguments {
            if let ast::ExprKind::Place(place) = &argument.kind
                && let Some(places) = self.structure_places(place)
            {
                list.extend(places.into_iter().map(|place| Expr::Load(Box::new(place))));
                continue;
            }
            list.push(self.expr(argument));
        }
        list
    }

    /// Returns the type of a place, if there is such a place, without a look at its indices.
    fn type_of(&self, place: &ast::Place) -> Option<Type> {
        let mut kind = self.scopes.find(&place.parts[0].name.name)?.kind;
        for part in &place.parts[1..] {
            let Type::Structure(structure) = kind else { return None };
            let fields = &self.structures[structure].fields;
            kind = fields.iter().find(|field| field.name.name == part.name.name)?.kind;
        }
        Some(kind)
    }

    /// Returns the scalars of a place that names a whole structure; `None` for any other place.
    pub(super) fn structure_places(&mut self, place: &ast::Place) -> Option<Vec<Place>> {
        // Other names (symbolic ones, `_pid`) are no places; whoever asks next reports what is wrong with
        // them. Lowering a place twice would double the work at each level of places inside indices.
        let Type::Structure(_) = self.type_of(place)? else { return None };
        let found = self.find_place(place)?;
        if !self.take_room(found.kind, 1, "", false, place.span) {
            return Some(Vec::new());
        }
        let leaves = self.leaves(found.kind, None);
        let places = leaves.into_iter().map(|leaf| Place {
            area: found.area,
            offset: found.offset + leaf.offset,
            indices: found.indices.clone(),
            scalar: leaf.scalar,
            span: place.span,
        });
        Some(places.collect())
    }

    pub(super) fn receive(
        &mut self,
        channel: &ast::Place,
        arguments: &[ReceiveArgument],
        random: bool,
        peek: bool,
        span: Span,
    ) -> Receive {
        let (channel, kind) = self.channel(channel);
        let mut patterns = Vec::new();
        for argument in arguments {
            self.pattern(argument, &mut patterns);
        }
        self.warn_field_count(kind, patterns.len(), "receives", span);
        Receive { channel, patterns, random, peek, span }
    }

    /// Lowers a poll, which SPIN turns into a test of the first message if nothing has to match.
    pub(super) fn poll(
        &mut self,
        channel: &ast::Place,
        arguments: &[ReceiveArgument],
        random: bool,
        span: Span,
    ) -> Receive {
        let mut receive = self.receive(channel, arguments, random, true, span);
        let has_match = receive.patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_)));
        receive.random &= has_match;
        receive
    }

    /// Reports a receive into a name that Promela itself sets: most often a match is meant.
    fn receive_predefined(&mut self, name: &str, span: Span) {
        Diagnostic::error("P0223", span, format!("nothing can be received into `{name}`"))
            .label("Promela itself sets it")
            .help(format!("write `eval({name})` to receive only messages with this value"))
            .emit(self.diagnostics);
    }

    fn pattern(&mut self, argument: &ReceiveArgument, patterns: &mut Vec<Pattern>) {
        match argument {
            ReceiveArgument::Constant(value, _) => patterns.push(Pattern::Match(Expr::Constant(*value))),
            ReceiveArgument::Eval(value) => {
                let values = self.arguments(std::slice::from_ref(value));
                patterns.extend(values.into_iter().map(Pattern::Match));
            }
            ReceiveArgument::Variable(place) => {
                let name = &place.parts[0].name;
                let alone = place.parts.len() == 1 && place.parts[0].index.is_none();
                if alone && &*name.name == "_" {
                    patterns.push(Pattern::Discard);
                } else if alone && PREDEFINED.contains(&&*name.name) {
                    self.receive_predefined(&name.name, place.span);
                    patterns.push(Pattern::Discard);
                } else if let Some((_, value, _)) = self.mtypes.get(&name.name).filter(|_| alone) {
                    patterns.push(Pattern::Match(Expr::Constant(*value)));
                } else if let Some(places) = self.structure_places(place) {
                    patterns.extend(places.into_iter().map(Pattern::Store));
                } else if let Some(place) = self.assignable(place) {
                    patterns.push(Pattern::Store(place));
                } else {
                    patterns.push(Pattern::Discard);
                }
            }
        }
    }
}
