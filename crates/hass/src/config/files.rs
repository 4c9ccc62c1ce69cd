//! The files of a configuration, by their paths below its folder.

use std::collections::BTreeMap;

/// Where files come from. Paths are relative to the folder of the configuration, with `/` between their parts.
pub trait Files {
    /// The text of a file; nothing if there is no such file; otherwise why it cannot be read.
    fn read(&mut self, path: &str) -> Result<Option<String>, String>;

    /// The names in a folder, each with whether it is a folder itself; nothing if there is no such folder.
    fn list(&mut self, folder: &str) -> Result<Option<Vec<(String, bool)>>, String>;
}

/// Files that are in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<String, String>);

impl Memory {
    /// Files with their texts.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Memory(files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    }
}

impl Files for Memory {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        Ok(self.0.get(path).cloned())
    }

    fn list(&mut self, folder: &str) -> Result<Option<Vec<(String, bool)>>, String> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut names: Vec<(String, bool)> = Vec::new();
        for path in self.0.keys().filter_map(|path| path.strip_prefix(&prefix)) {
            let (name, is_folder) = match path.split_once('/') {
                Some((name, _)) => (name, true),
                None => (path, false),
            };
            if !names.iter().any(|(known, _)| known == name) {
                names.push((name.to_owned(), is_folder));
            }
        }
        Ok((!names.is_empty()).then_some(names))
    }
}

/// A path beside a file, without `.` and `..`; nothing if it leaves the folder.
pub(super) fn beside(file: &str, path: &str) -> Option<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let absolute = path.strip_prefix("/config/");
    if path.starts_with('/') && absolute.is_none() || path.contains(['\\', '\0']) {
        return None;
    }
    let start = if absolute.is_some() { "" } else { folder };
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in absolute.unwrap_or(path).split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        assert_eq!(beside("a/b.yaml", "../c.yaml").as_deref(), Some("c.yaml"));
        assert_eq!(beside("a/b.yaml", "./c/d.yaml").as_deref(), Some("a/c/d.yaml"));
        assert_eq!(beside("b.yaml", "../c.yaml"), None);
        assert_eq!(beside("b.yaml", "/etc/passwd"), None);
        assert_eq!(beside("a/b.yaml", "/config/c.yaml").as_deref(), Some("c.yaml"));
        assert_eq!(beside("b.yaml", "c/../../d"), None);
    }
}
