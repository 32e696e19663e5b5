# ---
# title: Ziffern, schneller
# goal: Handschrift mit Faltungen lesen und mehrere Lernende sich die Arbeit teilen lassen.
# explorer: Zwei Ränge als zwei Bahnen mit demselben Netz und verschiedenen Bildern; dann werden ihre Gradienten gemittelt.
# ---

# %% [markdown] of="0877b9"
# # Ziffern, schneller
#
# Verschiebe das Bild einer 7 um ein Pixel. Du merkst es kaum. Aber für ein Netz, das auf Pixel 12 und Pixel 13 sieht, ist
# es ein ganz anderes Bild. **Wie kann ein Netz einen Strich sehen, wo er auch ist? Und können vier Rechner viermal so
# schnell lernen wie einer?**
#
# Das sind zwei Fragen, und darum hat die Lektion zwei Teile, von 30 und 25 Minuten. Die Seite behält, was du getan hast:
# Nimm dir den zweiten an einem anderen Tag vor, wenn du magst.
#
# Ziehe an der Zahl der Ränge, `ranks`, die 100 Zahlen aufsummieren: In einem Ring schickt niemand mehr als das Doppelte
# davon.
#
# ```figure
# ranks = 4 from 2 to 32
# share = 100 / ranks
# sent = 2 * (ranks - 1) * share
# show jeder Rang eines Rings schickt = sent
# show ein Rang, der für alle sammelt, schickt = 100 * (ranks - 1)
# ```
#
# Am Ende dieser Lektion kannst du
#
# - eine Faltung und ihren Gradienten schreiben, der auch eine Faltung ist,
# - ein Netz trainieren, das 95 von 100 Ziffern liest, die es nie gesehen hat,
# - das All-Reduce schreiben, mit dem viele Rechner ein Netz trainieren.
#
# Du brauchst die Lektionen 2, 3 und 7.

# %% [markdown] of="770711"
# ## Teil 1: die Bilder
#
# 1.797 Ziffern, von 13 Menschen geschrieben, je 8 mal 8 Pixel. Sie kommen mit minigrad. Vier Fünftel sind zum Lernen; der
# Rest ist die Prüfung.

# %% [markdown] of="7db3f8"
# ## Ein Fenster, das gleitet
#
# Nimm eine kleine Tabelle von Gewichten, 3 mal 3: den *Kern*. Lege ihn auf das Bild, in die Ecke oben links. Multipliziere
# jedes Gewicht mit dem Pixel darunter und addiere: eine Zahl. Schiebe ihn um ein Pixel nach rechts: die nächste Zahl. Und
# so weiter, Zeile um Zeile. Das ist eine **Faltung**. Heraus kommt wieder ein Bild, etwas kleiner:
#
# $$y_{ij} = \sum_{u,v} k_{uv}\, x_{i+u,\, j+v}$$
#
# ### Aufgabe: schiebe es
#
# Schreibe `convolve(picture, kernel)` für zwei Tabellen. Ein Bild von 8 × 8 und ein Kern von 3 × 3 geben 6 × 6. Du darfst
# die Stellen des *Kerns* durchgehen (es sind wenige) und ganze verschobene Bilder addieren, oder die Stellen des
# Ergebnisses.

# %% [markdown] of="3cd7c7"
# Was trifft das Gewicht `kernel[u, v]`, während das Fenster gleitet? Alles von `picture[u : u + height, v : v +
# width]`.

# %% [markdown] of="a8cce6"
# Zwei Schleifen, über `u` und `v`. Darin: `out = out + kernel[u, v] * picture[u : u + height, v : v + width]`.

# %% [markdown] of="aa0adc"
# Ein Kern mit -1 links und 1 rechts antwortet dort, wo es von links nach rechts hell wird: Er findet die linken Ränder von
# Strichen, wo sie auch sind.
#
# ### Aufgabe: der Gradient des Kerns
#
# Jedes Gewicht des Kerns wird 36-mal benutzt, einmal an jeder Stelle des Ergebnisses von 6 × 6. Nach Lektion 2 ist sein
# Gradient eine Summe aus 36 Beiträgen:
#
# $$\bar k_{uv} = \sum_{i,j} \bar y_{ij}\, x_{i+u,\, j+v}$$
#
# Vergleiche das mit der Formel oben. Schreibe dann `kernel_gradient(picture, grad)`. Es passt in eine Zeile.

