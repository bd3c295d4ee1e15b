//! What does a browser ask for, and may it ask?
//!
//! This is the part of HTTP/1.1 that a page needs to ask its own server: one request for each
//! connection, with bodies whose length the header gives.

use std::io::{self, BufRead, BufReader, Read, Write};

/// Largest number of bytes that the request line and the headers of a request may have together.
const HEAD: u64 = 16 * 1024;
/// Largest number of bytes that the body of a request may have. The body holds all profiles of a
/// study.
const BODY: u64 = 1 << 32;

/// Host names in requests that come from this machine itself.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// An HTTP request of which the headers, but not the body, have been read.
#[derive(Debug)]
pub(super) struct HttpRequest<R> {
    pub(super) method: String,
    pub(super) path: String,
    /// Headers of the request, as (name in lower case, value).
    headers: Vec<(String, String)>,
    body: BufReader<R>,
}

/// A refusal: the response to a request that does not get what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpRefusal {
    /// Status 400: the request is malformed.
    BadRequest,
    /// Status 403: the request comes from a page of another origin, or names another host.
    Forbidden,
    /// Status 404: the server has no such page.
    NotFound,
    /// Status 405: the page does not take the request's method, such as PUT.
    NotAllowed,
    /// Status 411: the request does not give the length of its body.
    LengthRequired,
    /// Status 413: the body of the request is too large.
    TooLarge,
}

impl HttpRefusal {
    pub(super) const fn status(self) -> &'static str {
        match self {
            Self::BadRequest => "400 Bad Request",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::NotAllowed => "405 Method Not Allowed",
            Self::LengthRequired => "411 Length Required",
            Self::TooLarge => "413 Content Too Large",
        }
    }

    /// Returns a line that says what a user can do about the refusal.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::BadRequest => "this is no request of the page that raddle serves\n",
            Self::Forbidden => {
                "only the page that raddle serves may ask, under the name localhost or 127.0.0.1: open the \
                 address that raddle serve printed; through `ssh -L 9000:localhost:PORT` open it with the \
                 port 9000 in place of its own\n"
            }
            Self::NotFound => "open the address that raddle serve printed last\n",
            Self::NotAllowed => "the page is got, questions are posted\n",
            Self::LengthRequired => "a question says how long it is\n",
            Self::TooLarge => {
                "profiles of more than 4 GiB together: replay them on the command line\n"
            }
        }
    }
}

impl<R: Read> HttpRequest<R> {
    /// Reads a request up to its body; `None` if the connection ended without one. The inner error
    /// is the response to a malformed request.
    pub(super) fn read(from: R) -> io::Result<Option<Result<Self, HttpRefusal>>> {
        let mut from = BufReader::new(from);
        let mut head = Vec::new();
        let mut limited = from.by_ref().take(HEAD);
        loop {
            let before = head.len();
            let more = limited.read_until(b'\n', &mut head)?;
            if head.is_empty() {
                return Ok(None);
            }
            if matches!(&head[before..], b"\r\n" | b"\n") {
                break;
            }
            if more == 0 {
                return Ok(Some(Err(HttpRefusal::BadRequest)));
            }
        }
        Ok(Some(Self::parse(&head, from).ok_or(HttpRefusal::BadRequest)))
    }

    fn parse(head: &[u8], body: BufReader<R>) -> Option<Self> {
        let mut lines = std::str::from_utf8(head).ok()?.lines();
        let mut words = lines.next()?.split(' ');
        let (method, path, version) = (words.next()?, words.next()?, words.next()?);
        if !version.starts_with("HTTP/1.") || words.next().is_some() {
            return None;
        }
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.filter(|line| !line.is_empty()).map(header);
        Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: headers.collect::<Option<_>>()?,
            body,
        })
    }

    /// Returns the value of a header of the request; `None` unless the header is there exactly
    /// once.
    fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(of, _)| of == name);
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value)
    }

    /// Checks that a request comes from the served page itself or from a user who typed its
    /// address, under one of the names of this machine; not from a page of another origin. Any port
    /// is accepted, as ssh may forward another one.
    pub(super) fn check(&self) -> Result<(), HttpRefusal> {
        let is_own = |host: &&str| {
            let (name, port) = host.split_once(':').unwrap_or((host, "80"));
            HOSTS.contains(&name) && port.parse::<u16>().is_ok()
        };
        let host = self.header("host").filter(is_own).ok_or(HttpRefusal::Forbidden)?;
        let site = self.header("sec-fetch-site");
        let apart = site.is_some_and(|site| !["same-origin", "none"].contains(&site));
        let own = match self.header("origin") {
            Some(origin) => origin.strip_prefix("http://") == Some(host),
            // Browsers send the origin of every request with POST.
            None => self.method != "POST" && !self.headers.iter().any(|(name, _)| name == "origin"),
        };
        if own && !apart { Ok(()) } else { Err(HttpRefusal::Forbidden) }
    }

    /// Reads the whole body of the request.
    pub(super) fn body(&mut self) -> io::Result<Result<Vec<u8>, HttpRefusal>> {
        let length = self.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let length = match length {
            None => return Ok(Err(HttpRefusal::LengthRequired)),
            Some(length) if length > BODY => return Ok(Err(HttpRefusal::TooLarge)),
            Some(length) => length,
        };
        let mut body = Vec::new();
        let read = self.body.by_ref().take(length).read_to_end(&mut body)?;
        Ok(if read as u64 == length { Ok(body) } else { Err(HttpRefusal::BadRequest) })
    }
}

