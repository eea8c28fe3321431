"""Text for the synthetic crawl: random walks over the words of our own sample articles, so no other text is used.

A sentence is a first and a second half, each from a pool; with thousands of either no page repeats another's. Some
words of the halves are slots that every page fills with its own terms, as real articles have theirs.
"""
import random
import re
import sys
from itertools import accumulate
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[3] / "data" / "sources"
sys.path.append(str(SAMPLE))  # last, because some of our own files have the same names

from markup import load, plain  # noqa: E402

# Language → the sample's sites that are written in it.
SOURCES = {
    "en": "harbour_gazette harbour_gazette_opinion kitchen_blog lighthouse_almanac starfield tidewater bench_notes".split(),
    "de": ["alpenblick"],
    "fr": ["atelier_papier"],
    "ar": ["al_waha"],
    "zh": ["zhulin"],
    "ja": ["minato"],
}
# Percentage of sites in each language.
SHARES = {"en": 52, "de": 14, "fr": 12, "ar": 7, "zh": 7, "ja": 8}
# Languages written without spaces: each character counts as a word.
UNSPACED = ("zh", "ja")
# Letters with their vowel signs, joined by apostrophes and hyphens.
WORD = r"[^\W\d_][^\W\d_\u064b-\u0652]*(?:[\u064b-\u0652'’-]+[^\W\d_]+)*"
POOL = 4000
TERMS = 6000
# Slots are private-use characters; the first ones are more frequent, like the main terms of a text.
SLOTS = [chr(0xE000 + k) for k in range(12)]
SLOT_WEIGHTS = list(accumulate(1 / (k + 2) for k in range(len(SLOTS))))
NEVER_A_SLOT = 120  # the most frequent words

LABELS = {
    "en": "Home|Comments|Share|Read also|More like this|Newsletter|Subscribe now|Privacy|Contact|About us|Reply|Most read|Topics|By|Published|Advertisement|Search|Log in|Next|Previous|We use cookies to remember what you chose and to count our readers. You can change your mind at any time.|Get the best of the week in your inbox every Friday morning, free of charge. No advertising, one click to leave.|Jobs|Press|Terms of use|Archive|Photo|Updated",
    "de": "Startseite|Kommentare|Teilen|Lesen Sie auch|Mehr davon|Rundbrief|Jetzt abonnieren|Datenschutz|Kontakt|Über uns|Antworten|Meistgelesen|Themen|Von|Veröffentlicht|Anzeige|Suche|Anmelden|Weiter|Zurück|Wir verwenden Cookies, um Ihre Wahl zu behalten und unsere Leser zu zählen. Sie können das jederzeit ändern.|Das Beste der Woche jeden Freitag früh in Ihrem Postfach, kostenlos. Keine Werbung, ein Klick zum Abbestellen.|Stellen|Presse|Nutzungsbedingungen|Archiv|Foto|Aktualisiert",
    "fr": "Accueil|Commentaires|Partager|À lire aussi|Dans la même rubrique|Lettre|Abonnez-vous|Vie privée|Contact|Qui sommes-nous|Répondre|Les plus lus|Thèmes|Par|Publié le|Publicité|Recherche|Connexion|Suivant|Précédent|Nous utilisons des cookies pour retenir vos choix et compter nos lecteurs. Vous pouvez changer d'avis à tout moment.|Le meilleur de la semaine dans votre boîte chaque vendredi matin, gratuitement. Sans publicité, un clic pour partir.|Emplois|Presse|Conditions|Archives|Photo|Mis à jour",
    "ar": "الرئيسية|التعليقات|شارك|اقرأ أيضا|مقالات مشابهة|النشرة|اشترك الآن|الخصوصية|اتصل بنا|من نحن|رد|الأكثر قراءة|مواضيع|بقلم|نشر في|إعلان|بحث|دخول|التالي|السابق|نستخدم ملفات الارتباط لنتذكر اختياراتك ونعد قراءنا. يمكنك تغيير رأيك في أي وقت.|أفضل ما في الأسبوع في بريدك كل صباح جمعة مجانا وبلا إعلانات.|وظائف|صحافة|شروط الاستخدام|الأرشيف|صورة|تحديث",
    "zh": "首页|评论|分享|延伸阅读|相关文章|邮件简报|立即订阅|隐私|联系我们|关于我们|回复|热门|话题|作者|发布于|广告|搜索|登录|下一页|上一页|我们使用缓存记住您的选择并统计读者人数，您可以随时更改设置。|每周五早晨将一周精选送到您的邮箱，完全免费，没有广告，一键退订。|招聘|媒体|使用条款|存档|图片|更新",
    "ja": "ホーム|コメント|共有|あわせて読む|関連記事|メールマガジン|今すぐ登録|プライバシー|お問い合わせ|私たちについて|返信|よく読まれている記事|話題|文|公開|広告|検索|ログイン|次へ|前へ|選択を記憶し読者数を数えるためにクッキーを使用します。設定はいつでも変更できます。|毎週金曜の朝、一週間のおすすめを無料でお届けします。広告はなく、いつでも解除できます。|採用|報道|利用規約|保管庫|写真|更新",
}  # fmt: skip
LABEL_NAMES = "home comments share also related letter subscribe privacy contact about reply popular topics by published advert search login next previous cookies pitch jobs press terms archive photo updated".split()


