//! Several processes on this machine answer as one does; and where one is lost, all end, and say so.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]
#![cfg(unix)]

mod program;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use program::{Folder, document, status, stderr, stdout};
use serde_json::Value;

/// Some ten thousand states, an assertion that fails and a deadlock.
const RING: &str = "
    #ifndef N
    #define N 7
    #endif
    byte fork[N]; byte fed;
    proctype phil(byte me) {
        byte other = (me + 1) % N;
        do
        :: atomic { fork[me] == 0 -> fork[me] = 1 };
           atomic { fork[other] == 0 -> fork[other] = 1 };
           fed = (fed + 1) % 3; assert(fed != 2 || me != 4);
           fork[other] = 0; fork[me] = 0
        od
    }
    init { byte i; atomic { do :: i < N -> run phil(i); i++ :: else -> break od } }
";

/// More states than anybody waits for.
const ENDLESS: &str = "
    byte a, b, c, d, e;
    active proctype A() { do :: a++ od }
    active proctype B() { do :: b++ od }
    active proctype C() { do :: c++ od }
    active proctype D() { do :: d++ od }
    active proctype E() { do :: e++ od }
";

const LOTOS: &str = "
    specification buffers [put, mid, get] : noexit
    behaviour
      hide mid in
        (cell [put, mid] |[mid]| cell [mid, get]) ||| (cell [put, get] ||| stuck [put])
    where
      process cell [left, right] : noexit := left; right; cell [left, right] endproc
      process stuck [left] : noexit := left; left; stop endproc
    endspec
";

const SMV: &str = "
    MODULE main
    VAR n : 0..40; m : 0..40; up : boolean;
    IVAR push : boolean;
    INIT n = 0 & m < 3
    TRANS push -> next(n) = (n + 1) mod 41
    TRANS !push -> next(n) = n
    TRANS n = 30 & m = 7 -> FALSE
    INVARSPEC n + m < 75
    INVARSPEC n < 41
";

const AUT: &str = "des (0, 6, 4)\n(0, \"b\", 1)\n(0, \"a\", 2)\n(1, \"c\", 3)\n(2, \"a\", 3)\n(2, \"i\", 0)\n(1, \"b\", 0)\n";

/// What must not depend on how many processes there are.
fn essence(output: &Output) -> Value {
    let mut value = document(output);
    for key in ["seconds", "bytes_per_state", "memory", "bytes"] {
        value.as_object_mut().unwrap().remove(key);
    }
    if value["model"] == "counter.smv" {
        // Of several runs of the same length, sets of states show any.
        for answer in value["answers"].as_array_mut().unwrap() {
            let length = answer["trace"]["steps"].as_array().map(Vec::len);
            let kept = ["kind", "name", "verdict", "notes", "count"];
            answer.as_object_mut().unwrap().retain(|key, _| kept.contains(&key.as_str()));
            answer["length"] = length.into();
        }
    }
    value
}

#[test]
fn several_processes_answer_as_one() {
    let files = [("ring.pml", RING), ("buffers.lotos", LOTOS), ("small.aut", AUT), ("counter.smv", SMV)];
    let folder = Folder::new(&files);
    for command in [
        "explore ring.pml --format json",
        "check ring.pml --no-reduction --format json --only deadlock --only assertion",
        "explore ring.pml -DN=3 --format json",
        "explore buffers.lotos --format json",
        "check buffers.lotos --format json",
        "explore small.aut --format json",
        "explore counter.smv --format json",
        "check counter.smv --format json",
        "check small.aut --format json",
    ] {
        let alone = folder.run(command);
        for processes in [1, 3] {
            let together = folder.run(&format!("cluster local {processes} --workers 2 -- {command}"));
            assert_eq!(essence(&together), essence(&alone), "{command}: {processes} processes");
            assert_eq!(status(&together), status(&alone), "{command}");
            assert_eq!(stderr(&together), stderr(&alone), "{command}");
        }
    }
    let found = document(&folder.run("cluster local 2 -- explore ring.pml --format json"));
    assert!(found["states"].as_u64().unwrap() > 20_000, "no state was sent: {found}");
}

#[test]
fn texts_and_runs_are_the_same_too() {
    let folder = Folder::new(&[("ring.pml", RING), ("part.h", "byte x;\n")]);
    let lines = |output: &Output| -> Vec<String> {
        let is_measured =
            |line: &&str| line.contains(" MB") || line.contains(" s,") || line.contains("seconds");
        stdout(output).lines().filter(|line| !is_measured(line)).map(str::to_owned).collect()
    };
    let command = "check ring.pml --no-reduction --only assertion";
    let (alone, together) = (folder.run(command), folder.run(&format!("cluster local 2 -- {command}")));
    assert!(lines(&alone).len() > 10, "{}", stdout(&alone));
    assert_eq!(lines(&together), lines(&alone));
    assert_eq!(status(&together), 1);
}

