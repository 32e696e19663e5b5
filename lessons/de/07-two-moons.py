# ---
# title: Zwei Monde
# goal: Ein Netz aus Modulen bauen, es mit einem eigenen Adam trainieren und sehen, welche seiner Einheiten tot sind.
# explorer: Jedes Modul hat einen Rahmen, und e klappt ihn zu. Im ersten ReLU ist eine Spalte ganz null: eine tote Einheit.
# ---

# %% [markdown] of="3d65b8"
# # Zwei Monde
#
# Zwei Halbkreise aus Punkten greifen ineinander. Keine gerade Linie trennt sie, so lange sie auch lernt. **Was muss zu
# einer Linie hinzukommen, damit sie sich biegen kann? Und wie sieht man, was darin vorgeht?**
#
# Zwei Knicke machen einen Hügel. Ziehe an `x`: Wo eine Einheit 0 gibt, ist auch ihr Gradient 0, und sie lernt nichts.
#
# ```figure
# x = 0.5 from -3 to 3
# left = relu(x + 1)
# right = relu(x - 1)
# score = left - 2 * right
# show Steigung = slope
# show was left zurückschickt = left_to_x
# show was right zurückschickt = right_to_x
# ```
#
# Am Ende dieser Lektion kannst du
#
# - ein Netz aus *Modulen* bauen und sagen, wozu ein Modul gut ist,
# - Adam schreiben, den Optimierer, den fast alle benutzen, und sagen, was er anders macht,
# - ein Netz trainieren, das zwei Spiralen entwirrt, und Einheiten darin finden, die gestorben sind.
#
# Du brauchst Lektion 6: die Schleife, die trainiert.

# %% [markdown] of="525a33"
# Jeder Punkt hat zwei Koordinaten und eine Marke, 0 oder 1. Das Netz gibt jedem Punkt eine Zahl, seine *Wertung* (score).
# Ist sie über 0, so sagt das Netz 1. Zum Trainieren brauchen wir einen Verlust. Sigmoid macht aus der Wertung eine
# Wahrscheinlichkeit; der Verlust ist klein, wo die richtige Marke eine hohe bekam. minigrad hat beides in einer
# Operation, `F.binary_cross_entropy_with_logits`, denn so ist es auch für große Wertungen genau (Lektion 8).
#
# Hier ist die Trainingsschleife aus Lektion 6, und eine Karte, die im Terminal zeigt, was ein Netz überall sagt.

# %% [markdown] of="6d3853"
# Die Linie tut ihr Bestes, und die Spitzen beider Monde liegen auf der falschen Seite.
#
# ## Warum zwei Linien immer noch eine Linie sind
#
# `nn.Linear(2, 1)` berechnet $x W^\top + b$. Der erste Einfall ist, ein zweites dahinterzusetzen. Aber eine Linie einer
# Linie ist eine Linie: $(x W_1^\top + b_1) W_2^\top + b_2$ ist $x (W_2 W_1)^\top$ plus etwas, das nicht von `x` abhängt.
# Hier ist die eine Schicht, die dasselbe sagt wie zwei:

# %% [markdown] of="2da510"
# Zwischen ihnen muss etwas stehen, das *nicht* gerade ist. `relu` ist das Einfachste: Es lässt durch, was über 0 ist, und
# macht aus dem Rest 0. So ist jede der 16 Einheiten eine Linie mit einem Knick, an einer Stelle, die sie lernt. Sechzehn
# Knicke können um einen Mond herumgehen.
#
# ## Module
#
# Das Netz hat jetzt vier Tensoren: zwei Gewichte, zwei Bias. Ein größeres hat Hunderte. Jemand muss sie alle dem
# Optimierer reichen. Dafür gibt es das **Modul**: Es hält Parameter und andere Module, und es kann sie alle aufzählen. Du
# schreibst zwei Methoden. `__init__` macht die Teile, und `forward` sagt, wie sie zusammengesetzt sind. Was als
# `self.something` abgelegt wird und ein Modul ist, wird gefunden.