# %% [markdown] of="5e035f"
# Es ist dieselbe Summe, mit anderen Namen. Was gleitet jetzt über das Bild?

# %% [markdown] of="27807b"
# Die Formen: Das Bild ist 8 × 8, `grad` ist 6 × 6, und der Gradient des Kerns muss 3 × 3 sein. Welche deiner Funktionen
# macht aus diesen beiden 3 × 3?

# %% [markdown] of="d2318f"
# ## Ein Netz, das sieht
#
# Eine Schicht eines Netzes hat viele Kerne: `nn.Conv2d(1, 16, 3, padding=1)` macht aus 1 Bild 16, mit 16 Kernen von 3 × 3;
# `padding=1` legt einen Rand aus Nullen darum, sodass 8 × 8 auch 8 × 8 bleibt. `nn.MaxPool2d(2)` behält das Größte von je
# 2 × 2 Pixeln, also wird aus 8 × 8 dann 4 × 4: Es zählt, *dass* ein Strich da ist, nicht genau wo.

# %% [markdown] of="13066c"
# `nn.Conv2d(1, 16, 3, padding=1)` hat 16 Kerne von 3 × 3 und 16 Bias. Wie viele Zahlen sind das? (Eine volle Schicht von
# 64 Pixeln zu 16 Bildern mit 64 Pixeln hätte 66.560.)
#
# ---
# $16 \cdot 9 + 16 =$ **160**. Das Fenster spart: dieselben wenigen Gewichte, überall.

# %% [markdown] of="ebc990"
# ### Aufgabe: 95 von 100
#
# Setze `reader()` zusammen: Es gibt ein `nn.Sequential` zurück, aus
#
# 1. einer Faltung von 1 zu 16 Bildern, und einem ReLU,
# 2. `nn.MaxPool2d(2)`,
# 3. einer Faltung von 16 zu 32 Bildern, und einem ReLU,
# 4. `nn.Flatten()`, das eine Zeile aus Zahlen macht, und `nn.Linear(..., 10)`: eine Wertung für jede Ziffer.
#
# Beide Faltungen haben Kerne von 3 und einen Rand von 1. Wie viele Zahlen stehen in der Zeile? Die Prüfung trainiert dein
# Netz einige Sekunden lang und prüft es dann.

# %% [markdown] of="36db17"
# Nach dem Pooling hat jedes Bild 4 × 4 Pixel, und die zweite Faltung lässt es dabei.

# %% [markdown] of="d16747"
# 32 Bilder mit 4 × 4 Pixeln sind 512 Zahlen. Also ist die letzte Schicht `nn.Linear(512, 10)`.

# %% [markdown] of="aeb3db"
# Dein Netz liest Handschrift. Das ist der erste Teil; hier darfst du aufhören. (Eine GPU ließe ein so kleines Netz nicht
# schneller lernen, denn jede Operation muss erst dorthin geschickt werden. Bei großen gewinnt sie, und `.to("cuda")` ist
# alles, was sich in einem Programm ändert.)
#
# ## Teil 2: viele Rechner
#
# Ein großes Netz lernt wochenlang. Darum teilen sich Rechner die Arbeit. Jeder, ein **Rang** (rank), hat *dasselbe* Netz. Jeder nimmt einen
# *anderen* Teil des Stapels und berechnet daraus Gradienten. Dann *mitteln* sie ihre Gradienten, und alle machen denselben
# Schritt. So bleiben ihre Netze für immer gleich.
#
# Darf man das? Der Verlust ist ein Mittel über den Stapel. Ein Gradient eines Mittels ist das Mittel der Gradienten, wenn
# die Teile gleich groß sind. Also ist es genau ein Schritt mit dem ganzen Stapel (Lektion 6 sagte dasselbe von
# Teilstapeln, einem nach dem anderen).
#
# ## Der Ring
#
# Mitteln klingt harmlos. Aber ein großes Netz hat eine Milliarde Gradienten. Schicken alle Ränge die ihren an einen Ort,
# so ist dieser Ort ein Engpass: Er bekommt alles, und die anderen warten.
#
# Hier ist der kluge Weg. Die Ränge stehen in einem *Ring*. Jeder spricht nur mit seinem rechten Nachbarn, alle zur selben
# Zeit. Die Gradienten werden in so viele Stücke geschnitten, wie es Ränge gibt.
#
# - *Zuerst sammeln.* Im Schritt $s = 0, 1, \ldots, n-2$ schickt Rang $r$ sein Stück $r - s$ nach rechts und *addiert*, was
#   er bekommt, Stück $r - 1 - s$, zu seinem eigenen. Nach $n - 1$ Schritten hat Rang $r$ das Stück $r + 1$ vollständig.
# - *Dann verteilen.* Im Schritt $s$ schickt Rang $r$ sein Stück $r + 1 - s$ nach rechts und *ersetzt* sein eigenes Stück
#   $r - s$ durch das, was er bekommt. Nach $n - 1$ Schritten haben alle alles.
#
# Alle diese Zahlen sind modulo $n$ gemeint: Nach dem letzten Rang kommt Rang 0.
#
# Das heißt **All-Reduce**. Hier leben die Ränge in einem Programm, und `exchange` ist die Leitung zwischen ihnen:

# %% [markdown] of="967677"
# ### Aufgabe: All-Reduce
#
# Schreibe `all_reduce(ranks)`. `ranks[r][c]` ist Stück `c` von Rang `r`, ein Tensor. Gib dieselbe Struktur zurück, in der
# jeder Rang in jedem Stück die *Summe* hat. Die erste Hälfte ist gegeben.

# %% [markdown] of="c0ad25"
# Die zweite Hälfte sieht aus wie die erste: eine Schleife, ein Austausch, eine Schleife über die Ränge. Anders ist nur,
# welches Stück geschickt wird und was mit dem geschieht, was ankommt.

# %% [markdown] of="2a05a5"
# Rang `r` schickt `ranks[r][(r + 1 - s) % n]` und setzt dann `ranks[r][(r - s) % n] = received[r]`.

# %% [markdown] of="7985ee"
# Sieh dir die letzte Prüfung an: 4 Ränge, 400 Gradienten, und jeder Rang hat 600 Zahlen geschickt. Bei $n$ Rängen und $G$
# Gradienten sind es $2 G \frac{n - 1}{n}$. Das ist immer weniger als $2G$, *wie viele Ränge es auch sind*.
#
# ## Zusammen
#
# Vier Ränge, ein Stapel aus 64 Bildern: Jeder nimmt 16. `together` schneidet die Gradienten in Stücke, führt sie zusammen
# und legt das Mittel zurück.

# %% [markdown] of="045de2"
# Derselbe Gradient auf allen vieren, und derselbe wie der des ganzen Stapels. (Nicht bis zur letzten Stelle: Die Summen
# wurden in anderer Reihenfolge gebildet.)
#
# In einem Programm spart das natürlich nichts. Auf wirklichen Rechnern sind die Ränge eigene Programme, und die Leitung ist
# MPI: `minigrad.distributed` hat `isend`, `recv` und `all_reduce`, mit den Namen von PyTorch. Derselbe Ring, damit
# geschrieben, ist `minigrad.examples.mpi.ring`. Wo MPI installiert ist, laufen ihn jetzt zwei Ränge; wo nicht, werden ihre
# Nachrichten über ein Netz mit 10 Gbit/s nachgespielt:

# %% [markdown] of="915aee"
# ## Sieh zwei Rängen zu
#
# Ein kleineres Netz, zwei Ränge, je zwei Bilder.