#[test]
fn what_does_not_run_there_is_refused_with_a_reason() {
    let text = format!("{RING}\nltl fair {{ [] <> (fed == 0) }}");
    let folder = Folder::new(&[
        ("ring.pml", &text),
        ("counter.smv", "MODULE main VAR n : 0..3; LTLSPEC G F n = 1;"),
        ("s.toml", ""),
    ]);
    let cases = [
        ("check ring.pml --only fair", "assertions, deadlocks and faults alone"),
        ("check counter.smv --only ltl", "deadlocks and invariants of states alone"),
        ("explore ring.pml --reduce", "several machines visit every state"),
        ("explore ring.pml --engine symbolic", "state by state"),
        ("check s.toml", "studies"),
        ("graph ring.pml", "`explore` and `check`"),
        ("explore none.pml", "none.pml"),
        ("explore ring.pml --tme 3s", "--time"),
    ];
    for (command, expected) in cases {
        let output = folder.run(&format!("cluster local 2 -- {command}"));
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains(expected), "{command}: {said}");
        assert_eq!(status(&output), 2, "{command}: {said}");
    }
}

/// Addresses on this machine where nobody listens, below those that are given to whoever connects.
fn addresses(count: usize) -> Vec<String> {
    // Tests of this process run side by side: each looks in a range of its own.
    static RANGES: AtomicU16 = AtomicU16::new(0);
    let range = RANGES.fetch_add(16, Ordering::Relaxed);
    let first = 2_000 + (std::process::id() % 9_000) as u16 + range;
    let mut held = Vec::new();
    for port in first.. {
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            held.push(listener);
        }
        if held.len() == count {
            break;
        }
    }
    held.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect()
}

fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command: Command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts processes that each get the same arguments and a number.
fn start_all(folder: &Folder, arguments: &str, count: usize) -> Vec<Child> {
    let start = |process| start(folder, &format!("{arguments} --hosts hosts.txt --process {process}"));
    (0..count).map(start).collect()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn processes_of_a_list_find_each_other() {
    let hosts = addresses(3).join("\n");
    let secret = "0123456789abcdef\n";
    let folder = Folder::new(&[("ring.pml", RING), ("hosts.txt", &hosts), ("secret", secret)]);
    let alone = folder.run("explore ring.pml --format json");
    let first =
        "explore ring.pml --format json --workers 1 --hosts hosts.txt --secret-file secret --process 0";
    let mut members = vec![start(&folder, first)];
    // One that takes what comes, and one that is told the same.
    members.push(start(&folder, "cluster join --hosts hosts.txt --secret-file secret --process 1"));
    members.push(start(&folder, &first.replace("--process 0", "--process 2")));
    // Strangers neither end nor delay it.
    for address in hosts.lines() {
        if let Ok(mut stranger) = TcpStream::connect(address) {
            let _ = stranger.write_all(b"GET / HTTP/1.1\r\n\r\n");
        }
    }
    let mut outputs = members.into_iter().map(|child| child.wait_with_output().unwrap());
    assert_eq!(essence(&outputs.next().unwrap()), essence(&alone));
    for output in outputs {
        assert_eq!((stdout(&output), status(&output)), (String::new(), 1), "{}", stderr(&output));
    }
}

#[test]
fn processes_that_would_do_different_things_are_refused() {
    let hosts = addresses(2).join("\n");
    let folder = Folder::new(&[("ring.pml", RING), ("other.pml", ENDLESS), ("hosts.txt", &hosts)]);
    let member = " --hosts hosts.txt --process";
    let other = folder.0.join("elsewhere");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("ring.pml"), ENDLESS).unwrap();
    std::fs::write(other.join("hosts.txt"), &hosts).unwrap();
    std::fs::write(folder.0.join("secret"), "0123456789abcdef").unwrap();
    let cases = [
        (format!("explore other.pml{member} 1"), false, "explore other.pml"),
        (format!("explore ring.pml -DN=5{member} 1"), false, "-DN=5"),
        (format!("explore ring.pml{member} 1"), true, "`ring.pml` differs"),
        (format!("cluster join --workers 5{member} 1"), false, "5 workers"),
    ];
    for (second, is_elsewhere, expected) in cases {
        let first = start(&folder, &format!("explore ring.pml --workers 1{member} 0"));
        let mut command = folder.command(&second);
        if is_elsewhere {
            command.current_dir(&other);
        }
        let second = command.output().unwrap();
        let first = first.wait_with_output().unwrap();
        for output in [&first, &second] {
            assert!(stderr(output).contains(expected), "{expected}: {}", stderr(output));
            assert_eq!((status(output), stdout(output)), (2, String::new()));
        }
    }
    let first = start(&folder, &format!("explore ring.pml --wait 2s{member} 0"));
    let second = folder.run(&format!("cluster join --wait 2s --secret-file secret{member} 1"));
    let first = first.wait_with_output().unwrap();
    assert!(stderr(&second).contains("does not know the secret"), "{}", stderr(&second));
    assert!(stderr(&first).contains("process 1 at `127.0.0.1:"), "{}", stderr(&first));
    assert!(stderr(&first).contains("was turned away"), "{}", stderr(&first));
    assert_eq!((status(&first), status(&second)), (2, 2));
}

