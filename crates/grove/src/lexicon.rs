//! Words in class names, ids, addresses and schema.org types that say what an element or a page is for, in lists
//! separated by spaces.

/// The lexicon features of elements, each with its words. Their weights are learnt.
pub(crate) const CUES: [(&str, &str); 16] = [
    (
        "comments",
        "comment comments commenter disqus reply replies respond kommentar kommentare comentario \
         comentarios commentaire commentaires",
    ),
    ("share", "share sharing social follow facebook twitter addthis sharethis bookmark"),
    (
        "related",
        "related recommend recommended recommendation more readmore also popular trending most \
         teaser teasers promo recirc suggested latest recent",
    ),
    ("footer", "foot footer copyright legal disclaimer colophon"),
    (
        "navigation",
        "nav navi navbar navigation menu menus breadcrumb breadcrumbs toolbar header masthead \
         pagination pager paging prev next tabs",
    ),
    ("sidebar", "sidebar aside rail widget widgets gutter"),
    (
        "subscribe",
        "newsletter subscribe subscription signup login paywall cookie cookies consent modal \
         popup overlay register gdpr",
    ),
    (
        "advert",
        "ad ads adv advert advertisement advertising sponsor sponsored banner outbrain taboola \
         dfp sponsors",
    ),
    (
        "byline",
        "author authors byline meta date time dateline timestamp published bio info details",
    ),
    (
        "caption",
        "caption credit credits figure image images photo photos gallery slideshow video media \
         picture img pic thumb thumbnail slide carousel",
    ),
    ("tags", "tag tags topic topics category categories keyword keywords label labels filed"),
    ("hidden", "hidden sr visually screen reader print noprint invisible hide"),
    (
        "lead",
        "lead lede intro standfirst dek deck summary abstract subtitle subhead teasertext kicker",
    ),
    ("article", "article articles story post entry hentry news blog artikel"),
    ("text", "content body text copy paragraph prose txt contents inhalt"),
    ("main", "main primary maincol"),
];

/// Words in names without a meaning of their own.
pub(crate) const NEUTRAL: &str = "left right top bottom list box wrapper wrap container inner outer block item items area \
    section page view col column row title headline heading head panel group link links single \
    full site the form count field id clear fix is has js no sub new pane unit mod module \
    element small";

/// Words of class names, ids and roles, by meaning.
pub(crate) const NAMES: [(&str, &str); 21] = [
    (
        "forum",
        "thread topic forum forums board vbulletin phpbb postbody postbit discourse xenforo \
         bbcode bbs discussion subforum",
    ),
    ("post", "post posts message messages msg"),
    (
        "answer",
        "answer answers question questions accepted vote votes upvote downvote votecell solution",
    ),
    ("user", "user username avatar member profile karma reputation joined rank poster"),
    ("quote", "quote quoted signature sig blockquote"),
    ("price", "price prices amount currency sale msrp discount offer"),
    (
        "cart",
        "cart basket checkout buy purchase wishlist quantity qty stock sku shipping delivery \
         addtocart",
    ),
    (
        "product",
        "product products variant variants swatch variation specs specification specifications",
    ),
    ("rating", "rating ratings review reviews stars star"),
    (
        "code",
        "code highlight codehilite hljs prism snippet syntax clipboard codeblock console terminal \
         gist sourcecode",
    ),
    (
        "docs",
        "docs doc documentation api sphinx docusaurus gitbook mkdocs toctree toc param params \
         parameter method reference admonition markdown readme wiki glossary manual",
    ),
    ("card", "card cards tile tiles grid masonry item items thumbnail"),
    (
        "listing",
        "listing listings results result teaser teasers excerpt loop archive feed entries summary \
         directory",
    ),
    (
        "filter",
        "filter filters facet facets sort sorting refine category categories collection \
         collections",
    ),
    ("paging", "pagination pager paginate loadmore paging pagenav"),
    ("hero", "hero cta banner jumbotron slider carousel splash headline"),
    (
        "service",
        "service services solution solutions feature features benefits testimonial testimonials \
         client clients customer customers partners team plan plans pricing",
    ),
    (
        "contact",
        "contact appointment booking book schedule location locations address phone hours enquiry \
         inquiry",
    ),
    ("faq", "faq faqs accordion tab tabs panel collapse"),
    ("byline", "byline author dateline published timestamp posted date"),
    ("article", "article story entry news blog editorial"),
];

/// Words of hosts and paths, by type.
pub(crate) const ADDRESS: [(&str, &str); 7] = [
    (
        "forum",
        "forum forums thread threads topic t viewtopic showthread discussion discussions \
         community question questions board boards r comments groups answers showtopic discuss \
         bbs qa messages",
    ),
    (
        "documentation",
        "docs doc documentation api reference manual guide guides tutorial tutorials wiki help kb \
         support developer developers learn man handbook faq latest stable hc library howto",
    ),
    ("product", "product products p item dp shop store buy sku pd prod itm ip"),
    (
        "collection",
        "collection collections category categories c catalog catalogue browse department cat \
         gallery",
    ),
    (
        "listing",
        "tag tags archive archives search topics list page author jobs directory blog news index \
         events results careers listings",
    ),
    (
        "service",
        "service services solution solutions about pricing features contact industries treatments \
         practice consulting company why plans platform about-us our-services what-we-do",
    ),
    (
        "article",
        "article articles story stories post posts press magazine opinion politics sports \
         business world",
    ),
];

/// Types of schema.org, by meaning.
pub(crate) const SCHEMA: [(&str, &str); 14] = [
    (
        "article",
        "Article NewsArticle BlogPosting ReportageNewsArticle OpinionNewsArticle \
         AnalysisNewsArticle LiveBlogPosting ScholarlyArticle Report",
    ),
    (
        "documentation",
        "TechArticle APIReference HowTo HowToStep Course SoftwareSourceCode DefinedTerm",
    ),
    ("forum", "DiscussionForumPosting QAPage Question Answer SocialMediaPosting Comment"),
    ("product", "Product Offer AggregateOffer ProductGroup IndividualProduct Vehicle Book"),
    ("rating", "AggregateRating Review Rating"),
    (
        "collection",
        "CollectionPage ItemList OfferCatalog SearchResultsPage Blog ImageGallery MediaGallery",
    ),
    ("entry", "ListItem ItemListElement"),
    ("breadcrumb", "BreadcrumbList"),
    ("organisation", "Organization Corporation NewsMediaOrganization"),
    (
        "business",
        "LocalBusiness Service ProfessionalService MedicalBusiness Dentist Attorney LegalService \
         HomeAndConstructionBusiness PostalAddress Store SoftwareApplication WebApplication",
    ),
    ("faq", "FAQPage"),
    ("page", "WebPage WebSite AboutPage ContactPage ItemPage"),
    ("person", "Person"),
    ("event", "Event JobPosting Recipe VideoObject"),
];

/// Software by what it serves, from `<meta name=generator>`.
pub(crate) const GENERATORS: [(&str, &str); 4] = [
    ("forum", "discourse vbulletin phpbb xenforo mybb flarum invision nodebb vanilla smf bbpress"),
    (
        "documentation",
        "sphinx docusaurus mkdocs gitbook mediawiki docutils doxygen vuepress vitepress \
         confluence dokuwiki mdbook antora",
    ),
    ("shop", "shopify woocommerce magento prestashop opencart bigcommerce"),
    ("site", "wordpress drupal joomla wix squarespace webflow elementor hugo"),
];