# %% [markdown] of="e54b5b"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 13` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist dieser:
#
# 1. Zwei Bahnen stehen nebeneinander, **rank0** und **rank1**: dieselben Operationen, dieselben Gewichte, andere Bilder.
#    Keine Kante führt von einer Bahn zur anderen.
# 2. Klicke in einer davon auf **Convolve**. Sein Wert ist als Quadrate zu sehen: zwei Bilder, jedes durch zwei Kerne
#    gesehen. Welche Striche mag der erste Kern?
# 3. Vergleiche die Gradienten der beiden: Klicke in der einen Bahn auf **weight**, dann in der anderen. Sie sind
#    verschieden, weil die Bilder verschieden sind.
# 4. Drücke **end**. Nach den letzten grünen Marken auf der Zeitleiste kommen die Operationen deines Rings, die keinen
#    Gradienten brauchen. Die dunkle Marke zwischen ihnen ist **Ränge tauschten Daten aus**: Das ist das All-Reduce. Von da an
#    haben beide Ränge denselben Gradienten.
#
# ## Zusammenfassung
#
# - Eine Faltung schiebt eine kleine Tabelle von Gewichten über das ganze Bild. Ein Strich wird gesehen, wo er auch ist.
# - Ihr Gradient ist eine Faltung des Bildes mit dem Gradienten. Viele Verwendungen, eine Summe.
# - Datenparallel: überall dasselbe Netz, verschiedene Bilder, gemittelte Gradienten. Es ist gleich einem großen Stapel.
# - Das All-Reduce im Ring schickt von jedem Rang weniger als $2G$ Zahlen, wie viele es auch sind.
#
# ## Zwei offene Fragen
#
# 1. Während Rang 0 noch durch seine erste Schicht zurückgeht, ist der Gradient seiner *letzten* Schicht längst
#    vollständig. Was könnte er damit schon tun? (Lektion 9 hatte einen Weg zu hören, wann ein Gradient da ist.)
# 2. Doppelt so viele Ränge, ein doppelt so großer Stapel, halb so viele Schritte für jedes Bild. Erwartest du, dass das
#    Netz ebenso viel lernt? Was würdest du an der Lernrate ändern?

# %% [markdown] tags=["wrong"] id="convolve" of="53b7cd"
# Du drehst den Kern um. Hier trifft `kernel[u, v]` das Bild, um `u` und `v` verschoben.

# %% [markdown] tags=["wrong"] id="convolve" of="7c1069"
# `out = ...` vergisst, was dort stand. Addiere: `out = out + ...`.

# %% [markdown] tags=["wrong"] id="convolve" of="879b92"
# Das Bild ist nicht verschoben: Es beginnt bei `u` und `v`.

# %% [markdown] tags=["wrong"] id="convolve" of="a2f69f"
# `u` und `v` sind im Kern vertauscht.

# %% [markdown] tags=["wrong"] id="convolve" of="d53541"
# Multipliziere das Fenster mit dem Gewicht, statt das Gewicht zu addieren.

# %% [markdown] tags=["wrong"] id="convolve" of="28ed87"
# Das `return` steht in der Schleife, also zählt nur ein Gewicht.

# %% [markdown] tags=["wrong"] id="kernel" of="1ab84a"
# `picture` und `grad` sind vertauscht: Über das Bild gleitet `grad`.

# %% [markdown] tags=["wrong"] id="kernel" of="7c76e9"
# Das ist die Summe aller Gradienten, dieselbe für jedes Gewicht. Jedes Gewicht traf andere Pixel.

# %% [markdown] tags=["wrong"] id="kernel" of="3ab116"
# Das Vorzeichen ist falsch herum.

# %% [markdown] tags=["wrong"] id="kernel" of="bd3ca8"
# `grad` ist umgedreht. In der Formel stehen dieselben Stellen wie in forward.

# %% [markdown] tags=["wrong"] id="kernel" of="27fad9"
# Du nimmst den Mittelwert über die Stellen. Wo ein Gewicht mehr als einmal benutzt wird, addieren sich seine
# Gradienten.

# %% [markdown] tags=["wrong"] id="reader" of="7a8ba9"
# Nach dem Pooling hat jedes Bild 4 × 4 Pixel. Die letzte Schicht bekommt 32 · 4 · 4 Zahlen.

# %% [markdown] tags=["wrong"] id="reader" of="01259d"
# `nn.Flatten()` fehlt: Die letzte Schicht will eine Zeile aus Zahlen für jedes Bild.

# %% [markdown] tags=["wrong"] id="reader" of="945026"
# Zwischen den Faltungen fehlt ein Knick: Zwei davon hintereinander sind eine.

# %% [markdown] tags=["wrong"] id="reader" of="d398d4"
# Ohne Rand schrumpfen die Bilder. Gib beiden Faltungen `padding=1`.

