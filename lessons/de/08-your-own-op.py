# ---
# title: Deine eigene Operation
# goal: Eine Operation mit eigenem backward schreiben, die stabil ist und bis zur zweiten Ordnung stimmt.
# explorer: LogSumExp ist ein Knoten, mit deinen Formeln auf seiner Karte. Was darin lief, ist im Kasten „kein Gradient“.
# ---

# %% [markdown] of="1f445c"
# # Deine eigene Operation
#
# Zwei Zahlen, 1000 und 1000. Addiere ihre Exponentiale und nimm den Logarithmus. Auf dem Papier ist das
# $\log(2 e^{1000}) = 1000 + \log 2$, etwa 1000,69. Der Computer sagt: unendlich. Und sein Gradient ist überhaupt keine
# Zahl. **Wie bringe ich minigrad eine Operation bei, die es nicht hat, oder eine, die ich besser kenne als es selbst?**
#
# Hier sind $\log(e^a + e^3)$ und seine Steigung. Ziehe `a` weit nach rechts: Einer der beiden Wege endet im Unendlichen.
#
# ```figure
# a = 2 from -5 to 1000
# largest = relu(a - 3) + 3
# rest = exp(a - largest) + exp(3 - largest)
# y = largest + log(rest)
# show wie es dasteht = log(exp(a) + exp(3))
# show mit der größten Zahl herausgezogen = y
# ```
#
# Am Ende dieser Lektion kannst du
#
# - eine Operation mit eigenem forward und backward schreiben,
# - Exponentiale am Überlaufen hindern, vorwärts und rückwärts,
# - sagen, warum eine Operation richtige Steigungen und falsche Steigungen der Steigungen haben kann, und eine schreiben, in
#   der beide stimmen.
#
# Du brauchst Lektion 3: VJPs. Und ein Wort, das Lektion 4 erklärt: Der *Knoten*, die Notiz, die sich minigrad von jeder
# Operation macht, bewahrt bis zum backward auf, wonach seine Regel fragen wird.

# %% [markdown] of="385ba5"
# $e^{1000}$ hat 435 Stellen. Ein float32 endet bei 39 Stellen, also sagt `exp` *unendlich*, und von da an ist alles
# verloren. Im backward wird Unendlich durch Unendlich geteilt.
#
# ## Die Gestalt einer Operation
#
# Eine eigene Operation ist eine Klasse. Sie hat zwei Methoden, und man macht nie ein Objekt von ihr. Man ruft sie mit
# `apply` auf.

# %% [markdown] of="babfe0"
# `forward` läuft wie unter `no_grad()`: Nichts von dem, was darin geschieht, wird aufgeschrieben. Die ganze Operation wird
# zu *einem* Knoten. `ctx` gehört zu diesem Knoten. Dort bewahrt der Knoten seine Sachen auf. `backward` bekommt den
# Gradienten der Ausgabe und gibt den Gradienten jeder Eingabe zurück: ein VJP, wie in Lektion 3.
#
# Wer sagt dir, ob es stimmt? `gradcheck`. Es misst alle Steigungen durch Probieren, wie du in Lektion 1, und vergleicht.
# Es verlangt `float64`, denn Differenzen verlieren die Hälfte der Stellen. (Lektion 9 handelt davon.)

# %% [markdown] of="c280d4"
# ### Aufgabe: ein Würfel
#
# Schreibe `Cube`, für $y = x^3$. Seine Steigung ist $3 x^2$.

# %% [markdown] of="c130c9"
# Nimm `Square` zum Muster. Forward bewahrt `x` auf und gibt die dritte Potenz zurück.

# %% [markdown] of="1e986d"
# Backward gibt `grad * 3.0 * x * x` zurück. Vergiss `grad` nicht: Es sagt, was nach deiner Operation kommt.

# %% [markdown] of="cf9b9c"
# ## Eine Operation darf Einstellungen haben
#
# `forward` darf mehr als Tensoren nehmen: eine Zahl, eine Liste, einen Namen. Eine solche Eingabe hat keinen Gradienten,
# also gibt `backward` an ihrer Stelle `None` zurück. Was kein Tensor ist, wird einfach an `ctx` gespeichert.
#
# Und `backward` gehört *dir*. Es darf etwas anderes als die Steigung zurückgeben, wenn du einen Grund hast. Hier ist einer.
# In manchen Netzen soll ein Teil zehnmal so langsam lernen wie der Rest, und ein anderer Teil soll das *Gegenteil* lernen.
# Dafür setzt man eine Operation dazwischen, die vorwärts nichts tut und rückwärts den Gradienten multipliziert.
#
# ### Aufgabe: den Gradienten skalieren
#
# Schreibe `ScaleGradient`, aufzurufen als `ScaleGradient.apply(x, factor)`. Forward gibt eine Kopie von `x` zurück
# (`x.clone()`). Backward multipliziert den Gradienten mit `factor`.

