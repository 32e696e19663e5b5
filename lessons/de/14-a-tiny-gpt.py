# ---
# title: Ein winziges GPT
# goal: Einen Transformer bauen, beweisen, dass er die Zukunft nicht sehen kann, und ihn schreiben lassen.
# explorer: Die Aufmerksamkeit von vier Köpfen: Jede Zeile ist ein Buchstabe, jede Spalte einer, den er ansieht.
# ---

# %% [markdown] of="925aab"
# # Ein winziges GPT
#
# Die großen Sprachmodelle, die deine Fragen beantworten, wurden für eine einzige Sache trainiert: zu sagen, welches Stück
# Text als nächstes kommt. **Wie kann ein Programm schreiben lernen, wenn es immer nur den nächsten Buchstaben rät?**
#
# Drei Stellen werden angesehen, mit den Punktzahlen 1, 0 und `score`. Softmax verteilt die Aufmerksamkeit. Ziehe an
# `score`.
#
# ```figure
# score = 1 from -6 to 6
# e = exp(score)
# total = e + exp(1) + 1
# share = e / total
# show Anteil der ersten = exp(1) / total
# show Anteil der zweiten = 1 / total
# show Anteil der dritten = share
# ```
#
# Du wirst eines bauen, klein genug für eine Minute auf deinem Computer. Seine Teile sind die der großen: Es sind nur
# weniger. Es wird Pythons eigenes Handbuch lesen und dann noch etwas davon dazuschreiben.
#
# Am Ende dieser Lektion kannst du
#
# - aus jedem Text Fragen mit bekannten Antworten machen,
# - Aufmerksamkeit schreiben, die Operation, mit der Buchstaben einander ansehen,
# - mit einem Gradienten beweisen, dass kein Buchstabe einen späteren ansieht,
# - sagen, wie gut ein Sprachmodell ist, in einer Zahl, die sich vergleichen lässt.
#
# Du brauchst Lektion 3, das Matrixprodukt, und Lektion 6, die Schleife, die lernt. Ein Netz ist hier eine Klasse, ein
# `nn.Module`: `__init__` macht seine Teile, `forward` setzt sie zusammen, und `parameters()` listet auf, was es lernt.
# (Lektion 7 nimmt sich dafür Zeit.)

# %% [markdown] of="8790ca"
# ## Text ist Zahlen
#
# Python bringt sein Handbuch mit, also muss nichts heruntergeladen werden. Wir schreiben es in kleinen Buchstaben und werfen
# weg, was weder Buchstabe noch Punkt noch Komma ist. Jede Art von Zeichen bekommt eine Nummer.

# %% [markdown] of="cddd66"
# Die letzten 10.000 Buchstaben legen wir weg. Das Netz wird sie nie sehen, während es lernt; so kann niemand sagen, es habe
# nur das Buch auswendig gelernt.

# %% [markdown] of="705e3a"
# ### Aufgabe: Fragen und Antworten
#
# Ein Text ist voller Fragen mit bekannten Antworten. Was folgt in `hello` auf `h`? `e`. Was folgt auf `he`? `l`. Ein Stück
# von 5 Buchstaben macht 4 solche Fragen auf einmal: Gegeben ist `hell`, gesucht ist `ello`.
#
# Schreibe `questions(numbers, starts, length)`. Für jeden Anfang nimmt es von dort an `length + 1` Zahlen. Es gibt zwei
# Tensoren der Form (Zahl der Anfänge, `length`) zurück: was gegeben ist und was gesucht ist.

# %% [markdown] of="d9d1b1"
# `pieces` hat in jeder Zeile eine Zahl mehr, als von dir verlangt wird. Gegeben ist eine Zeile ohne ihre letzte Zahl.

# %% [markdown] of="165bbe"
# Gegeben ist `pieces[:, :-1]`. Gesucht ist jede Zeile ohne ihre *erste* Zahl: Dann steht an derselben Stelle die Zahl, die
# folgt.

