//! Semantic tokens: what words are, for their colours.

use lsp_types::{SemanticToken, SemanticTokenType, SemanticTokens, SemanticTokensLegend};
use narrows::editing::{Colour, Files, Lines, NameKind};

/// The kinds of tokens, in the order of their numbers.
const KINDS: [SemanticTokenType; 14] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::MACRO,
    SemanticTokenType::CLASS,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::TYPE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::EVENT,
    SemanticTokenType::INTERFACE,
    SemanticTokenType::NAMESPACE,
];

/// Returns the kinds, for the client.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: KINDS.to_vec(), token_modifiers: Vec::new() }
}

fn kind(colour: Colour) -> Option<SemanticTokenType> {
    Some(match colour {
        Colour::Keyword => SemanticTokenType::KEYWORD,
        Colour::Number => SemanticTokenType::NUMBER,
        Colour::Text => SemanticTokenType::STRING,
        Colour::Directive => SemanticTokenType::MACRO,
        Colour::Unknown => return None,
        Colour::Named(kind) => match kind {
            NameKind::Process => SemanticTokenType::CLASS,
            NameKind::Module => SemanticTokenType::NAMESPACE,
            NameKind::Inline | NameKind::Operation => SemanticTokenType::FUNCTION,
            NameKind::Macro => SemanticTokenType::MACRO,
            NameKind::Type => SemanticTokenType::TYPE,
            NameKind::Field => SemanticTokenType::PROPERTY,
            NameKind::Constant => SemanticTokenType::ENUM_MEMBER,
            NameKind::Definition | NameKind::Variable | NameKind::Channel => SemanticTokenType::VARIABLE,
            NameKind::Parameter => SemanticTokenType::PARAMETER,
            NameKind::Label => SemanticTokenType::EVENT,
            NameKind::Gate => SemanticTokenType::INTERFACE,
            NameKind::Property => SemanticTokenType::FUNCTION,
        },
    })
}

/// Returns the tokens of a file, each relative to the one before.
pub(crate) fn tokens(files: &Files, file: usize) -> SemanticTokens {
    let text = &files.document(file).text;
    let lines = Lines::new(text);
    let (mut last_line, mut last_start) = (0, 0);
    let mut data = Vec::new();
    for (place, colour) in files.colours(file) {
        let Some(kind) = kind(colour) else { continue };
        let Some(number) = KINDS.iter().position(|known| *known == kind) else { continue };
        let (start, end) = (lines.position(place.start), lines.position(place.end));
        // Clients need not take tokens over several lines.
        if start.line != end.line {
            continue;
        }
        let delta_line = start.line - last_line;
        let delta_start = if delta_line == 0 { start.column - last_start } else { start.column };
        data.push(SemanticToken {
            delta_line,
            delta_start,
            length: end.column - start.column,
            token_type: number as u32,
            token_modifiers_bitset: 0,
        });
        (last_line, last_start) = (start.line, start.column);
    }
    SemanticTokens { result_id: None, data }
}