# %% [markdown] of="fccce0"
# `ctx.factor = factor` in forward; in backward ist es noch da.

# %% [markdown] of="562355"
# Forward hat außer `ctx` zwei Eingaben, also gibt backward zweierlei zurück: `grad * ctx.factor, None`.

# %% [markdown] of="013c9b"
# gradcheck gefällt das nicht. Es hat recht, und es sagt sogar, wo man hinsehen soll:

# %% [markdown] of="4eb685"
# ## Exponentiale, die nicht explodieren
#
# Zurück zu $y = \log \sum_i e^{x_i}$. Man zieht die größte Zahl heraus, $m$:
#
# $$\log \sum_i e^{x_i} = \log \Big( e^m \sum_i e^{x_i - m} \Big) = m + \log \sum_i e^{x_i - m}$$
#
# Jetzt ist jeder Exponent 0 oder kleiner, also läuft nichts über. Mindestens einer ist genau 0, also ist die Summe
# mindestens 1, und auch der Logarithmus ist harmlos.
#
# Und die Regel? Bewegt sich $x_i$, so bewegt sich die Summe um $e^{x_i}$, und der Logarithmus um das geteilt durch die
# Summe. Die Summe ist $e^y$. Also ist die Steigung $e^{x_i} / e^y$, und das heißt
#
# $$\bar x_i = \bar y \; e^{x_i - y}$$
#
# Auch hier läuft nichts über: $y$ ist mindestens so groß wie jedes $x_i$. (Diese Steigungen sind alle positiv, und ihre
# Summe ist 1. Vielleicht kennst du sie unter dem Namen *Softmax*.)

# %% [markdown] of="e273ea"
# Vier Zahlen, alle gleich 1000. Wie groß ist die Steigung von jeder?
#
# ---
# **0,25**. Sie sind alle gleich, und ihre Summe ist 1. (Und $y$ ist $1000 + \log 4$, so dass
# $e^{x_i - y} = e^{-\log 4} = 1/4$.)

# %% [markdown] of="6f743d"
# ### Aufgabe: ein stabiles logsumexp
#
# Schreibe `LogSumExp`. Es arbeitet entlang der letzten Dimension: Aus einer Zeile von `x` wird eine Zahl. Bewahre `x` und
# `y` auf, und sonst nichts. Du brauchst `x.amax(-1, keepdim=True)` für die größte Zahl jeder Zeile, und `.unsqueeze(-1)`,
# das aus einer Liste von Zahlen eine Spalte macht, damit sie sich gegen `x` dehnen lässt.

# %% [markdown] of="818193"
# Forward: `mg.exp(x - largest).sum(-1).log()` ist der zweite Teil. Dazu kommt `largest.squeeze(-1)`, das dieselbe Form
# hat. Bewahre `x` und das Ergebnis `y` auf.

# %% [markdown] of="f39f94"
# Backward: `grad` und `y` haben eine Zahl für jede Zeile, und `x` hat viele. Also werden beide zu Spalten gemacht:
# `grad.unsqueeze(-1) * mg.exp(x - y.unsqueeze(-1))`.

# %% [markdown] of="4168a6"
# ## Steigungen von Steigungen
#
# `x` und `y` aufzubewahren heißt, `exp` im backward noch einmal zu berechnen. Wäre es nicht billiger, die Steigungen selbst
# aufzubewahren? Sie sind in forward bekannt. Das sieht so aus, und es ist eine Falle:

# %% [markdown] of="c85b6c"
# Die Steigungen stimmen. Frage nun nach der Steigung der Steigung. Nimm eine einzelne Zahl $x$ gegen eine feste 0, und
# quadriere, was herauskommt: $y = \log(e^x + 1)$, und das Ergebnis ist $y^2$. Sei $s$ die Steigung von $y$. Dann ist die
# Steigung des Ergebnisses $2 y s$. Und *deren* Steigung hat zwei Teile, denn sowohl $y$ als auch $s$ bewegen sich mit $x$:
# $y$ bewegt sich um $s$, und $s$, das ein Sigmoid ist, um $s (1 - s)$. Also ist sie $2 s \cdot s + 2 y \cdot s (1 - s)$.
# Bei $x = 0$ haben wir $s = 0{,}5$ und $y = \log 2 = 0{,}6931$. Das macht $0{,}5 + 0{,}3466 = 0{,}8466$.