# %% [markdown] of="1893fa"
# Ein Netz geht von 2 Zahlen zu 16, von 16 zu 16 und von 16 zu 1. Jede der drei Schichten hat ein Gewicht für jedes Paar
# aus Eingabe und Ausgabe, und einen Bias für jede Ausgabe. Wie viele Zahlen lernt es?
#
# ---
# (2 · 16 + 16) + (16 · 16 + 16) + (16 · 1 + 1) = 48 + 272 + 17 = **337**.

# %% [markdown] of="3cc5de"
# ### Aufgabe: ein Netz
#
# Schreibe `Net(width)`. Es hat drei Schichten `nn.Linear`, genannt `first`, `middle` und `last`, von 2 zu `width`, zu
# `width` und zu 1. Hinter `first` und hinter `middle` steht ein `nn.ReLU`, genannt `bend` und `bend_again`. Hinter `last`
# steht keines: Eine Wertung darf negativ sein. `forward(x)` gibt die Wertung zurück.

# %% [markdown] of="22a0ad"
# In `__init__`: `self.first = nn.Linear(2, width)`, `self.bend = nn.ReLU()` und so weiter, fünf Zeilen.

# %% [markdown] of="16a336"
# In `forward` wird ein Modul wie eine Funktion aufgerufen: `x = self.bend(self.first(x))`. Dann dasselbe mit `middle` und
# `bend_again`. Am Ende `return self.last(x)`.

# %% [markdown] of="f66e6e"
# ## Adam
#
# Warum haben wir `Adam` genommen und nicht den Abstieg aus Lektion 6? Dessen Schritt ist die Steigung mal die Rate. Hat
# ein Parameter Steigungen von 1.000 und ein anderer von 0,001, so passt keine Rate zu beiden. **Adam** fragt jeden
# Parameter: Wie groß sind *deine* Steigungen gewöhnlich? Und es teilt dadurch. So gehen alle Parameter etwa gleich
# schnell.
#
# Es führt für jeden Parameter zwei gleitende Mittel. In jedem `m` steht das Mittel der Steigungen, in jedem `v` das Mittel
# ihrer Quadrate. Mit $g$ für den neuen Gradienten und mit $\beta_1 = 0.9$ und $\beta_2 = 0.999$:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g \qquad\qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# Beide beginnen mit 0, und so sind sie zuerst zu klein. Im Schritt $t$ (von 1 an gezählt) teilt man das weg:
#
# $$\hat m = \frac{m}{1 - \beta_1^t} \qquad\qquad \hat v = \frac{v}{1 - \beta_2^t} \qquad\qquad
# w \leftarrow w - \text{rate} \cdot \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# $\varepsilon = 10^{-8}$ verhindert nur, dass durch 0 geteilt wird.

# %% [markdown] of="4b6a90"
# Die Rate ist 0,02, und die allererste Steigung ist 1.000. Wie weit bewegt Adam den Parameter in seinem ersten Schritt?
#
# ---
# Um **0,02**. In Schritt 1 machen die Korrekturen $\hat m = g$ und $\hat v = g^2$. Also ist $\hat m / \sqrt{\hat v}$ gleich
# 1.000 / 1.000. Mit einer Steigung von 0,001 wäre der Schritt ebenso lang. Die Rate von Adam *ist* eine Strecke.

# %% [markdown] of="289bfb"
# ### Aufgabe: dein eigener Adam
#
# Schreibe die Methode `step`. `self.t` zählt die Schritte; die Listen `self.means` und `self.squares` haben einen Tensor
# für jeden Parameter. Ändere sie an Ort und Stelle, und den Parameter ebenso.

# %% [markdown] of="b1b9e2"
# Zuerst die beiden gleitenden Mittel: `mean.mul_(first).add_((1 - first) * parameter.grad)`. Die Quadrate ebenso, mit
# `second` und mit `parameter.grad.square()`.

# %% [markdown] of="d94146"
# Korrigiere `mean` und `square` nicht an Ort und Stelle: Der nächste Schritt will sie unkorrigiert. Nimm
# `mean / (1 - first**self.t)` und `square / (1 - second**self.t)` in der letzten Zeile.

