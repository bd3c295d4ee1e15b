//! How is the application shown in a browser on this machine only? The verb `serve`.
//!
//! The server listens on the loopback address alone, and its one page has a random name: a client
//! that does not know the address that the server prints learns nothing, and a page of another
//! origin may not ask. The server itself carries out replays, and sends no request.

mod args;
mod http;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use raddle_dispatch::Registry;
use raddle_web::PageEngine;
use serde_json::json;

use crate::Console;
use crate::args::Format;
use crate::browser;
use crate::engine;
use crate::error::CliError;
use crate::place;
use crate::seal::Seal;
pub(crate) use args::ServeArgs;
use http::{HttpRefusal, HttpRequest, respond};

/// Number of random bytes in the address of the served page, so that no other user can guess the
/// address.
const TOKEN: usize = 16;
/// Longest time for which a browser may be silent in the middle of a request, or not read an
/// answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Carries out the verb `serve`: shows raddle as an application in a browser on this machine.
pub(crate) fn verb(
    args: &ServeArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    if let Some(to) = &args.save {
        let engine = engine::find(args.wasm.as_deref())?;
        let file = to.display().to_string();
        let page = raddle_web::page(engine.engine(), None);
        place::write_sealed(to, &page, Seal::Html, &place::page)?;
        let text = match format {
            Format::Json => format!("{}\n", json!({ "page": file })),
            Format::Text => format!("{file}: open it in a browser, it needs nothing else\n"),
        };
        return console.print(&text);
    }
    let server = Server::new(args.port, registry)?;
    let address = server.address();
    let text = match format {
        Format::Json => format!("{}\n", json!({ "address": address })),
        Format::Text => format!(
            "raddle is at {address}\nOnly this machine reaches it, and nothing leaves it. Ctrl-C ends it.\n"
        ),
    };
    console.print(&text)?;
    console.stdout.flush().map_err(CliError::printing)?;
    if !args.no_open {
        // The address is printed, so a user without a browser here can copy it.
        if let Err(error) = browser::open(address.as_ref()) {
            console.note(&error.to_string());
        }
    }
    server.run()
}

/// HTTP server of raddle's browser application, at a port of this machine.
#[derive(Debug)]
struct Server<'r> {
    listener: TcpListener,
    at: SocketAddrV4,
    token: String,
    page: String,
    registry: &'r Registry,
    /// Lock that makes the server carry out one study at a time, since each uses all cores.
    turn: Mutex<()>,
}

impl<'r> Server<'r> {
    fn new(port: u16, registry: &'r Registry) -> Result<Self, CliError> {
        let refused = |error: io::Error| {
            CliError::Refused(format!(
                "port {port} of this machine cannot be had ({error}): give another --port, or none"
            ))
        };
        let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let listener = TcpListener::bind(at).map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let mut token = [0; TOKEN];
        getrandom::fill(&mut token).map_err(|error| {
            CliError::Refused(format!("the system gives no random numbers ({error})"))
        })?;
        let token = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let page = raddle_web::page(PageEngine::Served, None);
        let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        Ok(Self { listener, at, token, page, registry, turn: Mutex::new(()) })
    }

    fn address(&self) -> String {
        format!("http://{}/{}/", self.at, self.token)
    }

    /// Answers requests until the program is ended.
    fn run(&self) -> Result<(), CliError> {
        thread::scope(|threads| {
            for stream in self.listener.incoming() {
                // A browser that has gone is no trouble, nor is one that waits.
                let Ok(stream) = stream else { continue };
                let begun = thread::Builder::new().spawn_scoped(threads, move || {
                    let _ = self.talk(&stream);
                });
                begun.map_err(|error| {
                    CliError::Refused(format!("a thread cannot be started ({error})"))
                })?;
            }
            Ok(())
        })
    }

    /// Reads one request from a connection, and sends the response to it.
    fn talk(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = match HttpRequest::read(stream)? {
            None => return Ok(()),
            Some(Err(refusal)) => return refuse(stream, refusal),
            Some(Ok(request)) => request,
        };
        match self.allowed(request) {
            Err(refusal) => refuse(stream, refusal),
            Ok(None) => {
                let mut stream = stream;
                respond(&mut stream, "200 OK", "text/html", Some(self.page.len()))?;
                stream.write_all(self.page.as_bytes())
            }
            Ok(Some(mut request)) => match request.body()? {
                Err(refusal) => refuse(stream, refusal),
                Ok(question) => self.answer(stream, &question),
            },
        }
    }