class Language:
    """Pools of half sentences, terms and labels of a language."""

    def __init__(self, code, seed):
        self.code, rng = code, random.Random(f"{seed}:{code}")
        self.direction = "rtl" if code == "ar" else "ltr"
        self.space, self.comma, self.stop = {"zh": ("", "，", "。"), "ja": ("", "、", "。"), "ar": (" ", "، ", ".")}.get(code, (" ", ", ", "."))
        self.labels = dict(zip(LABEL_NAMES, LABELS[code].split("|"), strict=True))
        self.after, self.common = chain(code)
        self.starts = sorted(self.after)
        self.terms = self.new_terms(rng)
        halves = [self.half(rng) for _ in range(2 * POOL)]
        self.firsts = [half[0].upper() + half[1:] for half in halves[:POOL]]
        self.seconds = halves[POOL:]
        # Without slots, for titles, menus and teasers.
        self.phrases = [self.space.join(self.walk(rng, rng.randint(2, 4) * (2 if not self.space else 1))) for _ in range(POOL)]

    def walk(self, rng, length):
        word, words = rng.choice(self.starts), []
        for _ in range(length):
            words.append(word)
            word = rng.choice(self.after.get(word) or self.starts)
        return words

    def half(self, rng):
        unspaced = not self.space
        words = self.walk(rng, rng.randint(9, 22) if unspaced else rng.randint(5, 13))
        for k, word in enumerate(words):
            if word not in self.common and rng.random() < (0.05 if unspaced else 0.14):
                words[k] = rng.choices(SLOTS, cum_weights=SLOT_WEIGHTS)[0]
        return self.space.join(words)

    def new_terms(self, rng):
        """Invented words that look like the language's: random walks over letters."""
        if not self.space:
            rare = sorted(set(self.starts) - self.common)
            return sorted({"".join(rng.choices(rare, k=rng.choice((2, 2, 3)))) for _ in range(TERMS)})
        after, made = {}, set()
        for word in sorted(self.after):
            if len(word) > 4:
                text = "^^" + word.lower() + "$"
                for k in range(len(text) - 2):
                    after.setdefault(text[k : k + 2], []).append(text[k + 2])
        while len(made) < TERMS:
            word = "^^"
            while word[-1] != "$" and len(word) < 16:
                word += rng.choice(after[word[-2:]])
            if 6 < len(word) < 16 and word[2:-1].isalpha():
                made.add(word[2:-1])
        return sorted(made)

    def sentences(self, rng, count):
        """A number of sentences, with slots."""
        comma, stop = self.comma, self.stop
        return [f"{a}{comma}{b}{stop}" for a, b in zip(rng.choices(self.firsts, k=count), rng.choices(self.seconds, k=count))]


def chain(code):
    """The successors of each word in the sample's articles, and the most frequent words."""
    after, counts = {}, {}
    for name in SOURCES[code]:
        for article in load(name):
            for kind, content in article.blocks:
                for text in [content] if kind in ("p", "quote") else content if kind in ("ul", "ol") else []:
                    for sentence in re.split(r"[.!?;:؟。！？；：]", plain(text)):
                        words = list("".join(re.findall(r"[^\W\d_]", sentence))) if code in UNSPACED else re.findall(WORD, sentence)
                        for word in words:
                            counts[word] = counts.get(word, 0) + 1
                        for word, following in zip(words, words[1:]):
                            after.setdefault(word, []).append(following)
    return after, frozenset(sorted(counts, key=lambda word: (-counts[word], word))[:NEVER_A_SLOT])


def fill(text, terms):
    """Fills the slots with a page's terms."""
    for slot, term in zip(SLOTS, terms):
        text = text.replace(slot, term)
    return text