# %% [markdown] of="62a678"
# $\varepsilon$ wird zur Wurzel addiert, nicht darunter: `(square / (1 - second**self.t)).sqrt() + self.epsilon`.

# %% [markdown] of="497211"
# Dieselben Zahlen wie `mg.optim.Adam`. Sieh sie dir an:

# %% [markdown] of="f89c5d"
# Steigungen, die sich um das Millionenfache unterscheiden, und alle drei Parameter gingen denselben Weg, bis zur vierten
# Stelle.
#
# ### Aufgabe: zwei Spiralen
#
# Nun etwas Schweres: zwei Arme, die sich eineinhalbmal umeinander winden. Schreibe `learn_spirals(points, labels)`. Es
# gibt ein Netz von dir zurück, das mindestens 97 % *neuer* Punkte derselben Spiralen kennt, und es darf 30 Sekunden
# dauern. Benutze `Net`, `train` und deinen `Adam`. Die Breite, die Rate und die Zahl der Schritte wählst du.

# %% [markdown] of="54709e"
# Beginne wie bei den Monden: `net = Net(16)`, 100 Schritte mit der Rate 0,02. Sieh dir die Genauigkeit und die Karte an,
# und ändere dann eines nach dem anderen.

# %% [markdown] of="3a3d88"
# Die Arme brauchen mehr Knicke als die Monde. Eine Breite zwischen 24 und 32 und einige hundert Schritte genügen. Ein viel
# breiteres Netz ist nicht besser: Seine Schritte dauern länger.

# %% [markdown] of="bbea3f"
# ## Tote Einheiten
#
# Ein relu lässt durch, was über 0 ist. Was, wenn eine Einheit für *jeden* Punkt unter 0 ist? Sie sagt immer 0. Also ist
# auch ihre Steigung an jedem Punkt 0, und kein Gradient kommt durch sie zu ihren Gewichten. Sie ändern sich nie wieder.
# Die Einheit ist **tot**, und sie bleibt es.
#
# Wie sieht man das? Nicht am Verlust. Sieh dir an, was die Einheiten sagen, für einen ganzen Stapel:

# %% [markdown] of="7a6288"
# ### Aufgabe: finde die toten
#
# `hidden` hat eine Zeile für jeden Punkt und eine Spalte für jede Einheit. Schreibe `dead_units(hidden)`. Es gibt die
# Liste der Nummern jener Spalten zurück, in denen alles 0 ist.

# %% [markdown] of="7f1bfb"
# `hidden == 0` ist eine Tabelle aus True und False. `.all(dim=0)` geht jede Spalte hinunter und sagt, ob alles True ist.

# %% [markdown] of="d5d4b5"
# `enumerate((hidden == 0).all(dim=0).tolist())` gibt dir Paare aus einer Nummer und True oder False.

# %% [markdown] of="802af2"
# Wie viele der 32 Einheiten deines Netzes sind tot? Das hängt von der Rate ab. Erinnere dich, dass Adams Rate eine Strecke
# ist: Bei der Rate 1 bewegt sich jedes Gewicht und jeder Bias in jedem der ersten Schritte um etwa 1. Manche Einheiten
# werden so weit geworfen, dass sie nie zurückkommen.

# %% [markdown] of="8da76a"
# Ein paar tote Einheiten schaden nicht. Aber ein Netz, das größtenteils tot ist, ist ein kleineres Netz, und ein
# schlechtes. Was hilft: eine kleinere Rate, oder ein relu, das unter 0 ein wenig durchlässt, sodass es immer eine
# Steigung gibt (`nn.LeakyReLU`).
#
# ## Sieh minigrad dabei zu
#
# Ein kleines Netz mit sechs Einheiten in jeder Schicht, und zwölf Punkte. Wir töten die dritte Einheit von Hand: Ihr Bias
# wird -10. (`look` beginnt in der Aufzeichnung des Explorers einen neuen Schritt, damit dieser Graph für sich steht.)

# %% [markdown] of="065b8f"
# Wie groß ist der Gradient des Bias der toten Einheit?
#
# ---
# **0**, genau. Was auch der Verlust sagt, das relu multipliziert es mit seiner Steigung dort, und die ist 0 für jeden der
# Punkte.