# %% [markdown] tags=["wrong"] id="reader" of="e0bb9f"
# Die Wertungen gehen am Ende durch ein ReLU, also kann keine negativ sein. Hinter der letzten Schicht steht nichts.

# %% [markdown] tags=["wrong"] id="reader" of="19bf2c"
# `nn.MaxPool2d(2)` fehlt.

# %% [markdown] tags=["wrong"] id="all-reduce" of="24b505"
# Was ankommt, ist schon vollständig. Ersetze das Stück; addiere nicht dazu.

# %% [markdown] tags=["wrong"] id="all-reduce" of="05b981"
# Nur die erste Hälfte ist getan: Jeder Rang hat ein vollständiges Stück. Verteile sie.

# %% [markdown] tags=["wrong"] id="all-reduce" of="2c0d8c"
# Rang `r` schickt Stück `r - s`, wie beim Sammeln. Danach hat er aber Stück `r + 1` vollständig, also schickt er `r + 1
# - s`.

# %% [markdown] tags=["wrong"] id="all-reduce" of="ffd283"
# Die Summen stimmen, aber sie kamen nicht über die Leitung: Du hast sie von den anderen Rängen genommen. Nimm, was
# `exchange` zurückgibt.

# %% [markdown] tags=["wrong"] id="all-reduce" of="8c037c"
# Das ist ein Schritt zu viel: Nach `n - 1` Schritten haben alle alles.

# %% [markdown] tags=["wrong"] id="all-reduce" of="efe0e0"
# Was ankommt, wird an der falschen Stelle abgelegt: Es ist Stück `r - s` von Rang `r`.

# %% [markdown] tags=["wrong"] id="convolve" of="5f2814"
# Die Schleifen gehen die Stellen des Ergebnisses durch. Sie müssen die des Kerns durchgehen.

# %% [markdown] tags=["wrong"] id="convolve" of="6f3b92"
# Du nimmst den Mittelwert der Produkte. Gefragt ist ihre Summe.

# %% [markdown] tags=["wrong"] id="kernel" of="aeffde"
# Das ist das Produkt an einer einzigen Stelle. Summiere über alle Stellen, an denen das Gewicht benutzt wird.

# %% [markdown] tags=["wrong"] id="kernel" of="93c9dd"
# `grad` gleitet über das Bild, nicht umgekehrt.

# %% [markdown] tags=["wrong"] id="kernel" of="f6987b"
# Zeilen und Spalten sind vertauscht.

# %% [markdown] tags=["wrong"] id="reader" of="e59b88"
# Nach jeder Faltung steht ein ReLU.

# %% [markdown] tags=["wrong"] id="reader" of="fe05ff"
# Die letzte Schicht gibt Wertungen. Die Kreuzentropie nimmt sie, wie sie sind: kein Softmax.

# %% [markdown] tags=["wrong"] id="reader" of="05a4f4"
# Das ist eine Liste von Schichten. `nn.Sequential(...)` macht ein Netz daraus.

# %% [markdown] tags=["wrong"] id="all-reduce" of="eb61ee"
# Die Summen stimmen, aber nichts ging über die Leitung: Benutze `exchange`.

# %% [markdown] tags=["check"] id="reader" of="26438d"
# die Form von `reader()(x)` für {pictures} Bilder

# %% [markdown] tags=["check"] id="reader" of="35046f"
# die Module von `reader()`

# %% [markdown] tags=["check"] id="reader" of="3bb94e"
# die Formen der Parameter von `reader()`

# %% [markdown] tags=["check"] id="reader" of="8de70e"
# die Ziffern, die `reader()` in der Prüfung liest, nach 8 Runden Lernen

# %% [markdown] tags=["check"] id="all-reduce" of="bcce92"
# `all_reduce(ranks)` für {ranks}

# %% [markdown] tags=["check"] id="all-reduce" of="dd3eab"
# `all_reduce(ranks)` für {ranks}, wenn `exchange` zu jeder Zahl, die es trägt, {noise} addiert

# %% [markdown] tags=["check"] id="all-reduce" of="1429f2"
# wie viele Zahlen der erste von {n} Rängen schickt, bei Stücken der Größe {size}
