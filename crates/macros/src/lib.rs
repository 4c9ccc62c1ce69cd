//! The attribute `#[mazurka::test]`. It is part of the crate `mazurka`, which describes it.
#![forbid(unsafe_code)]

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Makes a test that checks its body in every order of its threads: `#[test] fn … { mazurka::model(|| …) }`.
///
/// What a [`Builder`](https://docs.rs/mazurka) can be told stands in parentheses, by the names of its methods:
/// `#[mazurka::test(engine = "dpor", steps = 500, threads = 2, allow_bounded)]`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match expand(arguments, item) {
        Ok(expanded) => expanded,
        Err(message) => format!("::core::compile_error!({message:?});").parse().unwrap_or_default(),
    }
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream, String> {
    let settings = settings(arguments)?;
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop().filter(|last| is_group(last, Delimiter::Brace)) else {
        return Err("expected a function with a body".to_owned());
    };
    let words: Vec<String> = tokens.iter().map(ToString::to_string).collect();
    if !words.iter().any(|word| word == "fn") {
        return Err("expected a function".to_owned());
    }
    if words.iter().any(|word| word == "async") {
        return Err("expected a function that is not async; use mazurka::future::block_on within it".to_owned());
    }
    let parameters = tokens.iter().rev().find(|token| is_group(token, Delimiter::Parenthesis));
    match tokens.last() {
        Some(last) if is_group(last, Delimiter::Parenthesis) => {}
        _ => return Err("expected a function that returns nothing".to_owned()),
    }
    if let Some(TokenTree::Group(parameters)) = parameters
        && !parameters.stream().is_empty()
    {
        return Err("expected a function without parameters".to_owned());
    }
    let call: TokenStream =
        format!("::mazurka::Builder::new(){settings}.check(__body)").parse().map_err(|error| format!("{error}"))?;
    let mut closure: TokenStream = "let __body = move ||".parse().map_err(|error| format!("{error}"))?;
    closure.extend([TokenTree::Group(body)]);
    closure.extend(";".parse::<TokenStream>().map_err(|error| format!("{error}"))?);
    closure.extend(call);
    closure.extend(";".parse::<TokenStream>().map_err(|error| format!("{error}"))?);
    let mut expanded: TokenStream = "#[::core::prelude::v1::test]".parse().map_err(|error| format!("{error}"))?;
    expanded.extend(tokens);
    expanded.extend([TokenTree::Group(Group::new(Delimiter::Brace, closure))]);
    Ok(expanded)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// The calls of a builder's methods that the arguments stand for.
fn settings(arguments: TokenStream) -> Result<String, String> {
    const KNOWN: &str = "engine = \"…\", steps = …, threads = …, seconds = …, stack_size = …, spin_detection = …, allow_bounded, all, livelocks";
    let mut calls = String::new();
    let mut setting = Vec::new();
    let mut tokens = arguments.into_iter().peekable();
    while tokens.peek().is_some() {
        setting.clear();
        for token in tokens.by_ref() {
            if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
                break;
            }
            setting.push(token.to_string());
        }
        let call = match setting.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["allow_bounded"] => ".allow_bounded()".to_owned(),
            ["all"] => ".all()".to_owned(),
            ["livelocks"] => ".livelocks()".to_owned(),
            ["engine", "=", name] => format!(".engine_named({name})"),
            ["seconds", "=", seconds] => format!(".time_limit(::core::time::Duration::from_secs({seconds}))"),
            [name @ ("steps" | "threads" | "stack_size" | "spin_detection"), "=", value] => format!(".{name}({value})"),
            other => return Err(format!("`{}` is no setting; expected some of: {KNOWN}", other.join(" "))),
        };
        calls.push_str(&call);
    }
    Ok(calls)
}