# %% [markdown] of="5a9932"
# Sieh dir seinen Graphen an. Klicke auf der Seite der Lektion oben auf **Hier zeigen**, und der Graph
# steht neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 7` in ein Terminal: Der Browser
# öffnet sich beim neuesten Schritt, und das ist dieser:
#
# 1. Jedes Modul hat einen Rahmen mit seinem Namen: `first`, `bend` und so weiter. Klicke auf einen und drücke **e**: Er
#    klappt zu einem Kasten zusammen und wieder auf. **⇧ e** klappt alle. In einem Netz mit hundert Schichten wirst du das
#    wollen.
# 2. Klicke auf `bend`, oder auf das **Relu** darin. In der Tabelle seines Wertes sind Zeilen Punkte und Spalten Einheiten.
#    Die dritte Spalte ist ganz null: Das ist die tote.
# 3. Klicke auf `first.bias`. In seinem **.grad** ist die dritte Zahl 0. Suche nach weiteren, die 0 sind: Wurde dein Netz
#    mit einer toten Einheit geboren?
# 4. Geh mit **[** zurück zu den Schritten des Trainings und beobachte den Wert von `bend` von Schritt zu Schritt. Von
#    einem Tensor mit mehr als 4.096 Elementen zeigt der Kasten einige, in einem gestrichelten Rahmen. Auf der eigenen
#    Seite des Explorers (**Im Explorer öffnen**) zeigt links die Kurve **Verlust**, wie jedes der Netze gelernt hat.
#
# ## Zusammenfassung
#
# - Linien hinter Linien sind eine Linie. Dazwischen braucht es einen Knick.
# - Ein Modul hält Parameter und andere Module und kann sie alle aufzählen.
# - Adam teilt jeden Schritt durch das, was für diesen Parameter üblich ist. Also ist seine Rate eine Strecke.
# - Ein relu, das für jedes Beispiel unter 0 ist, ist tot: kein Gradient, keine Änderung, für immer. Große Raten töten.
# - Sieh hinein. Der Verlust allein sagt dir nicht, was dein Netz tut.
#
# ## Zwei offene Fragen
#
# 1. Ersetze `nn.ReLU` durch `nn.Tanh`. Kann eine Einheit mit tanh sterben? Was hat sie stattdessen, weit draußen, und
#    wonach würdest du suchen?
# 2. Adam hält für jeden Parameter zwei weitere Tensoren. Wie viel Speicher kostet das, verglichen mit dem Berg aus
#    Lektion 4? Wann würde es zählen?

# %% [markdown] tags=["wrong"] id="net" of="ae8a3d"
# Hinter `middle` ist kein Knick: Auf dem Weg fehlt `bend_again`.

# %% [markdown] tags=["wrong"] id="net" of="a1b18f"
# Hinter `first` ist kein Knick: Auf dem Weg fehlt `bend`.

# %% [markdown] tags=["wrong"] id="net" of="4caef2"
# Hinter `last` steht ein Knick, also ist keine Wertung unter 0. Gib `self.last(x)` zurück.

# %% [markdown] tags=["wrong"] id="net" of="047f05"
# `middle` wird auf dem Weg ausgelassen.

# %% [markdown] tags=["wrong"] id="net" of="d56c1e"
# Die Schichten stehen in einer Liste, und dort findet sie kein Modul. Lege jede als `self.name` ab.

# %% [markdown] tags=["wrong"] id="net" of="47763d"
# `last` gibt `width` Zahlen. Eine Wertung ist eine Zahl: `nn.Linear(width, 1)`.

# %% [markdown] tags=["wrong"] id="net" of="4f68f6"
# Die Knicke müssen eigene Module sein, `self.bend = nn.ReLU()`, damit du später in sie hineinsehen kannst.

# %% [markdown] tags=["wrong"] id="adam" of="4b9551"
# Die Mittel werden nicht korrigiert, also sind die ersten Schritte zu lang oder zu kurz: Teile durch `1 -
# first**self.t` und `1 - second**self.t`.

