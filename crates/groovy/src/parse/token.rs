//! The words and signs of the language.

use logos::Logos;

/// A word or a sign. Keywords are names here: most of them may also name a property or a map key, so the parser decides.
///
/// The opening signs of texts are tokens of their own; the lexer reads what follows them by hand, because what ends a
/// text depends on what it holds.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\f\u{feff}\u{a0}]+")]
#[logos(skip r"\\\r?\n")]
pub(super) enum Token {
    #[regex(r"\r?\n|\r")]
    Newline,
    #[regex(r"//[^\r\n]*", allow_greedy = true)]
    LineComment,
    #[token("/*")]
    BlockComment,
    #[token("#!")]
    HashBang,

    #[regex(r"[\p{L}_$][\p{L}\p{N}_$]*")]
    Name,
    #[regex(r"0[xX][0-9a-fA-F][0-9a-fA-F_]*[gGlLiI]?")]
    #[regex(r"0[bB][01][01_]*[gGlLiI]?")]
    #[regex(r"[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?[gGlLiIfFdD]?")]
    Number,

    #[token("\"")]
    DoubleQuote,
    #[token("\"\"\"")]
    TripleDoubleQuote,
    #[token("'")]
    Quote,
    #[token("'''")]
    TripleQuote,
    #[token("$/")]
    DollarSlash,

    /// A text without interpolations.
    Text,
    /// The beginning of a text with interpolations.
    TextOpen,
    /// What stands between the interpolations.
    TextPart,
    /// `${`, or `$` before a path.
    PieceOpen,
    /// The end of an interpolation.
    PieceClose,
    /// The end of a text with interpolations.
    TextClose,

    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("?.")]
    SafeDot,
    #[token("*.")]
    SpreadDot,
    #[token(".&")]
    DotAnd,
    #[token("::")]
    ColonColon,
    #[token(".@")]
    DotAt,
    #[token("..")]
    Range,
    #[token("..<")]
    RangeExclusive,
    #[token("...")]
    Ellipsis,
    #[token("->")]
    Arrow,
    #[token("@")]
    At,
    #[token(":")]
    Colon,
    #[token("?")]
    Question,
    #[token("?:")]
    Elvis,
    #[token("=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("*=")]
    StarAssign,
    #[token("/=")]
    SlashAssign,
    #[token("%=")]
    PercentAssign,
    #[token("**=")]
    PowerAssign,
    #[token("&=")]
    AndAssign,
    #[token("|=")]
    OrAssign,
    #[token("^=")]
    XorAssign,
    #[token("<<=")]
    ShlAssign,
    #[token(">>=")]
    ShrAssign,
    #[token(">>>=")]
    UshrAssign,
    #[token("?=")]
    ElvisAssign,
    #[token("++")]
    PlusPlus,
    #[token("--")]
    MinusMinus,
    #[token("||")]
    OrOr,
    #[token("&&")]
    AndAnd,
    #[token("|")]
    Or,
    #[token("^")]
    Xor,
    #[token("&")]
    And,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("===")]
    Identical,
    #[token("!==")]
    NotIdentical,
    #[token("<=>")]
    Compare,
    #[token("=~")]
    Find,
    #[token("==~")]
    Match,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token(">>>")]
    Ushr,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("**")]
    Power,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Not,
    #[token("~")]
    Tilde,

    /// The end of the source.
    End,
}

impl Token {
    /// How an error message names the token that was expected.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Token::Name => "a name",
            Token::Number => "a number",
            Token::Text | Token::TextOpen => "a text",
            Token::TextClose => "the end of the text",
            Token::PieceClose | Token::CloseBrace => "`}`",
            Token::OpenBrace => "`{`",
            Token::OpenParen => "`(`",
            Token::CloseParen => "`)`",
            Token::OpenBracket => "`[`",
            Token::CloseBracket => "`]`",
            Token::Semicolon => "`;`",
            Token::Comma => "`,`",
            Token::Colon => "`:`",
            Token::Arrow => "`->`",
            Token::Assign => "`=`",
            Token::Greater => "`>`",
            Token::Newline => "the end of the line",
            Token::End => "the end of the file",
            _ => "something else",
        }
    }
}