# %% [markdown] of="857385"
# Es sagt 0,5, und es gab keinen Fehler. Der zweite Teil fehlt, der, in dem sich $s$ bewegt. Warum? `slopes` wurde in
# *forward* berechnet, wo nichts aufgeschrieben wird. Es ist weder eine Eingabe der Operation noch eine Ausgabe, also fiel
# es für minigrad vom Himmel: eine Konstante. Und eine Konstante bewegt sich nicht.
#
# `x` und `y` sind anders. `x` ist eine Eingabe und `y` eine Ausgabe. Wenn backward sie herausnimmt, sind beide wieder an
# ihren Plätzen im Graphen. Also wird `exp(x - y)` aufgeschrieben als gemacht aus `x` und aus `y`, das aus `x` gemacht wurde
# von ... `LogSumExp`. Die Regel deiner Operation wird in der Regel deiner Operation benutzt:

# %% [markdown] of="8dcea6"
# Was ergibt `second_slope(LogSumExp.apply)`, auf drei Stellen?
#
# ---
# **0,8466**, das Richtige, wenn du `x` und `y` aufbewahrt hast. Durch `x` bewegt sich die Steigung $s = e^{x - y}$ um
# $s = 0{,}5$, und durch `y` um $-s \cdot s = -0{,}25$. Zusammen ist das $s (1 - s)$.

# %% [markdown] of="7cd260"
# Die Faustregel ist also: **Bewahre Eingaben und Ausgaben auf; berechne den Rest in backward, mit Operationen, die
# Steigungen haben.** (Brauchst du keine zweiten Steigungen, so markiere backward mit `once_differentiable`. Dann ist es ein
# Fehler, nach ihnen zu fragen, und keine falsche Zahl.)
#
# `gradgradcheck` tut für die Steigungen der Steigungen, was gradcheck für Steigungen tut:

# %% [markdown] of="b3558b"
# ### Aufgabe: heraus aus der Falle
#
# Hier ist noch eine Operation, die hineinfällt. `Softplus` ist $y = \log(1 + e^x)$, und seine Steigung ist das Sigmoid,
# $s = 1 / (1 + e^{-x})$. Repariere es, so dass seine zweite Steigung stimmt. Forward bleibt so stabil, wie es ist.

# %% [markdown] of="9258cd"
# Was ist eine Eingabe oder eine Ausgabe der Operation und genügt, um die Steigung daraus zu berechnen?

# %% [markdown] of="7f3dcc"
# Bewahre `x` auf. In backward ist `mg.sigmoid(x)` eine Operation, die selbst Steigungen hat.

# %% [markdown] of="5a50a3"
# ## Wozu es gut ist
#
# Ein Netz, das Ziffern unterscheidet, gibt für jedes Bild zehn Punktzahlen. Sein Verlust heißt *Kreuzentropie*: der
# negative Logarithmus der Wahrscheinlichkeit der richtigen Antwort $k$:
#
# $$-\log \frac{e^{x_k}}{\sum_i e^{x_i}} = \log \sum_i e^{x_i} - x_k$$
#
# Es ist deine Operation, minus eine Zahl.
#
# ### Aufgabe: Kreuzentropie
#
# Schreibe `cross_entropy(scores, labels)`, den Mittelwert über alle Zeilen. `scores[mg.arange(len(labels)), labels]` greift
# aus jeder Zeile die Punktzahl der richtigen Antwort heraus.

# %% [markdown] of="07c6ae"
# `LogSumExp.apply(scores)` hat eine Zahl für jede Zeile, wie `right`. Ziehe ab, und nimm dann den Mittelwert.

# %% [markdown] of="ccfa01"
# ## Sieh zu, wie minigrad es macht
#
# Zwei Zeilen von Punktzahlen, deine Operation und der Verlust. (`look` beginnt in der Aufzeichnung einen neuen Schritt,
# damit dieser Graph für sich steht.)