# %% [markdown] tags=["wrong"] id="adam" of="1c4072"
# Das Epsilon steht unter der Wurzel. Addiere es zur Wurzel.

# %% [markdown] tags=["wrong"] id="adam" of="fface5"
# Du korrigierst `mean` und `square` an Ort und Stelle, und der nächste Schritt findet sie korrigiert vor. Korrigiere
# erst beim Benutzen, in der letzten Zeile.

# %% [markdown] tags=["wrong"] id="adam" of="311704"
# Die Wurzel fehlt: Teile durch die Wurzel aus dem Mittel der Quadrate.

# %% [markdown] tags=["wrong"] id="adam" of="0ca176"
# Du gehst die Steigung hinauf. Gehe gegen sie: `-=`.

# %% [markdown] tags=["wrong"] id="adam" of="c586f6"
# Das Mittel der Quadrate bekommt den Gradienten, nicht sein Quadrat.

# %% [markdown] tags=["wrong"] id="adam" of="019e77"
# Das ist der einfache Abstieg mit Impuls: Nichts wird durch das geteilt, was für den Parameter üblich ist.

# %% [markdown] tags=["wrong"] id="spirals" of="6040c0"
# Das Netz hat nicht gelernt. Rufe `train` auf, bevor du es zurückgibst.

# %% [markdown] tags=["wrong"] id="spirals" of="baa101"
# Das sind zu wenige Schritte. Nimm einige hundert.

# %% [markdown] tags=["wrong"] id="spirals" of="a703f6"
# Du gibst zurück, was `train` zurückgibt, und das ist nichts. Gib das Netz zurück.

# %% [markdown] tags=["wrong"] id="spirals" of="0610dd"
# Die Rate ist viel zu groß: Das Netz springt umher.

# %% [markdown] tags=["wrong"] id="spirals" of="6334dc"
# Ein Netz mit zwei Knicken kann nicht um die Arme herumgehen. Mache es breiter.

# %% [markdown] tags=["wrong"] id="dead" of="d1e2b7"
# Du siehst die Zeilen entlang. Eine Einheit ist eine Spalte: `.all(dim=0)`.

# %% [markdown] tags=["wrong"] id="dead" of="2d678d"
# Eine Einheit ist nur tot, wenn sie für *jeden* Punkt 0 ist. Du nennst die, die für manche 0 sind.

# %% [markdown] tags=["wrong"] id="dead" of="05e05b"
# Deine Liste nennt die lebenden.

# %% [markdown] tags=["wrong"] id="dead" of="3992d2"
# Das sagt True oder False für jede Einheit. Gib die Nummern der toten zurück.

# %% [markdown] tags=["wrong"] id="dead" of="664fc6"
# So viele sind tot. Gib eine Liste ihrer Nummern zurück.

# %% [markdown] tags=["wrong"] id="dead" of="386d4a"
# Du zählst ab 1. Python zählt ab 0.

# %% [markdown] tags=["check"] id="net" of="51b587"
# die Namen und Formen der Parameter von `Net({width})`

# %% [markdown] tags=["check"] id="net" of="885535"
# `Net(3)(x)` für x = {x}, wenn jedes Gewicht und jeder Bias {value} ist

# %% [markdown] tags=["check"] id="net" of="25cd5d"
# die Namen und Arten der Module von `Net(4)`

# %% [markdown] tags=["check"] id="net" of="7a8b82"
# `Net({width})(x)` mit gegebenen Gewichten, für x = {x}

# %% [markdown] tags=["check"] id="adam" of="05bf9e"
# w, wenn `Adam([w], {rate}, {betas}, {epsilon})` von 1 aus {count}-mal einen Schritt macht, für den Verlust (scales * w
# * w).sum() mit scales = {scales}

# %% [markdown] tags=["check"] id="spirals" of="4750fa"
# was das Netz von `learn_spirals` zu den neuen Punkten sagt, 0 oder 1, wenn es höchstens 30 Sekunden brauchte

# %% [markdown] tags=["check"] id="dead" of="ebb30e"
# `dead_units` für eine zufällige Tabelle mit {units} Spalten, von denen nur {alive} leben
