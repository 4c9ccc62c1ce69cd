//! The words and signs of the language.

use logos::Logos;
use std::fmt;

/// A word or a sign.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex(r"[0-9][0-9_]*")]
    Number,
    #[regex(r"0x[0-9A-Fa-f][0-9A-Fa-f_]*")]
    HexNumber,
    #[regex(r#""[^"\n]*""#)]
    Text,

    #[token("include")]
    Include,
    #[token("const")]
    Const,
    #[token("enum")]
    Enum,
    #[token("shared")]
    Shared,
    #[token("mutex")]
    Mutex,
    #[token("cond")]
    Cond,
    #[token("handler")]
    Handler,
    #[token("any")]
    Any,
    #[token("fifo")]
    Fifo,
    #[token("thread")]
    Thread,
    #[token("message")]
    Message,
    #[token("def")]
    Def,
    #[token("event")]
    Event,
    #[token("when")]
    When,
    #[token("disabled")]
    Disabled,
    #[token("never")]
    Never,

    #[token("let")]
    Let,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("switch")]
    Switch,
    #[token("case")]
    Case,
    #[token("default")]
    Default,
    #[token("for")]
    For,
    #[token("in")]
    In,
    #[token("break")]
    Break,
    #[token("continue")]
    Continue,
    #[token("return")]
    Return,
    #[token("assert")]
    Assert,
    #[token("assume")]
    Assume,
    #[token("lock")]
    Lock,
    #[token("unlock")]
    Unlock,
    #[token("wait")]
    Wait,
    #[token("signal")]
    Signal,
    #[token("broadcast")]
    Broadcast,
    #[token("spawn")]
    Spawn,
    #[token("join")]
    Join,
    #[token("post")]
    Post,
    #[token("enable")]
    Enable,
    #[token("disable")]
    Disable,
    #[token("atomic")]
    Atomic,
    #[token("cas")]
    Cas,
    #[token("swap")]
    Swap,
    #[token("fetch_add")]
    FetchAdd,
    #[token("choose")]
    Choose,
    #[token("true")]
    True,
    #[token("false")]
    False,

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
    #[token("..")]
    DotDot,
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
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Not,
    #[token("?")]
    Question,
    #[token(":")]
    Colon,

    /// The end of the source.
    End,
}

impl fmt::Display for Token {
    /// How an error message names the token that it expected.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Token::Name => "a name",
            Token::Number | Token::HexNumber => "a number",
            Token::Text => "a text in quotes",
            Token::End => "the end of the file",
            Token::OpenBrace => "`{`",
            Token::CloseBrace => "`}`",
            Token::OpenParen => "`(`",
            Token::CloseParen => "`)`",
            Token::OpenBracket => "`[`",
            Token::CloseBracket => "`]`",
            Token::Semicolon => "`;`",
            Token::Comma => "`,`",
            Token::Colon => "`:`",
            Token::DotDot => "`..`",
            Token::Assign => "`=`",
            Token::In => "`in`",
            Token::While => "`while`",
            other => return write!(f, "`{other:?}`"),
        })
    }
}