# %% [markdown] of="0871b9"
# ## Wie gut ist ein Tipp?
#
# Das Netz antwortet mit einer Punktzahl für jeden Buchstaben, und Softmax macht Chancen daraus. Gab es dem Buchstaben, der
# wirklich kam, die Chance $p$, so ist sein Verlust $-\log p$. Das ist die *Kreuzentropie*. Sie ist 0 für einen Propheten, und
# groß für einen, der sicher war und falsch lag.

# %% [markdown] of="3d596b"
# Es gibt 29 Zeichen. Wie groß ist der Verlust von jemandem, der nichts weiß und jedem dieselbe Chance gibt? (Du darfst einen
# Rechner nehmen: `math.log` ist der natürliche Logarithmus.)
#
# ---
# $-\log \frac{1}{29} = \log 29 =$ **3,37**. Was dein Netz auch tut, es muss darunter liegen.

# %% [markdown] of="80c3b3"
# Zwei Rivalen wissen mehr als nichts. Der eine weiß, wie häufig jeder Buchstabe ist. Der andere weiß, wie häufig jeder
# Buchstabe *nach jedem Buchstaben* ist: Nach q sagt er u. Für beide genügt Zählen.

# %% [markdown] of="7a85f3"
# Um besser zu sein, muss man weiter zurückblicken als einen Buchstaben. Aber wie weit, und wohin? Nach `functio` kommt es auf
# die letzten sieben Buchstaben an; in einem langen Satz vielleicht auf sein Subjekt. Die Antwort des Transformers ist: Lass
# jeden Buchstaben selbst *entscheiden*, wohin er blickt.
#
# ## Aufmerksamkeit
#
# Jeder Buchstabe hat drei Vektoren, alle aus ihm gemacht durch eine Matrix, die gelernt wird:
#
# | Vektor | sagt |
# | --- | --- |
# | Frage (query) $q$ | was ich suche |
# | Schlüssel (key) $k$ | was ich bin |
# | Wert (value) $v$ | was ich denen sage, die mich ansehen |
#
# Wie gut passt die Frage von Buchstabe $t$ zum Schlüssel von Buchstabe $s$? Multipliziere die beiden Vektoren und summiere.
# Diese Zahl ist die *Punktzahl*. Alle Punktzahlen eines Textes der Länge $T$ sind ein Matrixprodukt, $Q K^\top$, der Form
# $T \times T$. Softmax sorgt dafür, dass jede Zeile die Summe 1 hat, und mit diesen Gewichten werden die Werte gemischt:
#
# $$\text{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right) V$$
#
# Die Wurzel aus $d$, der Länge der Vektoren, verhindert, dass die Punktzahlen mit $d$ wachsen. Große Punktzahlen machten
# Softmax so scharf, dass fast kein Gradient mehr hindurchkommt.
#
# ### Aufgabe: niemand sieht die Zukunft
#
# Während es lernt, sieht das Netz ganze Stücke Text auf einmal und antwortet an jeder Stelle. Der Buchstabe an der Stelle
# $t$ darf die Stellen nach ihm nicht ansehen: Dort steht die Antwort. Also werden diese Punktzahlen auf $-\infty$ gesetzt.
# Softmax macht 0 daraus, denn $e^{-\infty} = 0$.
#
# Schreibe `causal(scores)`, für Punktzahlen der Form (..., $T$, $T$). Zeile $t$ ist der Buchstabe, der blickt, Spalte $s$
# der, den er ansieht. Nützlich sind `mg.ones(T, T, dtype=mg.bool)`, seine Methode `.triu(1)`, die behält, was *über* der
# Diagonale ist, und `scores.masked_fill(mask, -math.inf)`.

# %% [markdown] of="c040a5"
# Die Zukunft von Zeile 0 ist alles außer Spalte 0. Die Zukunft der letzten Zeile ist leer. Also ist die Maske über der
# Diagonale wahr und nicht auf ihr: Ein Buchstabe darf sich selbst ansehen.

