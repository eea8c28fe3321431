"""www.zhulin.example: a Chinese town portal in GBK, declared as gb2312 in a <meta> only.

Hard: walls of links above and below the text, ideographic-space indents, an advert block and a photo strip
in the article's own element, font-size script links, editor line, a slogan in every footer.
"""
import feeds as feed
from markup import Feed, Html, Page, esc, gold, links, load, number, others

SITE, HOST = "zhulin.example", "www.zhulin.example"
ROOT = f"http://{HOST}"
CODEC, CONTENT_TYPE = "gbk", "text/html"
CHANNELS = ["首页", "要闻", "本地", "农事", "教育", "文化", "人物", "房产", "求职", "二手", "天气", "公交", "医院", "美食", "摄影", "论坛", "公示", "招标", "视频", "专题"]


class Zhengwen(Html):
    def p(self, text):
        return f"<p>　　{self.inline(text)}</p>"

    def quote(self, text):
        return f'<div class="yinyong">{self.inline(text)}</div>'


def shell(title, main, articles):
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head>
<meta http-equiv="Content-Type" content="text/html; charset=gb2312">
<title>{esc(title)}_竹林在线</title>
</head><body>
<div id="topbar"><a href="javascript:setHome()">设为首页</a> | <a href="javascript:addFav()">加入收藏</a> | <a href="/rss.xml">订阅</a></div>
<div id="channels">{links(((f'/c{i}/', c) for i, c in enumerate(CHANNELS)), '<a href="{0}">{1}</a>', ' | ')}</div>
{main}
<div id="links"><b>友情链接：</b>{links(((f'http://site{i}.example/', c + '网') for i, c in enumerate(CHANNELS[1:12])), '<a href="{0}">{1}</a>', ' ')}</div>
<div id="copyright">竹林在线　版权所有　未经授权请勿转载　热线电话：000-12345<br>看竹林，就上竹林在线，家乡的事情在这里说给您听。</div>
</body></html>
"""


def article_page(a, everyone):
    near = others(everyone, a, 7)
    strip = '<div class="tulan"><a href="/photo/1.html"><img src="/t/s1.jpg" alt="">雨后的老街</a> <a href="/photo/2.html"><img src="/t/s2.jpg" alt="">渡口的清晨</a></div>'
    advert = '<div class="gg"><p>广告：福满楼酒家承办婚宴寿宴，二十桌以上赠送烟花，停车方便，欢迎老乡回家看看。</p></div>'
    main = f"""<div id="position">当前位置：<a href="/">竹林在线</a> &gt; <a href="/{a.section}/">{a.section}</a> &gt; 正文</div>
<div id="wrap"><div id="left">
<h1>{esc(a.title)}</h1>
<div id="info">{a.day[:4]}年{int(a.day[5:7])}月{int(a.day[8:])}日　来源：竹林在线　作者：{a.author}　<a href="javascript:doZoom(16)">大</a> <a href="javascript:doZoom(14)">中</a> <a href="javascript:doZoom(12)">小</a></div>
<div id="artibody">
{Zhengwen().body(a, {1: [advert], 2: ["<script type='text/javascript'>showAd(" + str(number(10, 99, a.slug)) + ");</script>"]})}
{strip}
<div class="editor">（责任编辑：小竹）</div>
</div>
<div id="fenxiang">分享到：<a href="javascript:s(1)">微信</a><a href="javascript:s(2)">微博</a><a href="javascript:s(3)">邮件</a></div>
<div id="xiangguan"><h3>相关新闻</h3><ul>{"".join(f'<li><a href="{o.url}">{esc(o.title)}</a><br>{esc(o.lead)}</li>' for o in near[:3])}</ul></div>
</div>
<div id="right"><h3>热点排行</h3><ul>{links((o.url, o.title) for o in near)}</ul><h3>便民信息</h3><ul>{links(((f'/b/{i}.html', t) for i, t in enumerate(['转让临街店铺一间', '寻找走失的黄狗', '急聘会修水车的师傅', '出售八成新打谷机'])))}</ul></div></div>"""
    return shell(a.title, main, everyone)


def pages():
    articles = load("zhulin")
    for a in articles:
        a.url = f"{ROOT}/{a.slug[:4]}/{a.slug[4:8]}/{a.slug.split('-')[1]}.html"
    out = [Page(a.url, article_page(a, articles), "article", "zhengwen", f"{a.title}_竹林在线", a, gold(a)) for a in articles]
    listing = lambda title, chosen: shell(title, f'<div id="wrap"><div id="left"><h1>{title}</h1><ul class="newslist">' + "".join(f'<li><a href="{a.url}">{esc(a.title)}</a><span>{a.day}</span><p>{esc(a.lead)}</p></li>' for a in chosen) + "</ul></div></div>", articles)
    out.append(Page(f"{ROOT}/", listing("竹林在线", articles[::-1]), "list", "list"))
    out.append(Page(f"{ROOT}/renwu/", listing("人物", [a for a in articles if a.section in ("人物", "文化")]), "list", "list"))
    out.append(Page(f"{ROOT}/about.html", shell("关于我们", '<div id="wrap"><h1>关于我们</h1><p>竹林在线由三位返乡青年创办，办公室在老供销社的二楼。</p></div>', articles), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url + "?from=rss", "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in articles]
    return [Feed("zhulin.xml", f"{ROOT}/rss.xml", "text/xml", feed.rss2("竹林在线", ROOT + "/", items, "zh-cn", "gb2312"), [i["link"] for i in items])]
