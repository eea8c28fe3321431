//! Phrases that name the kind of a wall, in the languages of most sites. Each list is separated by semicolons, in lower
//! case, with straight apostrophes.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use model::DropReason;

/// Number of phrases that decide alone about a page that shares too little with its siblings, or has none.
pub(super) const ALONE: usize = 2;

/// Phrases of one kind of wall.
struct Phrases {
    kind: DropReason,
    /// Articles have them too.
    weak: &'static str,
    /// Only this kind of wall has them: fixed texts of services. Each counts as [`ALONE`].
    certain: &'static str,
}

/// Those that several kinds have ("enable JavaScript and cookies") count for each.
const PHRASES: [Phrases; 5] = [
    Phrases {
        kind: DropReason::ScriptShell,
        weak: "enable javascript; javascript is disabled; javascript is required; requires javascript; without javascript; \
            javascript aktivieren; javascript ist deaktiviert; activer javascript; activar javascript; \
            habilitar javascript; habilite o javascript; abilitare javascript; javascript inschakelen; włącz javascript; \
            включите javascript; aktivera javascript; aktivér javascript; aktiver javascript; javascript'i etkinleştir; \
            povolte javascript; 启用javascript; javascriptを有効; run this app; browser doesn't support; \
            browser does not support",
        certain: "you need to enable javascript to run this app; doesn't work properly without javascript enabled",
    },
    Phrases {
        kind: DropReason::BotCheck,
        weak: "just a moment; checking your browser; verify you are human; verifying you are human; are you a robot; \
            not a robot; captcha; unusual traffic; ray id; ddos protection; security check; access denied; \
            automated access; permission to access; have been blocked; your ip; suspicious activity; unusual activity; \
            automated tool; reference #; incident id; security service; not a bot; kein roboter; pas un robot; \
            no soy un robot; não sou um robô; non sono un robot; geen robot; не робот; inte en robot; ikke en robot; \
            zugriff verweigert; accès refusé; acceso denegado; acesso negado; accesso negato; доступ запрещен; \
            доступ ограничен; 人机验证; 访问被拒绝; ロボットではありません; 로봇이 아닙니다; \
            enable javascript and cookies",
        certain: "sorry, you have been blocked; performance & security by cloudflare; cloudflare ray id; \
            please enable js and disable any ad blocker; access to this page has been denied; pardon our interruption; \
            incapsula incident id; verify you are human by completing; press & hold to confirm; \
            checking if the site connection is secure; needs to review the security of your connection; \
            our systems have detected unusual traffic; making sure you're not a bot; \
            enable javascript and cookies to continue; this content is not available in your region; \
            this content is not available in your country; currently unavailable in most european countries; \
            from a country belonging to the european economic area",
    },
    Phrases {
        kind: DropReason::ConsentWall,
        weak: "cookies; your privacy; our partners; personalised advertising; personalized advertising; consent; \
            accept all; reject all; einwilligung; zustimmen; ihre privatsphäre; unsere partner; \
            personalisierte werbung; consentement; nos partenaires; vie privée; tout accepter; consentimiento; \
            nuestros socios; aceptar todo; consenso; nostri partner; accetta tutt; consentimento; nossos parceiros; \
            toestemming; onze partners; zgoda; partnerzy; souhlas; kakor; våra partner; din integritet; godkänn alla; \
            samtycke; samtykke; vores partnere; våre partnere; godta alle; accepter alle; suostumus; evästeet; \
            hyväksy kaikki; sütik; hozzájárul; cookie-uri; consimțământ; συγκατάθεση; çerez; kabul et; rızanız; согласие; \
            згода; 同意; クッキー; 쿠키",
        certain: "store and/or access information on a device; informationen auf einem gerät speichern und/oder; \
            stocker et/ou accéder à des informations; almacenan o acceden a información en un dispositivo; \
            archiviare e/o accedere a informazioni; informatie op een apparaat opslaan en/of; \
            before you continue to google; before you continue to youtube",
    },
    Phrases {
        kind: DropReason::PaywallStub,
        weak: "subscribe; subscriber; subscription; sign in to continue; log in to continue; register to read; \
            continue reading; free trial; cancel at any time; abonnieren; abonnent; jetzt abo; jetzt weiterlesen; \
            abonnez-vous; abonné; réservé aux; suscríb; suscript; suscripción; abbonat; abbonament; assinante; assine; \
            abonneer; abonnee; prenumer; předplat; előfizet; abonner; tilaajille; abone ol; подпис; підпис; 订阅; 購読; \
            会員限定; 구독",
        certain: "",
    },
    Phrases {
        kind: DropReason::SoftNotFound,
        weak: "404; not found; does not exist; doesn't exist; no longer exists; no longer available; has been moved; \
            has been removed; can't find; can't be found; cannot be found; could not be found; couldn't be found; \
            nothing was found; moved or deleted; nicht gefunden; existiert nicht; nicht mehr verfügbar; introuvable; \
            n'existe pas; n'existe plus; no encontrada; no existe; no se encuentra; não encontrada; não existe; \
            non trovata; non esiste; niet gevonden; bestaat niet; nie znalezion; nie istnieje; nenalezena; neexistuje; \
            nem található; már nem érhető el; hittades inte; finns inte; kunde inte hittas; blev ikke fundet; \
            ikke funnet; finnes ikke; findes ikke; ei löydy; ei löytynyt; nu a fost găsit; nu există; bulunamadı; \
            δεν βρέθηκε; не найдена; не существует; не знайдено; не е намерена; 找不到; 不存在; 未找到; 見つかりません; \
            찾을 수 없습니다; غير موجودة; לא נמצא; không tồn tại; tidak ditemukan; ไม่พบหน้า",
        certain: "that page can't be found; nothing was found at this location; \
            the page you are looking for does not exist; the page you are looking for could not be found; \
            the page you requested could not be found; the page you requested was not found; \
            the requested url was not found on this server",
    },
];