# %% [markdown] of="44953b"
# `mg.ones(length, length, dtype=mg.bool).triu(1)` ist die Maske. `masked_fill` dehnt sie von selbst über alle Köpfe und
# Texte.

# %% [markdown] of="2f0268"
# ### Aufgabe: Aufmerksamkeit
#
# Schreibe `attention(q, k, v)`. Alle drei haben die Form (..., $T$, $d$), und das Ergebnis auch. Benutze dein `causal` vor
# dem Softmax.

# %% [markdown] of="823b23"
# `q @ k.mT` sind die Punktzahlen, der Form (..., $T$, $T$). `.mT` vertauscht die letzten beiden Dimensionen.

# %% [markdown] of="0d83c5"
# Teile durch `math.sqrt(size)`, dann `causal`, dann `mg.softmax(..., dim=-1)`: Jede *Zeile* hat die Summe 1. Der letzte
# Schritt ist ein Matrixprodukt mit `v`.

# %% [markdown] of="712a90"
# ## Das Netz
#
# Der Rest ist aus dem zusammengesetzt, was du kennst. Ein *Block* tut zweierlei: Buchstaben sehen einander an, und dann denkt
# jeder für sich, in einem kleinen Netz aus zwei Schichten. Beide *addieren* zu dem, was da war, damit Gradienten einen geraden
# Weg zurück finden (Lektion 2: Eine Summe gibt ihren Gradienten unverändert weiter).
#
# Aufmerksamkeit geschieht viermal nebeneinander, durch vier *Köpfe*, die nach Verschiedenem suchen können. Zum Vektor jedes
# Buchstabens wird ein Vektor für seine Stelle addiert, sonst könnte das Netz `on` nicht von `no` unterscheiden.

# %% [markdown] of="813d9f"
# ### Aufgabe: beweise es
#
# Könnte ein Buchstabe einen späteren sehen, so würde das Netz mogeln, sein Verlust fiele wunderbar, und schreiben könnte es
# überhaupt nicht. Dieser Fehler ist viele Male gemacht worden. Wie kannst du *sicher* sein?
#
# Mit einem Gradienten! Der Gradient der Ausgabe $t$ sagt, mit welchen Eingaben sich diese Ausgabe bewegt. Mit den Eingaben
# nach $t$ darf sie sich gar nicht bewegen: Dort ist der Gradient genau 0. Die Ausgabe $t$ ist ein Vektor, und ein Gradient
# beginnt bei einer Zahl. Eine einfache Summe genügt nicht: Steigt eine Zahl, während eine andere fällt, so steht ihre Summe
# still und verbirgt es. Multipliziere also zuerst mit Zufallszahlen, und summiere dann.
#
# Schreibe `looks_ahead(function, x)`. `function` macht aus `x`, der Form ($T$, Breite), einen Vektor für jede Stelle. Gib
# True zurück, wenn sich irgendeine Ausgabe mit einer späteren Eingabe bewegt, False, wenn keine es tut.

# %% [markdown] of="167858"
# Für jede Stelle: Mache aus der Ausgabe dort eine Zahl, `(out[place] * mg.randn(out[place].shape)).sum()`, und frage
# `mg.autograd.grad` nach ihrem Gradienten nach `x`. Du gehst viele Male durch denselben Graphen: `retain_graph=True`.

# %% [markdown] of="82fd23"
# Der Gradient hat die Form von `x`. Die Zukunft von `place` sind seine Zeilen `grad[place + 1 :]`. Frage, ob `.any()` davon
# nicht 0 ist.

# %% [markdown] of="d95086"
# Kein Test mit ein paar Beispielen: für diese Eingabe ein Beweis (bis auf eine verschwindende Chance), dass der Weg aus der
# Zukunft versperrt ist.
#
# ## Lernen
#
# 500-mal: Nimm 16 zufällige Stücke des Textes, antworte überall, gehe zurück, mache einen Schritt. Die Lernrate steigt in den
# ersten 50 Schritten und fällt dann langsam; so machen es alle, die einen Transformer trainieren.

