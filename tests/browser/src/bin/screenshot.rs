//! Takes a picture of the page: `screenshot ADDRESS FILE [phone] [dark] [still]`, where the address
//! is what comes after the server's, such as `#solve?machine=cirrus&at=3000000`, whose time it
//! waits for. A last `wait=EXPRESSION` waits for that instead.

use std::path::Path;
use std::process::ExitCode;
use std::{env, io};

use tresse_browser_tests::{Browser, Media, Site};

fn main() -> Result<ExitCode, io::Error> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [address, file, rest @ ..] = &*words else { return Ok(ExitCode::FAILURE) };
    let has = |word: &str| rest.iter().any(|other| other == word);
    let media = if has("phone") { Media::PHONE } else { Media::DESK };
    let media = Media { is_dark: has("dark"), is_still: has("still"), ..media };
    let (site, browser) = (Site::serve(), Browser::start());
    let page = browser.page(&format!("{}/{address}", site.address), media);
    let until = rest.iter().find_map(|word| word.strip_prefix("wait="));
    let at = address.split(['?', '&']).find_map(|part| part.strip_prefix("at=")).unwrap_or("1");
    let is_there = format!("document.querySelector('#scrub').valueAsNumber >= {at}");
    page.wait(until.unwrap_or(&is_there));
    page.screenshot(Path::new(file))?;
    Ok(ExitCode::SUCCESS)
}