    /// Checks a request. Returns `None` if it asks for the application's page, the request if it
    /// asks for a study to be carried out, or else the refusal to send.
    fn allowed<R: io::Read>(
        &self,
        request: HttpRequest<R>,
    ) -> Result<Option<HttpRequest<R>>, HttpRefusal> {
        request.check()?;
        let path = request.path.strip_prefix('/').and_then(|path| path.strip_prefix(&self.token));
        match (path, &*request.method) {
            (Some("/"), "GET") => Ok(None),
            (Some("/answer"), "POST") => Ok(Some(request)),
            (Some("/" | "/answer"), _) => Err(HttpRefusal::NotAllowed),
            _ => Err(HttpRefusal::NotFound),
        }
    }

    /// Carries out the study that `question`, the body of a request, holds. Sends each line of
    /// progress, and last the result, as soon as it comes. If the client stops reading, the study
    /// ends.
    fn answer(&self, mut stream: &TcpStream, question: &[u8]) -> io::Result<()> {
        respond(&mut stream, "200 OK", "application/x-ndjson", None)?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = Mutex::new(stream);
        raddle_web::answer(question, self.registry, &|line| {
            let mut to = lines.lock().unwrap_or_else(PoisonError::into_inner);
            to.write_all(line.as_bytes()).and_then(|()| to.write_all(b"\n")).is_ok()
        });
        Ok(())
    }
}

fn refuse(mut stream: &TcpStream, refusal: HttpRefusal) -> io::Result<()> {
    let text = refusal.text();
    respond(&mut stream, refusal.status(), "text/plain", Some(text.len()))?;
    stream.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const TABLE: &str = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
        k,80,1,1,256,1,1,0,1000\nk,80,1,1,256,1,1,1500,1000\n";

    /// Returns what a server sends for these requests, one after the other.
    fn served(requests: &[&dyn Fn(&Server<'_>) -> String]) -> Vec<String> {
        let registry = Registry::bundled();
        let server = Server::new(0, &registry).unwrap();
        requests
            .iter()
            .map(|request| {
                thread::scope(|threads| {
                    threads.spawn(|| server.talk(&server.listener.accept().unwrap().0));
                    let mut stream = TcpStream::connect(server.at).unwrap();
                    stream.write_all(request(&server).as_bytes()).unwrap();
                    let mut text = String::new();
                    stream.read_to_string(&mut text).unwrap();
                    text
                })
            })
            .collect()
    }

    fn get(server: &Server<'_>, path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.at)
    }

    #[test]
    fn the_page_is_shown_to_who_knows_its_address() {
        let page = |server: &Server<'_>| get(server, &format!("/{}/", server.token));
        let said = served(&[
            &page,
            &|server| get(server, "/"),
            &|server| get(server, &format!("/{}0/", &server.token[1..])),
            &|server| page(server).replace("127.0.0.1", "raddle.example"),
            &|server| page(server).replace("GET", "PUT"),
            &|server| page(server).replace(&server.at.to_string(), "localhost:8000"),
        ]);
        let statuses = ["200 OK", "404", "404", "403", "405", "200 OK"];
        for (said, status) in said.iter().zip(statuses) {
            assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{status}: {said}");
        }
        assert!(said[0].contains("Drop one or two profiles") && said[0].ends_with("</html>"));
        assert!(said[0].contains("connect-src 'self'"));
        assert!(said.iter().all(|said| !said.to_lowercase().contains("access-control")));
    }

    #[test]
    fn a_question_of_the_page_is_answered() {
        let post = |server: &Server<'_>, origin: &str| {
            let files = format!(r#"[{{"name":"a.csv","bytes":{}}}]"#, TABLE.len());
            let study = r#"{"profiles":["a.csv"],"device":"v100"}"#;
            let body = format!("{{\"files\":{files},\"study\":{study}}}\n{TABLE}");
            let (at, token, length) = (server.at, &server.token, body.len());
            format!(
                "POST /{token}/answer HTTP/1.1\r\nHost: {at}\r\nOrigin: {origin}\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        };
        let said = served(&[&|server| post(server, &format!("http://{}", server.at)), &|server| {
            post(server, "http://raddle.example")
        }]);
        assert!(said[0].starts_with("HTTP/1.1 200 OK"), "{}", said[0]);
        let last = said[0].lines().last().unwrap();
        assert!(last.starts_with(r#"{"report":{"summary":"#), "{last}");
        assert!(said[1].starts_with("HTTP/1.1 403"), "{}", said[1]);
    }

    #[test]
    fn two_servers_have_two_names() {
        let registry = Registry::bundled();
        let [one, other] = [0, 0].map(|port| Server::new(port, &registry).unwrap());
        assert_ne!(one.token, other.token);
        assert_eq!(one.token.len(), 2 * TOKEN);
        assert!(one.listener.local_addr().unwrap().ip().is_loopback());
        let taken = Server::new(one.at.port(), &registry).unwrap_err().to_string();
        assert!(taken.contains("give another --port"), "{taken}");
    }
}
