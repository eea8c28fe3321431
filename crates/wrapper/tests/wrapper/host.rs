//! Names of hosts and of files.

use sitegrove_wrapper::site_config::{file_hosts, host_of_file, lookup_names};

#[test]
fn files_and_hosts() {
    let host = |file| host_of_file(file);
    assert_eq!(host("Example.com.txt").as_deref(), Some("example.com"));
    assert_eq!(host(".example.com.txt").as_deref(), Some(".example.com"));
    assert_eq!(host("www.example.com.txt").as_deref(), Some("example.com"));
    for file in ["example.com", "..txt", ".txt", "a b.txt", "../x.txt", "..a.txt", "-a.txt"] {
        assert_eq!(host(file), None, "{file}");
    }
    assert_eq!(lookup_names("www.News.example.org"), ["news.example.org", ".example.org", ".org"]);
}

#[test]
fn hosts_share_files_with_their_siblings() {
    let hosts = ["www.a.example", "x.a.example", "y.a.example", "z.b.a.example", "[::1]"];
    let files: Vec<(String, Vec<usize>)> = file_hosts(&hosts).into_iter().collect();
    assert_eq!(
        files,
        [
            (".a.example".to_owned(), vec![1, 2]),
            ("a.example".to_owned(), vec![0]),
            ("z.b.a.example".to_owned(), vec![3]),
        ]
    );
}