# %% [markdown] of="e5640d"
# Sieh dir ihren Graphen an. Drücke auf der Seite der Lektion oben **Hier zeigen**, und der Graph steht
# neben dem Text. In einem Notebook oder einem Editor tippe `minigrad lesson run 8` in ein Terminal: Der Browser öffnet
# sich beim neuesten Schritt, und das ist dieser:
#
# 1. Klicke auf **LogSumExp**. Es ist ein Knoten, mit seinem Namen und deiner Formel auf der Karte. Die Zeile darunter ist
#    deine Regel: Es ist der Text, der oben in `backward` steht.
# 2. Der Kasten **kein Gradient** enthält das `exp`, das `sum` und das `log` deines forward. Klicke darauf und drücke **e**.
#    Sie liefen, aber sie sind *nicht im Graph*. Unter **Für backward gespeichert** hat LogSumExp nur `x` und `y`.
# 3. Drücke **home**, dann **→**. Im backward gibt dein Knoten seinen Gradienten in einem Stück weiter. Welche Zahlen schickt
#    er? Was ist die Summe jeder Zeile?
#
# ## Zusammenfassung
#
# - Eine Function ist ein Knoten: `forward` rechnet, `ctx` bewahrt auf, `backward` gibt einen Gradienten für jede Eingabe
#   zurück.
# - Eingaben, die keine Tensoren sind, bekommen `None`.
# - Ziehe die größte Zahl heraus, bevor du Exponentiale nimmst.
# - Bewahre Eingaben und Ausgaben auf. Was in forward berechnet wurde, hat keine Geschichte, und seine zweite Steigung geht
#   verloren.
# - gradcheck und gradgradcheck sagen dir, ob es stimmt.
#
# ## Zwei offene Fragen
#
# 1. Zeilen, deren Zahlen alle $-\infty$ sind, ergeben in deiner Operation NaN. Warum? Was sollte die Antwort sein, und was
#    der Gradient?
# 2. `ScaleGradient` lügt mit Absicht über seine Steigung. Welche anderen nützlichen Lügen fallen dir ein? (Was würdest du
#    durch eine Stufenfunktion hindurchlassen, deren Steigung überall 0 ist?)

# %% [markdown] tags=["wrong"] id="cube" of="7662e8"
# Du lässt `grad` weg. Es sagt, was nach deiner Operation kommt.

# %% [markdown] tags=["wrong"] id="cube" of="acd32c"
# Das ist die Steigung des Quadrats. Die Steigung von `x**3` ist `3 * x**2`.

# %% [markdown] tags=["wrong"] id="cube" of="320d17"
# In der Steigung fehlt der Faktor 3.

# %% [markdown] tags=["wrong"] id="cube" of="bb2faa"
# Forward gibt das Quadrat. Die dritte Potenz ist `x * x * x`.

# %% [markdown] tags=["wrong"] id="cube" of="80ba14"
# Du bewahrst die Steigung auf, die forward berechnet hat. Dann ist sie eine Konstante, und ihre eigene Steigung geht
# verloren. Bewahre `x` auf.

# %% [markdown] tags=["wrong"] id="cube" of="3ab116"
# Das Vorzeichen ist falsch herum.

# %% [markdown] tags=["wrong"] id="cube" of="123a62"
# `ctx.saved_tensors` ist ein Tupel, auch bei einem einzigen Tensor. Nimm ihn heraus: `(x,) = ctx.saved_tensors`.

# %% [markdown] tags=["wrong"] id="scale" of="5b4918"
# Forward hat zwei Eingaben, also gibt backward zweierlei zurück: `grad * ctx.factor, None`.

# %% [markdown] tags=["wrong"] id="scale" of="ec2af7"
# Forward ändert nichts: Gib `x.clone()` zurück. Nur der Gradient wird skaliert.

# %% [markdown] tags=["wrong"] id="scale" of="d3850c"
# Der Gradient geht unverändert hindurch. Multipliziere ihn mit `ctx.factor`.

# %% [markdown] tags=["wrong"] id="scale" of="edfdf0"
# Du teilst durch den Faktor. Multipliziere.

# %% [markdown] tags=["wrong"] id="scale" of="a387d7"
# Der Faktor steht an der Klasse, also teilen sich alle Aufrufe den letzten. Speichere ihn an `ctx`.

# %% [markdown] tags=["wrong"] id="scale" of="074c53"
# Forward gibt nur seine Ausgabe zurück. Speichere den Faktor für backward an `ctx`: `ctx.factor = factor`.

# %% [markdown] tags=["wrong"] id="scale" of="ef5072"
# Backward kennt die Variablen von forward nicht. Speichere den Faktor an `ctx`: `ctx.factor = factor`.

# %% [markdown] tags=["wrong"] id="logsumexp" of="7c6540"
# Die Exponentiale laufen über: Ziehe die größte Zahl heraus, `mg.exp(x - largest)`, und addiere sie wieder.

# %% [markdown] tags=["wrong"] id="logsumexp" of="2d41a6"
# Du ziehst die größte Zahl heraus und vergisst, sie wieder zu addieren.

# %% [markdown] tags=["wrong"] id="logsumexp" of="c87316"
# `largest` ist eine Spalte. Neben einer Zahl für jede Zeile wird sie gedehnt: Nimm `largest.squeeze(-1)`.