/// Headings and parts of titles that only pages have that are not there. Each counts as [`ALONE`].
const NOT_FOUND: &str = "404; error 404; 404 error; http 404; 404 not found; 404 page not found; page not found; \
    page not found 404; sorry, page not found; file not found; page does not exist; page cannot be found; \
    page can't be found; seite nicht gefunden; 404 seite nicht gefunden; die seite wurde nicht gefunden; \
    page introuvable; page non trouvée; erreur 404; página no encontrada; error 404 página no encontrada; \
    página não encontrada; pagina non trovata; errore 404; pagina niet gevonden; nie znaleziono strony; \
    strona nie istnieje; strona nie została znaleziona; stránka nenalezena; stránka nebyla nalezena; \
    stránka sa nenašla; a keresett oldal nem található; az oldal nem található; sidan hittades inte; \
    sidan kunde inte hittas; sidan finns inte; siden blev ikke fundet; siden findes ikke; siden finnes ikke; \
    siden ble ikke funnet; sivua ei löydy; sivua ei löytynyt; pagina nu a fost găsită; sayfa bulunamadı; \
    η σελίδα δεν βρέθηκε; страница не найдена; ошибка 404; сторінку не знайдено; страницата не е намерена; \
    页面不存在; 页面未找到; 找不到页面; 頁面不存在; ページが見つかりません; お探しのページは見つかりませんでした; \
    페이지를 찾을 수 없습니다; الصفحة غير موجودة; הדף לא נמצא; trang không tồn tại; không tìm thấy trang; \
    halaman tidak ditemukan; ไม่พบหน้าที่ต้องการ";

fn list(phrases: &str) -> impl Iterator<Item = &str> {
    phrases.split(';').map(str::trim).filter(|phrase| !phrase.is_empty())
}

/// [`Phrases`], prepared for searches: each with what it counts.
struct PhraseSearch {
    kind: DropReason,
    phrases: Vec<(Finder<'static>, usize)>,
}

static SEARCHES: LazyLock<[PhraseSearch; PHRASES.len()]> = LazyLock::new(|| {
    PHRASES.map(|Phrases { kind, weak, certain }| {
        let weak = list(weak).map(|phrase| (Finder::new(phrase), 1));
        let certain = list(certain).map(|phrase| (Finder::new(phrase), ALONE));
        PhraseSearch { kind, phrases: weak.chain(certain).collect() }
    })
});

static HEADINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut headings: Vec<&str> = list(NOT_FOUND).collect();
    headings.sort_unstable();
    headings
});

/// The kind of wall with the most phrases in a title and a text, and what they count; the first of equals.
pub(super) fn kind_of(title: &str, text: &str) -> Option<(DropReason, usize)> {
    let lower = format!("{title}\n{text}").to_lowercase().replace(['’', 'ʼ'], "'");
    let count = |search: &PhraseSearch| -> usize {
        let found = |(phrase, _): &&(Finder<'_>, usize)| phrase.find(lower.as_bytes()).is_some();
        let of_heading = search.kind == DropReason::SoftNotFound && lower.lines().any(is_not_found);
        let of_phrases: usize = search.phrases.iter().filter(found).map(|(_, counts)| counts).sum();
        of_phrases + if of_heading { ALONE } else { 0 }
    };
    let found = SEARCHES.iter().map(|search| (search.kind, count(search)));
    found.filter(|(_, count)| *count > 0).rev().max_by_key(|(_, count)| *count)
}

/// Whether a line, or a part of it that a separator divides off, is one of [`NOT_FOUND`].
fn is_not_found(line: &str) -> bool {
    let is_one = |part: &str| {
        let words = part.trim_matches(|c: char| !c.is_alphanumeric());
        HEADINGS.binary_search(&words).is_ok()
    };
    is_one(line) || line.split(['|', '–', '—', '·', ':', '•', '»', '-', '!']).any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_name_the_kind_of_wall() {
        let kind = |title: &str, text: &str| kind_of(title, text).map(|found| found.0);
        assert_eq!(kind("Page not found", "It does not exist."), Some(DropReason::SoftNotFound));
        assert_eq!(kind("Just a moment…", "Verify you are human"), Some(DropReason::BotCheck));
        assert_eq!(
            kind("", "Diesen Artikel lesen nur Abonnenten: jetzt abonnieren"),
            Some(DropReason::PaywallStub)
        );
        assert_eq!(kind("", "The mayor opened the bridge."), None);
    }

    #[test]
    fn one_text_of_a_service_is_enough_and_so_is_a_heading() {
        let alone = |title: &str, text: &str| kind_of(title, text).filter(|(_, n)| *n >= ALONE);
        let blocked = alone("Attention", "Sorry, you have been blocked by the editor");
        assert_eq!(blocked.unwrap().0, DropReason::BotCheck);
        for title in ["Page not found – The Daily Ferry", "404", "Oops! That page can’t be found."]
        {
            assert_eq!(alone(title, "Try the search.").unwrap().0, DropReason::SoftNotFound);
        }
        assert_eq!(alone("Why the old page was not found", "A story."), None);
    }

    #[test]
    fn every_phrase_is_in_the_form_that_is_searched() {
        let all =
            PHRASES.iter().flat_map(|of_kind| list(of_kind.weak).chain(list(of_kind.certain)));
        for phrase in all.chain(list(NOT_FOUND)) {
            assert_eq!(phrase, phrase.to_lowercase().replace('’', "'"));
            assert!(phrase.len() >= 3, "{phrase}");
        }
    }
}