# %% [markdown] of="46e015"
# ### Aufgabe: die Prüfung
#
# Der Verlust auf Text, aus dem es gelernt hat, beweist wenig. Schreibe `surprise(net, numbers)`: den mittleren Verlust von
# `net` auf einem Text, der am Anfang von `numbers` beginnt. Zerschneide ihn mit deinem `questions` in Stücke von `LENGTH`, eines
# nach dem anderen. Gradienten brauchst du dafür nicht, sage also `with mg.no_grad():`.

# %% [markdown] of="e87db0"
# Der Verlust wird berechnet wie in `learn`. Es gibt hier keinen Optimierer und kein backward.

# %% [markdown] of="876963"
# `net(given)` hat die Form (Stücke, `LENGTH`, 29). Kreuzentropie will alle Fragen in einer Liste:
# `F.cross_entropy(net(given).flatten(0, 1), wanted.flatten())`.

# %% [markdown] of="1bbc4d"
# Ein Verlust von etwa 1,8 bedeutet, dass der richtige Buchstabe eine Chance von $e^{-1{,}8}$ bekam, etwa eins zu sechs: als
# müsste das Netz unter sechs Buchstaben raten und nicht unter 29.
#
# ## Schreiben
#
# Gib ihm einen Anfang, ziehe den nächsten Buchstaben mit den Chancen, die es nennt, hänge ihn an, und frage wieder. Mehr tut
# kein Chatbot.

# %% [markdown] of="53929a"
# Niemand hat ihm je gesagt, was ein Wort ist, noch, dass es so etwas gibt. (Die Punktzahlen wurden durch 0,5 geteilt, die
# *Temperatur*: Unter 1 geht es weniger Risiko ein. Probiere 0.2 und 1.5.)
#
# ## Sieh zu, wie es blickt
#
# Dasselbe Netz, noch einmal, auf einem kurzen Text, vorwärts und rückwärts.

# %% [markdown] of="83fc78"
# Sieh dir seinen Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht
# neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 14` in ein Terminal: Der Browser öffnet sich
# beim neuesten Schritt, und das ist dieser:
#
# 1. Suche nach `softmax`, oder klappe das Modul **1 Attention** im ersten Block auf (wähle es, drücke **e**). Klicke auf das
#    **Softmax** darin. Sein Wert ist als vier Quadrate von 16 × 16 gezeigt: eines für jeden Kopf. Jede Zeile ist ein
#    Buchstabe, jede Spalte einer, den er ansieht. Über der Diagonale ist alles 0: Das ist dein `causal`.
# 2. Vergleiche die Köpfe. Oft sieht einer auf den Buchstaben unmittelbar davor, ein Streifen unter der Diagonale, während ein
#    anderer seinen Blick weit streut. Niemand hat es ihnen gesagt. Welche Buchstaben sieht die letzte Zeile an?
# 3. Die Kästen der Aufmerksamkeit sind rot und sagen **inf**. Rot heißt: Hier ist ein NaN oder ein Unendlich. Meistens ist das
#    ein Fehler. Hier ist es die Zukunft, und du hast es dorthin gesetzt.
# 4. Klappe **blocks** zu, um das ganze Netz zu sehen: Buchstaben und Stellen kommen hinein, Punktzahlen gehen hinaus. Öffne es
#    wieder, und folge einer der Kanten, die *an* einem Block *vorbei* führen. Das ist der gerade Weg zurück für den Gradienten.
# 5. Auf der eigenen Seite des Explorers (**Im Explorer öffnen**) ist die Linie unter **Verlust** links dein
#    ganzes Training.
#
# ## Zusammenfassung
#
# - Ein Sprachmodell sagt, welches Stück als nächstes kommt. Jeder Text ist voller Fragen mit bekannten Antworten.
# - Aufmerksamkeit: Jeder Buchstabe fragt, jeder Buchstabe sagt, was er ist, und Softmax des Passens sagt, wie viel von wem zu
#   nehmen ist.
# - Die kausale Maske versperrt den Weg aus der Zukunft. Ein Gradient, der genau 0 ist, beweist es.
# - Der Verlust ist $-\log$ der Chance, die die richtige Antwort bekam. Vergleiche ihn mit dem, was einfaches Zählen erreicht,
#   und miss ihn an Text, der nie gelernt wurde.
#
# ## Zwei offene Fragen
#
# 1. Aufmerksamkeit vergleicht jeden Buchstaben mit jedem anderen. Was kostet das, wenn der Text zehnmal so lang wird? Was
#    würdest du dagegen versuchen?
# 2. Dein Netz buchstabiert. Es weiß nicht, was es sagt. Was müsste sich am Netz, am Text oder an der Frage ändern, damit es
#    das weiß? (Niemand weiß es genau. Wo würdest du anfangen?)