#[test]
fn what_is_wrong_with_a_list_is_said() {
    let free = addresses(1).join("");
    let files = [
        ("ring.pml", RING),
        ("bad.txt", "a:1\nb\n"),
        ("one.txt", &free),
        ("far.txt", "127.0.0.1:1\n192.0.2.7:1"),
    ];
    let folder = Folder::new(&files);
    let cases = [
        ("explore ring.pml --hosts bad.txt --process 0", "line 2: `b` is not an address"),
        ("explore ring.pml --hosts one.txt --process 1", "there is no process 1"),
        ("explore ring.pml --hosts far.txt --process 1", "can't listen at `192.0.2.7:1`"),
        ("explore ring.pml --hosts none.txt --process 0", "none.txt"),
        ("explore ring.pml --hosts one.txt", "--process"),
        ("cluster join --hosts one.txt --process 0", "process 0 says what is done"),
    ];
    for (command, expected) in cases {
        let output = folder.run(command);
        assert!(stderr(&output).contains(expected), "{command}: {}", stderr(&output));
        assert_eq!(status(&output), 2);
    }
    let output = folder.run("explore ring.pml --hosts one.txt --process 0");
    assert_eq!(status(&output), 1, "one process is enough: {}", stderr(&output));
}

/// Waits until all processes are searching, for some time.
fn until_busy(folder: &Folder) {
    let _ = folder;
    std::thread::sleep(Duration::from_secs(3));
}

#[test]
fn a_process_that_dies_or_is_stopped_ends_the_run_and_is_named() {
    for (how, limit) in [("-KILL", 8), ("-STOP", 25)] {
        let list = addresses(3);
        let folder = Folder::new(&[("endless.pml", ENDLESS), ("hosts.txt", &list.join("\n"))]);
        let mut members = start_all(&folder, "explore endless.pml --workers 1 --memory 1G", 3);
        until_busy(&folder);
        let mut victim = members.remove(1);
        signal(&victim, how);
        let begun = Instant::now();
        for member in members {
            let output = member.wait_with_output().unwrap();
            assert_eq!(status(&output), 2, "{how}: {}", stderr(&output));
            let expected = format!("a process was lost: {}", list[1]);
            assert!(stderr(&output).contains(&expected), "{how}: {}", stderr(&output));
        }
        assert!(begun.elapsed() < Duration::from_secs(limit), "{how}: {:?}", begun.elapsed());
        let _ = victim.kill();
        let _ = victim.wait();
    }
}

#[test]
fn limits_hold_and_one_can_interrupt() {
    let folder = Folder::new(&[("endless.pml", ENDLESS)]);
    for (limit, reason) in [("--time 2s", "time limit"), ("--memory 60M", "memory")] {
        let output = folder.run(&format!("cluster local 2 --workers 1 -- explore endless.pml {limit}"));
        assert!(stdout(&output).contains(reason), "{limit}: {}{}", stdout(&output), stderr(&output));
        assert_eq!(status(&output), 2);
    }
    let child = start(&folder, "cluster local 2 --workers 1 -- explore endless.pml --memory 1G");
    until_busy(&folder);
    signal(&child, "-INT");
    let begun = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(stdout(&output).contains("interrupted"), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(status(&output), 2);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_command_starts_the_processes_of_a_list() {
    let list = addresses(2);
    let folder = Folder::new(&[("ring.pml", RING), ("hosts.txt", &list.join("\n"))]);
    let program = env!("CARGO_BIN_EXE_narrows");
    let alone = folder.run("explore ring.pml --format json");
    let arguments =
        ["cluster", "run", "--hosts", "hosts.txt", "--workers", "1", "--launch", program, "--", "explore"];
    let together = folder.run_with(&[&arguments[..], &["ring.pml", "--format", "json"]].concat());
    assert_eq!(essence(&together), essence(&alone), "{}", stderr(&together));
    let mut arguments = arguments;
    arguments[7] = "/bin/false {host} {process}";
    let output = folder.run_with(&[&arguments[..], &["ring.pml"]].concat());
    assert_eq!((status(&output), stdout(&output)), (2, String::new()), "{}", stderr(&output));
    assert!(
        stderr(&output).contains(&format!("process 0 at `{}` has ended", list[0])),
        "{}",
        stderr(&output)
    );
}