# %% [markdown] tags=["wrong"] id="logsumexp" of="f37993"
# Du bewahrst die Steigungen auf, die forward berechnet hat: Das ist die Falle. Bewahre `x` und `y` auf.

# %% [markdown] tags=["wrong"] id="logsumexp" of="2cfd27"
# Du lässt `grad` weg, den Gradienten, der ankam.

# %% [markdown] tags=["wrong"] id="logsumexp" of="6b0623"
# Die Steigung ist `exp(x - y)`. Du ziehst die größte Zahl anstelle von `y` ab, also ist die Summe der Steigungen nicht
# 1.

# %% [markdown] tags=["wrong"] id="logsumexp" of="486752"
# `y` hat eine Zahl für jede Zeile. Mache eine Spalte daraus, damit es auf seine eigene Zeile trifft: `y.unsqueeze(-1)`.

# %% [markdown] tags=["wrong"] id="logsumexp" of="11f613"
# `grad` hat eine Zahl für jede Zeile, wie `y`. Mache auch daraus eine Spalte: `grad.unsqueeze(-1)`.

# %% [markdown] tags=["wrong"] id="softplus" of="13748c"
# Es bewahrt immer noch die Steigung auf, und die ist für das zweite backward eine Konstante. Bewahre `x` auf.

# %% [markdown] tags=["wrong"] id="softplus" of="c6b089"
# Das ist die Steigung des Sigmoids. Die Steigung von Softplus ist das Sigmoid selbst.

# %% [markdown] tags=["wrong"] id="softplus" of="86f53b"
# Die Steigung ist `1 / (1 + exp(-x))`: Das Vorzeichen von `x` ist falsch herum.

# %% [markdown] tags=["wrong"] id="softplus" of="04ee95"
# `exp(x) / (1 + exp(x))` läuft über, wo `x` groß ist: unendlich durch unendlich. Nimm `mg.sigmoid(x)`.

# %% [markdown] tags=["wrong"] id="cross-entropy" of="c59f2e"
# Das ist die Summe über die Zeilen. Nimm den Mittelwert.

# %% [markdown] tags=["wrong"] id="cross-entropy" of="533da5"
# Das ist eine Zahl für jede Zeile. Nimm ihren Mittelwert.

# %% [markdown] tags=["wrong"] id="cross-entropy" of="5a33ff"
# Das Vorzeichen ist falsch herum: Die Punktzahl der richtigen Antwort wird vom logsumexp abgezogen.

# %% [markdown] tags=["wrong"] id="cross-entropy" of="3fc986"
# Die Punktzahl der richtigen Antwort wird nicht abgezogen.

# %% [markdown] tags=["wrong"] id="cross-entropy" of="a0636c"
# Das ist Softmax und dann sein Logarithmus, und Softmax ist 0, wenn Punktzahlen weit auseinanderliegen. Nimm
# `LogSumExp`.

# %% [markdown] tags=["wrong"] id="cross-entropy" of="a3dc2c"
# Du summierst über alle Zeilen zugleich. Jede Zeile hat ihre eigene Summe: Nimm dein `LogSumExp`, das entlang der
# letzten Dimension geht.

# %% [markdown] tags=["check"] id="cube" of="a5718b"
# der Gradient bei x = {start} der Summe von `{op}(x)` mal {weights}

# %% [markdown] tags=["check"] id="cube" of="052106"
# die Steigung der Steigung von `{op}(x)` bei x = {start}

# %% [markdown] tags=["check"] id="scale" of="f5fe71"
# `ScaleGradient.apply(x, {factor})` für x = {start}

# %% [markdown] tags=["check"] id="scale" of="6c4d9c"
# der Gradient bei x = {start} der Summe von `ScaleGradient.apply(x, {factor})` mal {weights}

# %% [markdown] tags=["check"] id="scale" of="cd63ff"
# die Gradienten von x und y, wenn x durch den Faktor 2 geht und dann y durch den Faktor 3

# %% [markdown] tags=["check"] id="scale" of="d610df"
# x, nachdem das Ergebnis von `ScaleGradient.apply(x, {factor})` an Ort und Stelle auf 0 gesetzt wurde: Eine Kopie lässt
# es, wie es war

# %% [markdown] tags=["check"] id="logsumexp" of="06d9cc"
# die Steigung der Steigung von y * y bei x = {x}, für y = `LogSumExp.apply` der beiden Zahlen x und 0

# %% [markdown] tags=["check"] id="cross-entropy" of="151158"
# der Gradient von `cross_entropy(scores, labels)` für scores = {scores}, labels = {labels}