# %% [markdown] tags=["wrong"] id="questions" of="047560"
# Gegebenes und Gesuchtes sind gleich. Das Gesuchte ist um eins verschoben: jede Zeile ohne ihre erste Zahl.

# %% [markdown] tags=["wrong"] id="questions" of="32dbc8"
# Gegebenes und Gesuchtes sind vertauscht: Gegeben ist, was zuerst kommt.

# %% [markdown] tags=["wrong"] id="questions" of="e4df56"
# Du schneidest die Zeilen, nicht die Spalten: `pieces[:, :-1]`.

# %% [markdown] tags=["wrong"] id="questions" of="83760e"
# Gegeben sind bei dir alle Zahlen eines Stückes, also eine zu viel. Lass die letzte weg.

# %% [markdown] tags=["wrong"] id="questions" of="df3b86"
# Gesucht ist bei dir nur die letzte Zahl jedes Stückes. Jede Stelle hat eine Antwort: die Zahl, die folgt.

# %% [markdown] tags=["wrong"] id="causal" of="f8577b"
# Das verbirgt die Vergangenheit. Zeile t darf die Spalten bis t ansehen: Verbirg, was über der Diagonale ist.

# %% [markdown] tags=["wrong"] id="causal" of="9ad183"
# Ein Buchstabe darf sich selbst ansehen: Die Maske beginnt über der Diagonale, `.triu(1)`.

# %% [markdown] tags=["wrong"] id="causal" of="eae19d"
# Eine Punktzahl von 0 ist kein Verbot: Softmax macht eine Chance daraus. Nimm `-math.inf`.

# %% [markdown] tags=["wrong"] id="causal" of="e2033d"
# `math.inf` zieht alle Blicke in die Zukunft. Das Vorzeichen ist falsch herum.

# %% [markdown] tags=["wrong"] id="causal" of="21ccfa"
# Das ist die Maske. Gib die maskierten Punktzahlen zurück.

# %% [markdown] tags=["wrong"] id="causal" of="badebc"
# Nur die nächste Stelle ist verborgen. Alle späteren müssen es sein.

# %% [markdown] tags=["wrong"] id="attention" of="d733f3"
# `causal` fehlt: Buchstaben sehen die Zukunft.

# %% [markdown] tags=["wrong"] id="attention" of="04afde"
# Die Punktzahlen werden nicht durch die Wurzel aus `size` geteilt.

# %% [markdown] tags=["wrong"] id="attention" of="6b48a5"
# Du teilst durch `size`, nicht durch die Wurzel daraus.

# %% [markdown] tags=["wrong"] id="attention" of="7436bb"
# Softmax geht entlang der falschen Dimension: Jede *Zeile* hat die Summe 1, `dim=-1`.