/// Writes the status line and headers of an HTTP response, after which the connection is closed;
/// `length` is the number of bytes of the body, `None` if unknown.
pub(super) fn respond(
    to: &mut impl Write,
    status: &str,
    kind: &str,
    length: Option<usize>,
) -> io::Result<()> {
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    write!(
        to,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n{length}Connection: close\r\n\
         Cache-Control: no-store\r\nContent-Security-Policy: frame-ancestors 'none'\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Result<HttpRequest<&[u8]>, HttpRefusal>> {
        HttpRequest::read(text.as_bytes()).unwrap()
    }

    fn checked(headers: &str) -> Result<(), HttpRefusal> {
        let text = format!("{headers}\r\n\r\n");
        read(&text).unwrap().unwrap().check()
    }

    #[test]
    fn a_request_is_read_with_its_body() {
        let text = "POST /a HTTP/1.1\r\nHost: x\r\nContent-LENGTH:  3\r\n\r\nabcd";
        let mut request = read(text).unwrap().unwrap();
        assert_eq!((&*request.method, &*request.path), ("POST", "/a"));
        assert_eq!(request.body().unwrap().unwrap(), b"abc");
        assert!(read("").is_none());
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in ["GET / HTTP/1.1", "GET /\r\n\r\n", "GET / a HTTP/1.1\r\n\r\n", "\r\n", "x\n"] {
            let refused = read(text).map(|read| read.err());
            assert_eq!(refused, Some(Some(HttpRefusal::BadRequest)), "{text:?}");
        }
        let long = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "x".repeat(20_000));
        assert!(matches!(read(&long), Some(Err(HttpRefusal::BadRequest))));
        let body = |text: &str| read(text).unwrap().unwrap().body().unwrap().err();
        assert_eq!(body("POST / HTTP/1.1\r\n\r\n"), Some(HttpRefusal::LengthRequired));
        let short = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab";
        assert_eq!(body(short), Some(HttpRefusal::BadRequest));
        let large = "POST / HTTP/1.1\r\nContent-Length: 4294967297\r\n\r\n";
        assert_eq!(body(large), Some(HttpRefusal::TooLarge));
    }

    #[test]
    fn only_the_own_page_may_ask() {
        for good in [
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:7",
            "GET / HTTP/1.1\r\nHost: localhost:7\r\nSec-Fetch-Site: none",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nOrigin: http://127.0.0.1:7\r\nSec-Fetch-Site: same-origin",
            // As ssh forwards another port.
            "GET / HTTP/1.1\r\nHost: localhost:8000",
            "POST / HTTP/1.1\r\nHost: localhost:8000\r\nOrigin: http://localhost:8000",
        ] {
            assert_eq!(checked(good), Ok(()), "{good}");
        }
        for bad in [
            "GET / HTTP/1.1",
            "GET / HTTP/1.1\r\nHost: evil.example",
            "GET / HTTP/1.1\r\nHost: evil.example:7",
            "GET / HTTP/1.1\r\nHost: localhost.evil.example:7",
            "GET / HTTP/1.1\r\nHost: localhost:7:evil.example",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nHost: 127.0.0.1:7",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nSec-Fetch-Site: cross-site",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nSec-Fetch-Site: same-site",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nOrigin: null",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nOrigin: http://localhost:7",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nOrigin: http://127.0.0.1:7",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nOrigin: https://127.0.0.1:7",
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7\r\nOrigin: http://evil.example",
        ] {
            assert_eq!(checked(bad), Err(HttpRefusal::Forbidden), "{bad}");
        }
    }
}
