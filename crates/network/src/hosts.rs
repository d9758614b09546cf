//! The list of processes: an address a line.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

/// The addresses of all processes, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    names: Vec<String>,
}

/// What is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    /// A line is no address.
    #[error("line {line}: `{text}` is not an address; write one host:port a line, such as 10.0.0.1:2101")]
    NotAnAddress {
        /// Its number.
        line: usize,
        /// What is there.
        text: String,
    },
    /// Two processes would listen at the same place.
    #[error("line {line}: `{text}` is there twice; processes on the same host need ports of their own")]
    Twice {
        /// The number of the second line.
        line: usize,
        /// The address.
        text: String,
    },
    /// No line has an address.
    #[error("the list of hosts is empty; write one host:port a line")]
    Empty,
}

impl Hosts {
    /// Reads a list. Empty lines, and what follows a `#`, do not count.
    ///
    /// ```
    /// let hosts = narrows_network::Hosts::parse("left:2101\nright:2101 # the new one\n").expect("a list");
    /// assert_eq!(hosts.names(), ["left:2101", "right:2101"]);
    /// ```
    ///
    /// # Errors
    ///
    /// Every line must be an address with a port, and all must differ.
    pub fn parse(text: &str) -> Result<Hosts, HostsError> {
        let mut names: Vec<String> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let text = line.split('#').next().unwrap_or_default().trim().to_owned();
            let line = index + 1;
            if text.is_empty() {
                continue;
            }
            let port = text.rsplit_once(':').and_then(|(host, port)| {
                let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
                port.parse::<u16>().ok().filter(|port| is_host && *port > 0)
            });
            if port.is_none() {
                return Err(HostsError::NotAnAddress { line, text });
            }
            if names.contains(&text) {
                return Err(HostsError::Twice { line, text });
            }
            names.push(text);
        }
        if names.is_empty() { Err(HostsError::Empty) } else { Ok(Hosts { names }) }
    }

    /// Returns the addresses as they are written.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns how many processes there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there is no process, which is never so.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Asks for the addresses of a process: names may get theirs late.
    pub(crate) fn resolve(&self, process: usize) -> std::io::Result<Vec<SocketAddr>> {
        Ok(self.names[process].to_socket_addrs()?.collect())
    }

    /// Returns whether an address is one of the host of a process.
    pub(crate) fn is_of(&self, process: usize, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let known = self.resolve(process).unwrap_or_default();
        known.iter().any(|known| known.ip().to_canonical() == address)
    }
}

#[cfg(test)]
mod tests {
    use super::{Hosts, HostsError};

    #[test]
    fn a_list_has_an_address_a_line() {
        let hosts = Hosts::parse("# two\n\na.example:2101\n[::1]:2102  # here\n").expect("a list");
        assert_eq!(hosts.names(), ["a.example:2101", "[::1]:2102"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = ["a", "a:", ":1", "a:0", "a:70000", "a b:1"];
        for text in cases {
            let expected = HostsError::NotAnAddress { line: 2, text: text.to_owned() };
            assert_eq!(Hosts::parse(&format!("x:1\n{text}\n")), Err(expected));
        }
        assert_eq!(Hosts::parse("a:1\na:1"), Err(HostsError::Twice { line: 2, text: "a:1".to_owned() }));
        assert_eq!(Hosts::parse("# none\n"), Err(HostsError::Empty));
    }
}