# %% [markdown] tags=["wrong"] id="attention" of="09d247"
# `causal` kommt nach dem Softmax. Dann ist $-\infty$ keine Chance mehr: Maskiere zuerst die Punktzahlen.

# %% [markdown] tags=["wrong"] id="attention" of="b424dd"
# Das Softmax fehlt: Das sind Punktzahlen, keine Anteile mit der Summe 1.

# %% [markdown] tags=["wrong"] id="attention" of="ae9697"
# Fragen und Schlüssel sind vertauscht: Zeilen sind die Buchstaben, die blicken, `q @ k.mT`.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="83bb7d"
# Du siehst dir nur Stelle 0 an. Jede Stelle könnte vorausblicken.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="0431a6"
# Eine einfache Summe verbirgt einen Blick, wo eine Zahl steigt, während eine andere fällt. Multipliziere mit
# Zufallszahlen, bevor du summierst.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="c97270"
# Du zählst die Stelle selbst zur Zukunft. Die Zukunft von `place` beginnt bei `place + 1`.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="de535a"
# Du siehst auf die Vergangenheit: `grad[:place]`. Die Zukunft ist `grad[place + 1 :]`.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="f23914"
# Die Antwort ist falsch herum: True, wenn sich irgendeine Ausgabe mit einer späteren Eingabe bewegt.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="bf5509"
# Du siehst nur eine Stelle voraus. Alle späteren zählen.

# %% [markdown] tags=["wrong"] id="looks-ahead" of="6d64d6"
# Das `return False` steht in der Schleife, also hörst du nach der ersten Stelle auf, die nicht vorausblickt.

# %% [markdown] tags=["wrong"] id="surprise" of="aa9deb"
# Du vergleichst die Punktzahlen mit dem, was *gegeben* war. Gesucht ist, was folgt.

# %% [markdown] tags=["wrong"] id="surprise" of="171677"
# Das ist nur der Verlust des ersten Stückes.

# %% [markdown] tags=["wrong"] id="surprise" of="4d3969"
# Du nimmst nur den Verlust der letzten Stelle. Alle Stellen zählen.

# %% [markdown] tags=["wrong"] id="surprise" of="6f86c9"
# Das ist die Summe über alle Fragen. Nimm ihren Mittelwert.

# %% [markdown] tags=["wrong"] id="surprise" of="5777da"
# Das ist die Chance des richtigen Buchstabens. Der Verlust ist minus ihr Logarithmus.

# %% [markdown] tags=["check"] id="looks-ahead" of="1e0328"
# x.cumsum(0): Jede Stelle sieht die vor ihr

# %% [markdown] tags=["check"] id="looks-ahead" of="a43c1c"
# jede Stelle sieht die nach ihr

# %% [markdown] tags=["check"] id="looks-ahead" of="901a0d"
# jede Stelle sieht die nächste

# %% [markdown] tags=["check"] id="looks-ahead" of="c37944"
# nur die vorletzte blickt voraus, auf die letzte

# %% [markdown] tags=["check"] id="looks-ahead" of="629d5d"
# nur die erste blickt voraus, auf die letzte

# %% [markdown] tags=["check"] id="looks-ahead" of="881d2f"
# nur die erste blickt voraus, auf die zweite

# %% [markdown] tags=["check"] id="looks-ahead" of="805213"
# jede Stelle sieht alle anderen

# %% [markdown] tags=["check"] id="looks-ahead" of="9848bf"
# jede Stelle gibt die nächste Stelle und minus die nächste Stelle: Was ankommt, hebt sich in ihrer Summe auf

# %% [markdown] tags=["check"] id="looks-ahead" of="e59c8a"
# x + 5 * x.cumsum(0)

# %% [markdown] tags=["check"] id="surprise" of="09f5aa"
# `surprise(net, numbers)` eines Netzes ({net}), für die Zahlen {numbers}

# %% [markdown] tags=["check"] id="surprise" of="79ca44"
# `surprise(net, unseen)` des Netzes, das gelernt hat
